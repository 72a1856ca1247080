# SPDX-License-Identifier: BSD-3-Clause
"""The table of what was run: transports x strategies x libraries x ways to start x hosts x writers.

    transport_table.py run FILE.csv [PART…]    run the cells and add their results to FILE.csv
    transport_table.py show FILE.csv…          the table, in Markdown

Parts: openmpi and mpich (hosts and writers in one job), ports (two jobs that meet at a port, with the
MPICH of Testing/Environment/mpich-ports.sh), two-mpi (hosts with one library, writers with the other),
paraview (a ParaView on MPICH). Run it in the root, after ./dev build:

    ./dev shell python3 Testing/Parallel/transport_table.py run /tmp/cells.csv
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from processes import Failure, Job, environ, offered

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
HOSTS, WRITERS = (1, 2, 4), (1, 2, 3, 5)
# A test's own build, or the first there is.
PROGRAMS = [os.environ.get("DSM_TEST_BIN"), *(CHECKOUT / "build" / flavour / "bin" for flavour in ("openmpi", "mpich"))]
OFFERED = next((offer for folder in PROGRAMS if folder and (offer := offered(folder))["strategies"]), offered(""))
STRATEGIES = tuple(OFFERED["strategies"])
# Each by itself, and two by size.
TRANSPORTS = (*OFFERED["transports"], "mpi-rma,mpi-messages:1KiB")
SHAPES = [(hosts, writers) for hosts in HOSTS for writers in WRITERS]
LIMIT = 300
PORTS = pathlib.Path(os.environ.get("DSM_MPICH_PORTS") or pathlib.Path.home() / ".cache/paraview-dsm/mpich-ports")

# As in cmake/DSMTesting.cmake.
ENVIRONMENT = {
    "UCX_ERROR_SIGNALS": "", "DSM_DEFAULTS": "off", "OMPI_MCA_btl_tcp_if_include": "lo",
    "OMPI_MCA_mpi_yield_when_idle": 1,
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": 1, "OMPI_MPI_THREAD_LEVEL": 3,
    "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE",
}
WITH_PORTS = {"LD_LIBRARY_PATH": PORTS / "lib", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"}
MPIEXEC = {"openmpi": ["mpiexec.openmpi", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}


def note(table, hosts_library, writers_library, started, transport, strategy, hosts, writers, same):
    """Adds a cell to the table's file, as TestTransports.cxx does; nothing without a file."""
    if table:
        found = "identical" if same else "different"
        cell = (hosts_library, writers_library, started, transport, strategy, hosts, writers, found)
        with open(table, "a", encoding="utf-8") as file:
            file.write(";".join(map(str, cell)) + "\n")


def program(flavour, tests="dsmTransportTests"):
    return CHECKOUT / "build" / flavour / "bin" / tests


def one_job(flavour, hosts, writers, **more):
    """The cells of one shape, hosts and writers in one job."""
    Job([*MPIEXEC[flavour], "-n", hosts + writers, program(flavour), hosts], environ(**ENVIRONMENT, **more)).wait(LIMIT)


def two_jobs(hosts, writers, tests="dsmTransportTests", **more):
    """The same in two jobs that meet at a port; or other tests that can."""
    with tempfile.TemporaryDirectory() as folder:
        def start(ranks, role):
            return Job([PORTS / "bin" / "mpiexec", "-n", ranks, program("mpich", tests), hosts],
                       environ(**ENVIRONMENT, **WITH_PORTS, **more, DSM_TEST_JOIN=f"{role}:{folder}/port"))

        jobs = [start(hosts, "accept"), start(writers, "connect")]
        try:
            for job in jobs:
                job.wait(LIMIT)
        finally:
            for job in jobs:
                job.stop()


def ctest(table):
    """The test in ParaView knows its cells itself."""
    done = subprocess.run(
        ["ctest", "--test-dir", CHECKOUT / "build" / "mpich", "-R", "ParaView.Transports", "--output-on-failure"],
        env=environ(DSM_TRANSPORT_TABLE=table),
        check=False,
    )
    assert done.returncode == 0, "ctest -R ParaView.Transports failed"


def two_mpi(table):
    """So does that with two MPI libraries."""
    builds = {f"DSM_TEST_{flavour.upper()}": CHECKOUT / "build" / flavour for flavour in MPIEXEC}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / "test_two_mpi.py"],
                          env=environ(**ENVIRONMENT, **builds, DSM_TRANSPORT_TABLE=table), check=False)
    assert done.returncode == 0, "test_two_mpi.py failed"


def run(table, *parts):
    """All cells of the parts; a shape that fails is told and leaves its cells out or 'different'."""
    failed = []
    for part in parts or ("openmpi", "mpich", "ports", "two-mpi", "paraview"):
        if part in ("two-mpi", "paraview"):
            {"two-mpi": two_mpi, "paraview": ctest}[part](table)
            continue
        for hosts, writers in SHAPES:
            try:
                if part == "ports":
                    two_jobs(hosts, writers, DSM_TRANSPORT_TABLE=table)
                else:
                    one_job(part, hosts, writers, DSM_TRANSPORT_TABLE=table)
                print(f"{part}: {hosts} hosts, {writers} writers: done", flush=True)
            except Failure as failure:
                failed.append(f"{part} {hosts}x{writers}")
                print(f"{part}: {hosts} hosts, {writers} writers: {str(failure)[-2000:]}", flush=True)
    assert not failed, f"failed: {', '.join(failed)}"


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("run", "show"):
        sys.exit(__doc__)
    if sys.argv[1] == "run":
        run(pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:])
        return
    from show_transport_table import show

    print(show(sys.argv[2:]))


if __name__ == "__main__":
    main()

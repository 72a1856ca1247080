# SPDX-License-Identifier: BSD-3-Clause
"""ParaView with every transport and strategy, in one MPI job with the simulation and in two. A few numbers
of ranks; all of them with DSM_TRANSPORT_TABLE=FILE, which gets the results (Testing/Parallel/transport_table.py)."""

import os
import sys

import pytest

from conftest import BIN, FLAVOUR, HERE, MPIEXEC

sys.path.insert(0, str(HERE.parent.parent / "Parallel"))
from transport_table import HOSTS, PORTS, STRATEGIES, WITH_PORTS, WRITERS, note

TABLE = os.environ.get("DSM_TRANSPORT_TABLE")
PROGRAM = BIN / "dsmCoupledProgram"
OVER_MPI = ("mpi-rma", "mpi-messages", "mpi-rma,mpi-messages:1KiB")
HOW_MANY = HOSTS if TABLE else (2,)
BOTH = {"mpich": "MPICH", "openmpi": "Open MPI"}[FLAVOUR]


def way(transport):
    threads = {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE", "OMPI_MPI_THREAD_LEVEL": 3}
    return {} if transport == "shared-memory" else {"DSM_TRANSPORT": transport, "DSM_NODE_MEMORY": "off", **threads}


def compare(folder, hosts, writers, transport, started, library):
    disk = (folder / f"disk.{writers}.h5").read_bytes()
    wrong = []
    for index, strategy in enumerate(STRATEGIES):
        saved = folder / f"saved.{writers}.{index}.h5"
        same = saved.exists() and saved.read_bytes() == disk
        note(TABLE, f"ParaView, {library}", library, started, transport, strategy, hosts, writers, same)
        if not same:
            wrong.append(strategy)
    assert not wrong, f"not as on disk: {wrong}"


def on_disk(bench, writers):
    bench.simulation(
        None, writers, None, program=[PROGRAM, "parallel", bench.folder / f"disk.{writers}.h5"]
    ).wait()


def needs(writers):
    return {"DSM_TEST_STRATEGIES": ";".join(STRATEGIES), "DSM_TEST_WRITERS": " ".join(map(str, writers))}


def client(folder, writers):
    return [BIN / "dsm-run", "--contact", folder / f"{writers}.dsm", "--wait", 60, PROGRAM, "series",
            folder / str(writers)]


def two_jobs(bench, hosts, transport, mpiexec, library, **more):
    folder = bench.folder
    counts = WRITERS if TABLE else (3, 1)
    script = HERE / "scripts" / "transports.py"
    viewer = bench.start(
        [*mpiexec, "-n", hosts, os.environ["DSM_TEST_PVBATCH"], script], "pvbatch",
        **bench.script_needs(), **needs(counts), **more)
    before = None
    for writers in counts:
        on_disk(bench, writers)
        viewer.wait_for_file(folder / f"{writers}.dsm")  # the server before has ended
        if before:
            compare(folder, hosts, before, transport, "two jobs", library)
        bench.start([*mpiexec, "-n", writers, *client(folder, writers)], "simulation", **more).wait(300)
        before = writers
    viewer.wait()
    compare(folder, hosts, before, transport, "two jobs", library)


@pytest.mark.parametrize("hosts", HOW_MANY)
@pytest.mark.parametrize("transport", ["shared-memory", "fabric"])
def test_two_jobs(bench, transport, hosts):
    two_jobs(bench, hosts, transport, MPIEXEC, BOTH, **way(transport))


@pytest.mark.skipif(FLAVOUR != "mpich", reason="Open MPI does not connect running jobs")
@pytest.mark.skipif(not (PORTS / "bin" / "mpiexec").exists(), reason=f"there is no MPICH with ports in {PORTS}")
@pytest.mark.parametrize("hosts", HOW_MANY)
@pytest.mark.parametrize("transport", OVER_MPI if TABLE else OVER_MPI[:2])
def test_port(bench, transport, hosts):
    """ParaView and its MPI exchanged for one that connects jobs while they run."""
    two_jobs(bench, hosts, transport, [PORTS / "bin" / "mpiexec"], "MPICH 5.0.2", **way(transport), **WITH_PORTS)


@pytest.mark.parametrize("hosts", HOW_MANY)
@pytest.mark.parametrize("writers", WRITERS if TABLE else (3,))
@pytest.mark.parametrize("transport", OVER_MPI if TABLE else OVER_MPI[2:])
def test_one_job(bench, transport, writers, hosts):
    folder = bench.folder
    on_disk(bench, writers)
    viewer = [BIN / "dsm-paraview", "--split", os.environ["DSM_TEST_PVBATCH"], HERE / "scripts" / "transports.py"]
    bench.one_job(hosts, viewer, writers, client(folder, writers), **needs([writers]), **way(transport)).wait()
    compare(folder, hosts, writers, transport, "one job", BOTH)

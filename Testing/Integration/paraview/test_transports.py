# SPDX-License-Identifier: BSD-3-Clause
"""ParaView with every transport and strategy, in one MPI job with the simulation and in two. A few numbers
of ranks; all of them with DSM_TRANSPORT_TABLE=FILE, which gets the results (Testing/Parallel/transport_table.py)."""

import os
import sys
from typing import NamedTuple

import pytest

from conftest import BIN, FLAVOUR, HERE, MPIEXEC

sys.path.insert(0, str(HERE.parent.parent / "Parallel"))
from transport_table import HOSTS, PORTS, STRATEGIES, WITH_PORTS, WRITERS, note

TABLE = os.environ.get("DSM_TRANSPORT_TABLE")
PROGRAM = BIN / "dsmCoupledProgram"
OVER_MPI = ("mpi-rma", "mpi-messages", "mpi-rma,mpi-messages:1KiB")
HOW_MANY = HOSTS if TABLE else (2,)
COUNTS = WRITERS if TABLE else (3, 1)
connects_jobs = pytest.mark.skipif(
    FLAVOUR != "mpich" or not (PORTS / "bin" / "mpiexec").exists(),
    reason=f"only an MPICH with ports connects running jobs: in {PORTS} (Testing/Environment/mpich-ports.sh get)")
BOTH = {"mpich": "MPICH", "openmpi": "Open MPI"}[FLAVOUR]


class Files(NamedTuple):
    """What simulations write: `each` numbers of 4 bytes by each rank; and what hosts lend for it."""

    each: int = 1000
    memory: str = "8 MiB"
    block: str = "1 KiB"
    expected: str = "0"

    def needs(self, writers):
        return {"DSM_TEST_STRATEGIES": ";".join(STRATEGIES), "DSM_TEST_WRITERS": " ".join(map(str, writers)),
                "DSM_TEST_SIZES": f"{self.memory};{self.block};{self.expected}"}

    def on_disk(self, bench, writers):
        bench.simulation(
            None, writers, None, program=[PROGRAM, "parallel", bench.folder / f"disk.{writers}.h5", self.each]
        ).wait()

    def client(self, folder, writers):
        return [BIN / "dsm-run", "--contact", folder / f"{writers}.dsm", "--wait", 60, PROGRAM, "series",
                folder / str(writers), self.each]


SMALL = Files()


def way(transport):
    return {} if transport == "shared-memory" else {"DSM_TRANSPORT": transport, "DSM_NODE_MEMORY": "off"}


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


def run_two_jobs(bench, hosts, transport, mpiexec, library, counts, files=SMALL, **more):
    """dsm-paraview has MPI allow threads, which ParaView does not ask for."""
    folder = bench.folder
    script = HERE / "scripts" / "transports.py"
    viewer = bench.start(
        [*mpiexec, "-n", hosts, BIN / "dsm-paraview", os.environ["DSM_TEST_PVBATCH"], script], "pvbatch",
        **bench.script_needs(), **files.needs(counts), **more)
    before = None
    for writers in counts:
        files.on_disk(bench, writers)
        viewer.wait_for_file(folder / f"{writers}.dsm")  # the server before has ended
        if before:
            compare(folder, hosts, before, transport, "two jobs", library)
        bench.start([*mpiexec, "-n", writers, *files.client(folder, writers)], "simulation", **more).wait(300)
        before = writers
    viewer.wait()
    compare(folder, hosts, before, transport, "two jobs", library)


def run_one_job(bench, hosts, transport, writers, files=SMALL):
    folder = bench.folder
    files.on_disk(bench, writers)
    viewer = [BIN / "dsm-paraview", "--split", os.environ["DSM_TEST_PVBATCH"], HERE / "scripts" / "transports.py"]
    bench.one_job(
        hosts, viewer, writers, files.client(folder, writers), **files.needs([writers]), **way(transport)
    ).wait()
    compare(folder, hosts, writers, transport, "one job", BOTH)


@pytest.mark.parametrize("hosts", HOW_MANY)
@pytest.mark.parametrize("transport", ["shared-memory", "fabric"])
def test_two_jobs(bench, transport, hosts):
    run_two_jobs(bench, hosts, transport, MPIEXEC, BOTH, COUNTS, **way(transport))


@connects_jobs
@pytest.mark.parametrize("hosts", HOW_MANY)
@pytest.mark.parametrize("transport", OVER_MPI if TABLE else OVER_MPI[:2])
def test_port(bench, transport, hosts):
    """ParaView and its MPI exchanged for one that connects jobs while they run."""
    run_two_jobs(bench, hosts, transport, [PORTS / "bin" / "mpiexec"], "MPICH 5.0.2", COUNTS, **way(transport),
                 **WITH_PORTS)


@pytest.mark.parametrize("hosts", HOW_MANY)
@pytest.mark.parametrize("writers", WRITERS if TABLE else (3,))
@pytest.mark.parametrize("transport", OVER_MPI if TABLE else OVER_MPI[2:])
def test_one_job(bench, transport, writers, hosts):
    run_one_job(bench, hosts, transport, writers)


@pytest.mark.parametrize("transport", OVER_MPI[:2])
def test_without_threads(bench, transport):
    """Nobody would let MPI move bytes while ParaView waits: said at Start, with what to do."""
    viewer = bench.pvbatch("transports.py", 2, **SMALL.needs((1,)), **way(transport))
    said = " ".join(viewer.wait(expect=None).split())
    assert f'the transport "{transport}" moves no bytes while ParaView waits' in said, said
    assert "dsm-paraview" in said and "choose the transport fabric" in said, said
    assert not (bench.folder / "1.dsm").exists()

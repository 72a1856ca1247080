# SPDX-License-Identifier: BSD-3-Clause
"""ParaView and the simulation in one MPI job: ParaView on a communicator of its own."""

import json
import os

import pytest

from conftest import BIN, FLAVOUR, HERE, MPIEXEC, TRANSPORTS
from processes import free_port

GRID = ("--size", 23, 17, 13, "--steps", 20, "--every", 10)


def simulation(contact, output):
    # The contact file comes when ParaView and the simulation have both begun.
    return [BIN / "dsm-run", "--contact", contact, "--wait", 60, BIN / "gray_scott", *GRID, "--output", output]


@pytest.mark.parametrize(
    ("transport", "symmetric"),
    [("shared-memory", True), ("mpi-rma", False), ("mpi-rma", True), ("mpi-messages", False)],
)
def test_pvbatch(bench, transport, symmetric):
    folder = bench.folder
    bench.simulation(None, 2, folder / "disk", *GRID).wait()
    viewer = [BIN / "dsm-paraview", "--split", os.environ["DSM_TEST_PVBATCH"], *(["--sym"] if symmetric else [])]
    job = bench.one_job(
        2,
        [*viewer, HERE / "scripts" / "live_fields.py"],
        3,
        simulation(folder / "block_cyclic.3.dsm", folder / "live"),
        DSM_TEST_CASES="block cyclic/3",
        PYTHONPATH=HERE / "scripts",
        **TRANSPORTS[transport],
    )
    job.wait()
    reports = bench.reports()
    assert len(reports) == 2 and not [found["wrong"] for found in reports if "wrong" in found]
    for found in reports if symmetric else reports[:1]:
        assert found["compared"] == {"block cyclic/3": [0, 10, 20]}
    # Each looked at its half: neighbours share a face.
    whole = 3 * 23 * 17 * 13
    assert whole <= sum(found["points"] for found in reports) <= 1.2 * whole


@pytest.mark.skipif(FLAVOUR != "mpich", reason="what Debian's MPICH cannot")
def test_two_jobs(bench):
    """mpi-rma from a job of its own, where the library cannot connect jobs: an error that says what to do."""
    viewer = bench.pvbatch("live_fields.py", 2, DSM_TEST_CASES="block cyclic/3",
                           MPIR_CVAR_DEFAULT_THREAD_LEVEL="MPI_THREAD_MULTIPLE", **TRANSPORTS["mpi-rma"])
    contact = bench.folder / "block_cyclic.3.dsm"
    viewer.wait_for_file(contact)
    refused = bench.simulation(contact, 3, bench.folder / "live", *GRID, **TRANSPORTS["mpi-rma"]).wait(
        expect=None
    )
    assert (
        "offers no port" in refused and "choose the transport fabric, or start both programs in one job" in refused
    ), refused
    viewer.stop()


def test_pvserver(bench):
    folder = bench.folder
    port = free_port()
    server = [BIN / "dsm-paraview", "--split", os.environ["DSM_TEST_PVSERVER"], f"--server-port={port}"]
    job = bench.one_job(2, server, 3, simulation(folder / "run.dsm", folder / "live"))
    job.wait_to_say("Accepting connection")
    client = bench.start(
        [os.environ["DSM_TEST_PVPYTHON"], HERE / "scripts" / "client.py"], "client",
        DSM_TEST_FOLDER=folder, DSM_TEST_PORT=port,
    )
    client.wait()
    job.wait()
    found = json.loads((folder / "seen.json").read_text())
    assert found["seen"] == [[n + 1, 10 * n, ["u", "v"], [0, 22, 0, 16, 0, 12]] for n in range(3)]


def test_mistakes(bench):
    """ParaView alone in its job; programs that do not add up; a program that does not exist."""
    pvbatch = os.environ["DSM_TEST_PVBATCH"]
    alone = bench.start([*MPIEXEC, "-n", 2, BIN / "dsm-paraview", "--split", pvbatch, "x.py"], "alone").wait(
        expect=None
    )
    assert alone.count("ParaView is alone in its MPI job of 2 processes") == 1, alone
    assert ("Open MPI v" if FLAVOUR == "openmpi" else "MPICH Version") in alone
    missing = bench.start([BIN / "dsm-paraview", "no-such-program"], "missing").wait(expect=127)
    assert "cannot start no-such-program" in missing
    by_hand = bench.start([BIN / "dsm-mpmd", 1, "true"], "hand").wait(expect=2)
    assert "no mpiexec started this" in by_hand
    sums = bench.start([*MPIEXEC, "-n", 3, BIN / "dsm-mpmd", 1, "true", "::", 1, "true"], "sums").wait(expect=None)
    assert "the numbers make 2 processes, and mpiexec started 3" in sums

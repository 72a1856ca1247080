# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and simulation in two MPI jobs that meet at a port while they run: with an MPICH that can
(Testing/Environment/mpich-ports.sh), in place of Debian's, for which the programs were built."""

import os
import pathlib

import pytest

from processes import LIMIT, Job, environ
from transport_table import ENVIRONMENT, PORTS, WITH_PORTS, two_jobs

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
PROGRAM = BIN / "dsmCoupledProgram"
MPIEXEC = PORTS / "bin" / "mpiexec"

pytestmark = pytest.mark.skipif(
    not MPIEXEC.exists(), reason=f"there is no MPICH with ports in {PORTS}: Testing/Environment/mpich-ports.sh get")


@pytest.fixture
def start():
    jobs = []

    def begin(ranks, *command, **more):
        jobs.append(
            Job([MPIEXEC, "-n", ranks, *command], environ(**{**ENVIRONMENT, **WITH_PORTS, "DSM_TIMEOUT": 30, **more}))
        )
        return jobs[-1]

    yield begin
    for job in jobs:
        job.stop()
        print(job, "said:", job.text, sep="\n")  # shown where a test failed


@pytest.mark.parametrize(
    ("transport", "threads"), [("mpi-rma", True), ("mpi-rma", False), ("mpi-messages", True), ("mpi-messages", False)],
    ids=["rma-thread", "rma-pump", "messages-thread", "messages-pump"])
def test_clients(start, tmp_path, transport, threads):
    """Two simulations one after the other at the same hosts."""
    (tmp_path / "saved").mkdir()
    hosts = start(2, BIN / "dsm-serve", "--contact", tmp_path / "run.dsm", "--save", tmp_path / "saved",
                  "--memory-per-host", "8 MiB", "--block-size", "4 KiB", "--transport", transport, "--no-node-memory",
                  "--limit", LIMIT, *([] if threads else ["--one-thread"]), DSM_LOG="info",
                  **({} if threads else {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_SINGLE"}))
    hosts.wait_to_say("ready")
    for ranks in (3, 1):
        name = f"sim{ranks}.h5"
        start(ranks, BIN / "dsm-run", "--contact", tmp_path / "run.dsm", "--wait", 30, PROGRAM, "parallel",
              tmp_path / name).wait()
        hosts.wait_to_say(f"joined {ranks} ranks over MPI (dynamic)")
        hosts.wait_to_say(str(tmp_path / name))
        start(ranks, PROGRAM, "parallel", tmp_path / "disk.h5").wait()
        saved = tmp_path / "saved" / name
        hosts.wait_for_file(saved)
        assert saved.read_bytes() == (tmp_path / "disk.h5").read_bytes()
    assert ("a thread of each host" if threads else "Server::Pump") in hosts.text
    hosts.stop()
    assert "left behind" not in hosts.text


def test_strategies():
    """Every strategy by every transport over MPI; transport_table.py has all numbers of ranks."""
    two_jobs(2, 3, GTEST_FILTER="*mpi_*")

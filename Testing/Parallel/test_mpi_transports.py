# SPDX-License-Identifier: BSD-3-Clause
"""mpi-rma and mpi-messages between programs of their own: started as one MPI job (static) or as two
that meet at a port (dynamic), with and without threads at the hosts; and what is said where an MPI
library cannot."""

import os
import pathlib
import signal
import subprocess

import pytest

from processes import LIMIT, Job, environ

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
OPENMPI = os.environ["DSM_TEST_FLAVOUR"] == "openmpi"
PROGRAM = BIN / "dsmCoupledProgram"
TRANSPORTS = ["mpi-rma", "mpi-messages"]


@pytest.fixture
def start():
    jobs = []

    def begin(*command, **environment):
        jobs.append(Job(command, environ(**{"DSM_TIMEOUT": 20, **environment})))
        return jobs[-1]

    yield begin
    for job in jobs:
        job.stop()


def hosts_command(folder, transport, *options):
    (folder / "saved").mkdir(exist_ok=True)
    return [BIN / "dsm-serve", "--contact", folder / "run.dsm", "--save", folder / "saved", "--memory-per-host",
            "8 MiB", "--block-size", "4 KiB", "--transport", transport, "--no-node-memory", "--limit", LIMIT, *options]


def client_command(folder, how="split", *options):
    return [BIN / "dsm-run", "--contact", folder / "run.dsm", "--wait", 30, *options, PROGRAM, how,
            folder / "sim.h5"]


def check_saved(folder, ranks):
    disk = folder / "disk.h5"
    subprocess.run([*MPIEXEC, "-n", str(ranks), PROGRAM, "parallel", disk], check=True, timeout=LIMIT)
    assert (folder / "saved" / "sim.h5").read_bytes() == disk.read_bytes()


def one_job(hosts, hosts_words, ranks, client_words):
    """Both programs in one launch: Debian's Open MPI cannot, so ours tells them apart by rank."""
    if OPENMPI:
        return [*MPIEXEC, "-n", hosts + ranks, BIN / "dsm-mpmd", hosts, *hosts_words, "::", ranks, *client_words]
    return [*MPIEXEC, "-n", hosts, *hosts_words, ":", "-n", ranks, *client_words]


@pytest.mark.parametrize("threads", [True, False], ids=["thread", "pump"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_static(start, tmp_path, transport, threads):
    words = hosts_command(tmp_path, transport, "--until-disconnect", *([] if threads else ["--one-thread"]))
    job = start(*one_job(2, words, 3, client_command(tmp_path)), DSM_LOG="info")
    job.wait()
    assert "joined 3 ranks over MPI (static)" in job.text
    assert ("a thread of each host" if threads else "Server::Pump") in job.text
    assert "left behind" not in job.text
    check_saved(tmp_path, 3)


def test_other_job_than_the_static_one(start, tmp_path):
    """A simulation started by itself cannot join hosts that are part of an MPMD job."""
    idle = [PROGRAM, "wait", tmp_path / "go"]
    job = start(*one_job(1, hosts_command(tmp_path, "mpi-rma"), 1, idle))
    client = start(*MPIEXEC, "-n", 2, *client_command(tmp_path, "parallel"))
    client.status()  # MPICH's mpiexec does not always pass a failure on
    assert "only when one launch starts both" in client.text.replace("\n", " ")
    assert "fabric" in client.text
    (tmp_path / "go").touch()
    job.process.send_signal(signal.SIGTERM)


def test_no_port(start, tmp_path):
    """Two jobs, and an MPI library that cannot connect them as they are started."""
    hosts = start(*MPIEXEC, "-n", 1, *hosts_command(tmp_path, "mpi-rma"))
    hosts.wait_to_say("ready")
    client = start(*MPIEXEC, "-n", 2, *client_command(tmp_path, "parallel"))
    client.status()  # MPICH's mpiexec does not always pass a failure on
    text = client.text.replace("\n", " ")
    assert ("does not connect two running jobs" if OPENMPI else "offers no port") in text
    assert "choose the transport fabric" in text
    # The hosts took no harm: the same program comes over shared memory.
    again = start(*MPIEXEC, "-n", 2, *client_command(tmp_path, "parallel"), DSM_TRANSPORT="shared-memory")
    again.wait()
    check_saved(tmp_path, 2)


def test_not_offered(start, tmp_path):
    hosts = start(*MPIEXEC, "-n", 1, *hosts_command(tmp_path, "shared-memory"))
    hosts.wait_to_say("ready")
    client = start(*MPIEXEC, "-n", 1, *client_command(tmp_path, "parallel"), DSM_TRANSPORT="mpi-messages",
                   DSM_NODE_MEMORY="off")
    client.status()  # MPICH's mpiexec does not always pass a failure on
    assert "started without one" in client.text.replace("\n", " ")

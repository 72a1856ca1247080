# SPDX-License-Identifier: BSD-3-Clause
"""As test_faults.py, where the bytes travel over MPI. Hosts and simulation are one MPI job then, and
MPI's launchers end a job when one of its processes dies: that is tested as it is, and with the option
that keeps the others, which shows what our own part does."""

import contextlib
import os
import signal
import time

import pytest

from conftest import BIN, MPI_THREADS, OPENMPI
from peers import by_rank, processes, signal_all, wait_until_gone

LIMIT = 4  # seconds: DSM_TIMEOUT
PEER_TIMEOUT = 2
# What a lost peer may take altogether: the limit, and what a loaded machine adds.
SOON = 30
TRANSPORTS = ["mpi-rma", "mpi-messages"]
# What a writer says of a host that is silent; the second where it was inside MPI_Win_flush by then.
LOST = ["did not answer over MPI", "MPI_Win_flush waits for the DSM server's hosts"]
ENVIRONMENT = {"DSM_NODE_MEMORY": "off", "DSM_TIMEOUT": LIMIT, "DSM_PEER_TIMEOUT": PEER_TIMEOUT,
          "DSM_WITHOUT_SERVER": "fail",
          # As between nodes: within one, UCX writes to a process's memory without its doing, even when
          # it is stopped, and there is nothing to wait for.
          "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", **MPI_THREADS}
HOSTS, RANKS = 2, 2


def _one_job(bench, how, transport, *, keep=True, preload=None, couple=True, **environment):
    """Two hosts (ranks 0 and 1) and a simulation's two ranks in one launch; `preload`: variables for
    one of the sides."""
    hosts = [BIN / "dsm-serve", "--contact", bench.contact, "--save", bench.saved, "--memory-per-host", "32 MiB",
             "--block-size", "64 KiB", "--transport", transport, "--no-node-memory", "--limit", 60]
    variables = [f"{name}={value}" for name, value in (preload or {}).get("simulation", {}).items()]
    coupled = [BIN / "dsm-run", "--contact", bench.contact, "--wait", 30] if couple else []
    simulation = ["env", *variables, *coupled, BIN / "dsmUnfinished", how, bench.folder / "sim"]
    variables = [f"{name}={value}" for name, value in (preload or {}).get("hosts", {}).items()]
    hosts = ["env", *variables, *hosts]
    stays = ["--continuous"] if OPENMPI else ["-disable-auto-cleanup"]
    return bench.one_job(HOSTS, hosts, RANKS, simulation, *(stays if keep else []),
                         **{**ENVIRONMENT, **environment})


def _writing(bench, transport, **more):
    """A job whose simulation is in the middle of a write, and has written one file before."""
    job = _one_job(bench, "endless", transport, **more)
    job.wait_to_say("snapshot 1")
    job.wait_to_say("writing\n")
    return job


def _host(bench, rank):
    return by_rank("dsm-serve", bench.contact)[rank]


def _wait_for_word_of_the_host(bench, job):
    """And then the simulation, whose writes do not fail before its H5Fclose, writes no more."""
    job.wait_until(lambda: any(words in job.text for words in LOST), "word of the host", SOON)
    (bench.folder / "sim.enough").touch()


def _said(job, *words):
    text = " ".join(job.text.split())
    for word in words:
        assert word in text, f"never said '{word}':\n{job.text}"


def _kept(bench):
    assert bench.first_file_is_good() == 2000
    assert not (bench.saved / "sim.2.h5").exists()


def _separate_job(bench, **environment):
    """A simulation of another job, by shared memory."""
    return bench.simulate("wait", ranks=1, DSM_TRANSPORT="shared-memory", DSM_NODE_MEMORY="on",
                          DSM_PEER_TIMEOUT=PEER_TIMEOUT, DSM_WITHOUT_SERVER="fail", **environment)


def _next_simulation_connects(bench, job, snapshot):
    next_one = _separate_job(bench)
    next_one.wait_for_line("waiting")
    next_one.say("go on")
    assert next_one.status() == 0, next_one.text + job.text
    job.wait_to_say(f"snapshot {snapshot}")  # its sim.1.h5
    assert bench.first_file_is_good() == 1000


def _next_is_refused(bench, *words):
    next_one = _separate_job(bench)
    assert next_one.status() != 0
    _said(next_one, *words)


def _hosts_end(bench, job):
    """Though MPI_Finalize may have somebody to wait for who will not come."""
    signal_all("dsm-serve", bench.contact, signal.SIGTERM)
    wait_until_gone("dsm-serve", bench.contact, SOON)
    job.status(SOON)


@pytest.fixture(autouse=True)
def no_process_left(bench):
    """A stopped process hears of no end."""
    yield
    for program in ("dsm-serve", "dsmUnfinished"):
        for process in processes(program, bench.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_mpi_host_stopped(bench, transport):
    """Nobody waits for it in MPI_Win_flush; and when it goes on, the server does, too."""
    job = _writing(bench, transport, DSM_PEER_TIMEOUT=60, DSM_TEST_STAY=1)
    victim = _host(bench, 1)
    begin = time.monotonic()
    os.kill(victim, signal.SIGSTOP)
    try:
        _wait_for_word_of_the_host(bench, job)
        # From the last answer on, which a busy machine may have had a while before.
        assert LIMIT / 2 < time.monotonic() - begin < SOON
        _kept(bench)
    finally:
        os.kill(victim, signal.SIGCONT)
    if LOST[0] in job.text:  # else the last resort ended the simulation, and its launcher the job
        _said(job, "host 1 of 2", "DSM_TIMEOUT")
        _next_simulation_connects(bench, job, 2)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_mpi_simulation_ends(bench, transport):
    """With a host that is stopped for good: MPI_Finalize has a limit, too. (A rank that ends by the
    last resort takes the others along, by the launcher.)"""
    job = _writing(bench, transport, keep=False, DSM_PEER_TIMEOUT=60)
    victim = _host(bench, 1)
    os.kill(victim, signal.SIGSTOP)
    try:
        _wait_for_word_of_the_host(bench, job)
        wait_until_gone("dsmUnfinished", bench.folder, SOON)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGCONT)
    _kept(bench)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_mpi_host_killed(bench, transport):
    """The launcher is told to keep the others: the write fails with a message, what was saved is
    whole, and the server says why it takes no more."""
    job = _writing(bench, transport, DSM_TEST_STAY=1)
    begin = time.monotonic()
    os.kill(_host(bench, 1), signal.SIGKILL)
    job.wait_to_say("its memory cannot be reached", SOON)
    job.wait_to_say("H5Fclose will fail", SOON)
    (bench.folder / "sim.enough").touch()
    job.wait_to_say("staying", SOON)
    assert time.monotonic() - begin < SOON
    _kept(bench)
    _next_is_refused(bench, "has lost a host", "restart ParaView's side")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_mpi_writer_killed(bench, transport):
    """The launcher is told to keep the others: the image is discarded, the next simulation welcome."""
    job = _writing(bench, transport)
    for process in processes("dsmUnfinished", bench.folder):
        os.kill(process, signal.SIGKILL)
    job.wait_to_say("discarded", SOON)
    _said(job, "sim.2.h5")
    _kept(bench)
    _next_simulation_connects(bench, job, 2)
    _hosts_end(bench, job)


@pytest.mark.parametrize("side", ["host", "writer"])
def test_mpi_launcher_ends_all(bench, side):
    """As launchers are set up: one process that dies takes the whole job along, the other side too.
    What was saved before is whole."""
    job = _writing(bench, "mpi-rma", keep=False)
    os.kill(_host(bench, 1) if side == "host" else processes("dsmUnfinished", bench.folder)[0], signal.SIGKILL)
    job.status(SOON)
    for program in ("dsm-serve", "dsmUnfinished"):
        wait_until_gone(program, bench.folder, SOON)
    _kept(bench)


def test_mpi_host_stopped_before_joining(bench):
    """The blocking part of joining begins only when all have shown that they are there. The memory is there from
    Start on: else a host that stops too early is one to wait for before anybody joins."""
    job = _one_job(bench, "late", "mpi-rma", DSM_PEER_TIMEOUT=60, DSM_TEST_STAY=1, DSM_LENDING="pinned")
    job.wait_to_say("ready")
    job.wait_to_say("late")
    victim = _host(bench, 1)
    os.kill(victim, signal.SIGSTOP)
    begin = time.monotonic()
    try:
        (bench.folder / "sim.go").touch()
        job.wait_to_say("H5Fcreate failed", SOON)
        assert time.monotonic() - begin < SOON
        _said(job, "all of both sides to join", "is missing")
        job.wait_to_say("or another host is stopped", SOON)
    finally:
        os.kill(victim, signal.SIGCONT)
    _next_simulation_connects(bench, job, 1)


@pytest.mark.parametrize("side", ["hosts", "simulation"])
def test_mpi_dies_while_joining(bench, side):
    """Between the last sign of life and the end of the blocking call: the last resort. A simulation
    ends with a message; a server says that it cannot be joined over MPI any more, and goes on."""
    job = _one_job(bench, "wait", "mpi-rma", preload={side: {
        "LD_PRELOAD": os.environ["DSM_TEST_INSIDE"], "DSM_TEST_SIGNAL": int(signal.SIGSTOP)}})
    job.wait_to_say("inside", SOON)
    if side == "hosts":
        job.wait_to_say("MPI cannot give up such a call, so this process ends", SOON)
        wait_until_gone("dsmUnfinished", bench.folder, SOON)
        return
    job.wait_to_say("no other simulation can join over MPI", SOON)
    _next_simulation_connects(bench, job, 1)
    if OPENMPI:  # MPICH's launcher has a stopped process to wait for
        for process in processes("dsmUnfinished", bench.folder):
            os.kill(process, signal.SIGKILL)
        _hosts_end(bench, job)


def test_mpi_other_version(bench):
    """Two versions of our library in one MPI job: told at hello, before anybody joins anybody."""
    job = _one_job(bench, "late", "mpi-rma", couple=False, DSM_TEST_STAY=1, preload={"simulation": {
        "DSM_CONTACT": bench.contact, "LD_PRELOAD": os.environ["DSM_TEST_OLDER"]}})
    job.wait_to_say("ready")
    (bench.folder / "sim.go").touch()
    job.wait_to_say("H5Fcreate failed", SOON)
    _said(job, "speaks version", "use the same release of ParaView DSM on both sides")
    _next_simulation_connects(bench, job, 1)

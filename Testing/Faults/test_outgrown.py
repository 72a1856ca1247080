# SPDX-License-Identifier: BSD-3-Clause
"""Files that grow beyond the hosts' memory, and are on disk as well: what memory has no room for goes on on disk, and
nobody else notices. The simulation goes on, who reads it sees each flush, and the folder ends up as without us."""

import os
import signal

import pytest

from conftest import BIN, MPI_THREADS, MPIEXEC, Obedient
from peers import processes
from processes import environ
from test_also_on_disk import obey, serve, stop, until, whole
from test_faults import mounted
from test_rescue import folder_is_away, rescued

FABRIC = {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off"}
NO_FABRIC = pytest.mark.skipif(os.environ.get("DSM_TEST_FABRIC") != "1", reason="built without libfabric")
STEPS = 50
STEP = ("write 655", "flush")  # by two ranks: 64 MiB in all
FILE = ["begin", *STEP * STEPS, "close"]
MEMORY = "8 MiB"


def grow(bench, *options, folder=None, ranks=2, **environment):
    """An obedient simulation that shows its flushes."""
    job = Obedient([BIN / "dsm-run", "--contact", bench.contact, "--timeout", 5, "--publish", "flush", *options,
                    *MPIEXEC, "-n", ranks, BIN / "dsmObedient", "parallel", (folder or bench.folder) / "sim"],
                   environ(**environment), talk=True)
    bench.jobs.append(job)
    job.wait_for_line("listening")
    return job


def outgrown(bench, hosts, *options, rule="all"):
    return serve(bench, rule, "--until-disconnect", *options, hosts=hosts, memory=MEMORY)


def require_sets(bench, name, sets):
    """A file on disk opens without us, and has so many datasets, with the values that were written."""
    reader = Obedient([*MPIEXEC, "-n", 1, BIN / "dsmObedient", "parallel", name], environ(), talk=True)
    bench.jobs.append(reader)
    for command in ("open 1", f"check {sets}", "shut"):
        reader.does(command)
    assert reader.ends() == 0, reader.text


def kill(program, mark):
    for process in processes(program, mark):
        os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize(("hosts", "strategy"), [(1, "block cyclic"), (2, "contiguous")])
def test_followed_live(bench, hosts, strategy):
    """64 MiB through 8 or 16: another program reads each flush, all of it, and the disk has it in the end."""
    alone = bench.written_alone(*FILE, ranks=2)
    host = outgrown(bench, hosts, "--strategy", strategy)
    job = grow(bench)
    reader = grow(bench, "--read", "next", ranks=1)
    job.does("begin")
    for step in range(1, STEPS + 1):
        for command in STEP:
            job.does(command)
        for command in ("open 1", f"check {step}", "shut"):
            reader.does(command)
    job.does("close")
    assert job.ends() == 0, job.text
    assert reader.ends() == 0, reader.text
    assert host.status() == 0, host.text
    assert whole(bench.folder) == (alone, [])


@pytest.mark.parametrize(("hosts", "strategy", "files", "environment"), [
    (1, "contiguous", 2, {}), (3, "random block", 1, {}), (4, "mask", 1, {}),
    pytest.param(2, "block cyclic", 1, FABRIC, marks=NO_FABRIC)])
def test_folder_is_as_without_us(bench, hosts, strategy, files, environment):
    """Byte by byte, also of a second file that comes where the first was."""
    alone = bench.written_alone(*FILE * files, ranks=2)
    host = outgrown(bench, hosts, "--strategy", strategy)
    job = grow(bench, **environment)
    for command in FILE * files:
        job.does(command)
    assert job.ends() == 0, job.text
    assert host.status() == 0, host.text
    assert whole(bench.folder) == (alone, [])


@pytest.mark.parametrize("hosts", [[], ["--no-node-memory"]], ids=["hosts on a node", "hosts apart"])
@pytest.mark.parametrize("transport", ["mpi-rma", "mpi-messages"])
def test_over_mpi(bench, transport, hosts):
    """By ranks that do not map the hosts' memory, and hosts that do not map each other's. What was written is read
    back, and the folder is as without us."""
    commands = [*FILE, "open 1", f"check {STEPS}", "shut"]
    alone = bench.written_alone(*commands, ranks=2)
    orders = bench.folder / "orders"
    orders.write_text("".join(f"{command}\n" for command in commands))
    host = [BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", MEMORY, "--also-on-disk", "all",
            "--transport", transport, *hosts, "--until-disconnect", "--limit", 60]
    simulation = ["env", "DSM_NODE_MEMORY=off", "sh", "-c", f'exec "$0" "$@" <{orders}', BIN / "dsm-run", "--contact",
                  bench.contact, "--wait", 30, "--publish", "flush", BIN / "dsmObedient", "parallel",
                  bench.folder / "sim"]
    job = bench.one_job(2, host, 2, simulation, DSM_WITHOUT_SERVER="fail", **MPI_THREADS)
    assert job.status() == 0, job.text
    assert whole(bench.folder) == (alone, [])


@pytest.mark.parametrize(("ranks", "hosts", "settled"), [(1, 1, True), (2, 2, False)], ids=["in place", "on a copy"])
def test_opened_again(bench, ranks, hosts, settled):
    """What outgrew the memory is opened again and written further, and grows on; also while it is on its way to disk,
    so that it goes on on a copy."""
    more = ["again 1", *STEP * 10, "close", "again 1", "write 655", "close"]
    alone = bench.written_alone(*FILE, *more, ranks=ranks)
    host = outgrown(bench, hosts)
    job = grow(bench, ranks=ranks)
    for command in FILE:
        job.does(command)
    if settled:
        until(lambda: len(whole(bench.folder)[0]) == 1, "the file")
    for command in more:
        job.does(command)
    for command in ("open 1", f"check {STEPS + 11}", "shut"):
        job.does(command)
    assert job.ends() == 0, job.text
    assert host.status() == 0, host.text
    assert whole(bench.folder) == (alone, [])


def test_rule_names_a_stream(bench):
    """A file may outgrow the memory if it is to be on disk as well, however the rule says so."""
    alone = bench.written_alone(*FILE, ranks=2)
    host = outgrown(bench, 1, rule="sim.#.h5")
    job = grow(bench)
    for command in FILE:
        job.does(command)
    assert job.ends() == 0, job.text
    assert host.status() == 0, host.text
    assert whole(bench.folder) == (alone, [])


def test_small_memory_is_said_where_nothing_is_kept(bench):
    """Files that are in memory only cannot outgrow it, as ever."""
    host = serve(bench, "none", hosts=1, memory=MEMORY)
    job = obey(bench, bench.folder / "sim", ranks=1)
    job.does("begin")
    job.fails("write 20000")
    job.tell("close")
    assert job.ends() == 4
    assert "the hosts' memory has room for" in job.text, job.text
    job = obey(bench, bench.folder / "sim", ranks=1)
    job.does("file")
    assert job.ends() == 0, job.text
    assert stop(host) == 0, host.text


def test_disk_is_full(bench):
    """The writer is told once what is full, its file fails, and the next one is as ever."""
    folder = bench.folder / "small"
    with mounted(folder, "12m"):
        host = serve(bench, "all", hosts=1, memory=MEMORY)
        job = grow(bench, "--without-server", "fail", folder=folder, ranks=1)
        job.does("begin")
        job.fails("write 60000")
        job.fails("close")
        assert f"the disk of {folder} has no room for" in job.text, job.text
        job.does("file")
        until(lambda: "sim.2.h5" in whole(folder)[0], "the file after that")
        assert job.ends() == 4
        assert stop(host) == 0, host.text


def test_hosts_are_killed(bench):
    """The simulation has what it wrote, in memory and on disk, and leaves the whole file."""
    alone = bench.written_alone(*FILE, ranks=2)
    host = outgrown(bench, 1)
    job = grow(bench)
    for number, command in enumerate(FILE):
        job.does(command)
        if number == STEPS:
            kill("dsm-serve", bench.contact)
    assert job.ends() == 0, job.text
    host.status()
    assert whole(bench.folder) == (alone, [])


def test_simulation_is_killed(bench):
    """What its last flush has shown is on disk in the end, and opens."""
    host = outgrown(bench, 1)
    job = grow(bench)
    job.does("begin")
    for _ in range(STEPS // 2):
        for command in STEP:
            job.does(command)
    job.does("write 655")
    kill("dsmObedient", bench.folder / "sim")
    job.status()
    assert host.status() == 0, host.text
    require_sets(bench, bench.folder / "sim", STEPS // 2)


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_hosts_are_killed_before_they_have_saved(bench, closed):
    """Hosts that are to save what comes as well (--save), and cannot. What outgrew the memory is saved by dsm-rescue:
    all that was written, or what the last flush has shown, though the simulation is killed, too."""
    steps = STEPS if closed else STEPS // 2
    host = outgrown(bench, 2, "--save", bench.saved)
    job = grow(bench)
    with folder_is_away(bench):
        job.does("begin")
        for command in STEP * steps:
            job.does(command)
        job.does("close" if closed else "write 655")
        host.wait_to_say("sim.1.h5) is not saved")
        kill("dsm-serve", bench.contact)
        kill("dsmObedient", bench.folder / "sim")
        host.status()
        job.status()
    assert set(rescued(bench)) == {"sim.1.h5"}
    require_sets(bench, bench.saved / "sim", steps)

# SPDX-License-Identifier: BSD-3-Clause
"""Files that grow beyond the hosts' memory, and are on disk as well: what memory has no room for goes on on disk, and
nobody else notices. The simulation goes on, who reads it sees each flush, and the folder ends up as without us."""

import os
import signal

import pytest

from conftest import BIN, MPIEXEC, Obedient
from peers import processes
from processes import environ
from test_also_on_disk import obey, serve, stop, until, whole
from test_faults import mounted

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


def outgrown(bench, hosts, *options):
    return serve(bench, "all", "--until-disconnect", *options, hosts=hosts, memory=MEMORY)


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
            for process in processes("dsm-serve", bench.contact):
                os.kill(process, signal.SIGKILL)
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
    for process in processes("dsmObedient", bench.folder / "sim"):
        os.kill(process, signal.SIGKILL)
    job.status()
    assert host.status() == 0, host.text
    reader = Obedient([*MPIEXEC, "-n", 1, BIN / "dsmObedient", "parallel", bench.folder / "sim"], environ(), talk=True)
    bench.jobs.append(reader)
    reader.does("open 1")
    reader.does(f"check {STEPS // 2}")
    assert reader.ends() == 0, reader.text

# SPDX-License-Identifier: BSD-3-Clause
"""Files that are on disk as well (dsm-serve --also-on-disk): a folder ends up as it would have without us, whatever
happens in between, and never has half a file in it."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from conftest import BIN, MPI_THREADS, MPIEXEC, Obedient
from peers import signal_all
from processes import LIMIT, environ, on_disk
from test_faults import mounted

WALK = pathlib.Path(__file__).with_name("walk.py")
H5PY = pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")


def serve(bench, rule, *options, hosts=2, memory="16 MiB"):
    # A launcher that is told to end gives a status of its own.
    launcher = [*MPIEXEC, "-n", hosts] if hosts > 1 else []
    host = bench.start(*launcher, BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host",
                       memory, "--also-on-disk", rule, "--limit", LIMIT, *options)
    host.wait_for_line("ready")
    return host


def obey(bench, name, ranks=2):
    """An obedient simulation that writes `name`.1.h5 and so on."""
    job = Obedient([BIN / "dsm-run", "--contact", bench.contact, "--timeout", 5, *MPIEXEC, "-n", ranks,
                    BIN / "dsmObedient", "parallel", name], environ(), talk=True)
    bench.jobs.append(job)
    job.wait_for_line("listening")
    return job


def whole(folder):
    """The files there that are whole, by their names; and the names of what else is there."""
    there = list(folder.glob("sim*"))
    files = {file.name: file.read_bytes() for file in there if on_disk(file)}
    return files, sorted(file.name for file in there if file.name not in files)


def until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"waited {LIMIT} s for {what}"
        time.sleep(0.02)


def stop(host):
    """Ends hosts; their status, and what they have said."""
    host.process.send_signal(signal.SIGTERM)
    return host.status()


COMMANDS = ("begin", "write 40", "write 3", "close", "file", "file", "begin", "write 700", "close", "file")


@pytest.mark.parametrize("hosts", [1, 3])
def test_folder_is_as_without_us(bench, hosts):
    """All files, byte by byte, and nothing else, of a simulation of two ranks."""
    alone = bench.written_alone(*COMMANDS, ranks=2)
    host = serve(bench, "all", "--until-disconnect", "--strategy", "random block", "--block-size", "16 KiB",
                 hosts=hosts)
    job = obey(bench, bench.folder / "sim")
    for command in COMMANDS:
        job.does(command)
    assert job.ends() == 0, job.text
    assert host.status() == 0, host.text
    assert whole(bench.folder) == (alone, [])
    assert host.text.count("snapshot ") == len(alone)


@pytest.mark.parametrize("transport", ["mpi-rma", "mpi-messages"])
def test_hosts_that_only_mpi_reaches(bench, transport):
    """No host can read another's memory, so each writes what it has: of small files and large ones, of what flushes
    have shown of an open one, and what is archived."""
    commands = [*COMMANDS, "begin", "write 700", "flush", "write 300", "flush", "alone 4 100", "close", "open 6",
                "check 3", "shut"]
    alone = bench.written_alone(*commands, ranks=2)
    orders = bench.folder / "orders"
    os.mkfifo(orders)
    host = [BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "16 MiB", "--block-size", "16 KiB",
            "--transport", transport, "--no-node-memory", "--also-on-disk", "all", "--until-disconnect", "--limit",
            LIMIT]
    simulation = ["env", "DSM_NODE_MEMORY=off", "sh", "-c", f'exec "$0" "$@" <{orders}', BIN / "dsm-run", "--contact",
                  bench.contact, "--wait", 30, "--publish", "flush", BIN / "dsmObedient", "parallel",
                  bench.folder / "sim"]
    job = bench.one_job(2, host, 2, simulation, DSM_WITHOUT_SERVER="fail", **MPI_THREADS)
    with open(os.open(orders, os.O_RDWR), "w", buffering=1) as told:  # which does not wait for who reads
        for number, command in enumerate(commands):
            told.write(f"{command}\n")
            done = sum(each == command for each in commands[:number + 1])
            job.wait_until(lambda command=command, done=done: job.text.count(f"did {command}: ok") == done, command)
            if command == "flush":
                until(lambda: "sim.6.h5" in whole(bench.folder)[0], "what the flush has shown")
        to = bench.folder / "archived.h5"
        subprocess.run([str(BIN / "dsm-archive"), "--contact", str(bench.contact), "--file", "*sim.4.h5", "--to",
                        str(to)], check=True, timeout=LIMIT, env=environ())
        assert to.read_bytes() == alone["sim.4.h5"]
    assert job.status() == 0, job.text
    assert "is not on disk" not in job.text, job.text
    assert whole(bench.folder) == (alone, [])


@pytest.mark.parametrize(("rule", "kept"), [("every 2", "13"), ("*.2.h5:sim.4*", "24"), ("none", "")])
def test_rules(bench, rule, kept):
    """What is not to be there is in memory only, as ever."""
    host = serve(bench, rule, hosts=1)
    job = obey(bench, bench.folder / "sim")
    for _ in range(4):
        job.does("file")
    files = {f"sim.{number}.h5" for number in kept}
    until(lambda: set(whole(bench.folder)[0]) == files, f"the files {files}")
    job.does("read 1")
    assert job.ends() == 0, job.text
    assert stop(host) == 0, host.text
    assert set(whole(bench.folder)[0]) == files


def test_memory_is_full(bench):
    """What is not on disk yet is not dropped: many times what fits the memory, as fast as it goes."""
    host = serve(bench, "all", "--until-disconnect", "--maximum-snapshots", 2, hosts=1)
    commands = ["begin", "write 2500", "close"] * 12
    alone = bench.written_alone(*commands, ranks=2)
    job = obey(bench, bench.folder / "sim")
    for command in commands:
        job.does(command)
    assert job.ends() == 0, job.text
    assert host.status() == 0, host.text
    assert whole(bench.folder) == (alone, [])


def test_disk_is_full(bench):
    """It is said once, the simulation goes on, and the files are written when there is room; one that had to leave the
    memory before is said to be lost."""
    folder = bench.folder / "small"
    folder.mkdir()
    with mounted(folder, "200k"):
        host = serve(bench, "all", "--maximum-snapshots", 4, hosts=1)
        job = obey(bench, folder / "sim")
        for command in ("begin", "write 300", "close") * 6:
            job.does(command)
        host.wait_to_say("is not on disk, and stays in memory as long as there is room")
        host.wait_to_say("sim.1.h5) had to leave the memory and is not on disk")
        assert whole(folder)[0] == {}
        subprocess.run(["mount", "-o", "remount,size=8m", str(folder)], check=True, timeout=LIMIT)
        until(lambda: {"sim.4.h5", "sim.5.h5", "sim.6.h5"} <= set(whole(folder)[0]), "the files")
        job.does("file")
        until(lambda: "sim.7.h5" in whole(folder)[0], "the file after them")
        assert job.ends() == 0, job.text
        assert stop(host) == 0, host.text
        assert host.text.count("stays in memory") == 1, host.text
        assert re.search(r"it needs .*, and .* are free there: No space left", host.text), host.text
        assert not list(folder.glob("*.part*"))


def test_disk_stays_full(bench):
    """At the end it is said what is lost, and the hosts' status tells it."""
    folder = bench.folder / "small"
    folder.mkdir()
    with mounted(folder, "100k"):
        host = serve(bench, "all", "--until-disconnect", hosts=1)
        job = obey(bench, folder / "sim")
        for command in ("begin", "write 300", "close", "file"):
            job.does(command)
        assert job.ends() == 0, job.text
        assert host.status() == 1, host.text
        assert re.search(r"sim\.1\.h5\) is lost, since it is not on disk: .*No space left", host.text), host.text
        assert set(whole(folder)[0]) == {"sim.2.h5"}


def test_folder_is_gone(bench):
    """It says what it needs to see."""
    folder = bench.folder / "out"
    folder.mkdir()
    host = serve(bench, "all", hosts=1)
    job = obey(bench, folder / "sim")
    for command in ("begin", "write 4"):
        job.does(command)
    shutil.rmtree(folder)
    job.does("close")
    host.wait_to_say("must see the file system that the simulation writes to")
    folder.mkdir()
    job.does("file")
    until(lambda: set(whole(folder)[0]) == {"sim.2.h5"}, "the file after that")
    assert job.ends() == 0, job.text
    assert stop(host) == 0, host.text


def test_hosts_are_killed(bench):
    """Whenever that is, each name has a whole file or says that it is none; and the simulation goes on."""
    commands = ["begin", "write 3000", "close"]
    alone = bench.written_alone(*commands * 3, ranks=2)
    for after in (0, 0.002, 0.005, 0.01, 0.02, 0.05):
        folder = bench.folder / f"run{after}"
        folder.mkdir()
        host = serve(bench, "all", hosts=1)
        job = obey(bench, folder / "sim")
        for command in commands * 2:
            job.does(command)
        time.sleep(after)
        signal_all("dsm-serve", bench.contact, signal.SIGKILL)
        for command in commands:
            job.does(command)
        assert job.ends() == 0, job.text
        host.status()
        files, names = whole(folder)
        for name, content in files.items():
            assert content == alone[name], name
        # A placeholder, which says what it is.
        for name in names:
            assert b"paraview-dsm-placeholder" in (folder / name).read_bytes()[:16384], name
        assert files["sim.3.h5"] == alone["sim.3.h5"]
        assert {*files, *names} == set(alone)
        # Who is left says it.
        lost = "closed before and not on disk yet" in job.text
        assert lost == bool(names), job.text
        assert all(str(folder / name) in job.text for name in names), job.text


@H5PY
@pytest.mark.parametrize("seed", range(int(os.environ.get("DSM_TEST_WALKS", "2"))))
def test_any_program(bench, seed):
    """Files are created, created again, appended to, renamed, removed and read in any order, each before or after it
    is on disk: the program sees what it has written, and its folder is at the end as without us."""
    host = serve(bench, "all", "--until-disconnect", hosts=1 + seed % 3)
    words = [sys.executable, WALK]
    alone = subprocess.run([*words, bench.folder / "alone", str(seed), "0"], capture_output=True, text=True,
                           timeout=LIMIT, check=False)
    assert alone.returncode == 0, alone.stderr
    job = bench.start(BIN / "dsm-run", "--contact", bench.contact, *words, bench.folder / "coupled", seed, 0.1)
    assert job.status() == 0, job.text
    assert host.status() == 0, host.text
    files = {file.name for file in (bench.folder / "alone").iterdir()}
    assert {file.name for file in (bench.folder / "coupled").iterdir()} == files
    for name in files:
        compared = subprocess.run(["h5diff", bench.folder / "alone" / name, bench.folder / "coupled" / name],
                                  capture_output=True, text=True, timeout=LIMIT, check=False)
        assert compared.returncode == 0, name + compared.stdout + compared.stderr


@H5PY
@pytest.mark.parametrize("rule", ["all", "every 2"])
def test_readers_get_the_newest_state(bench, rule):
    """A program that only reads, and has not spoken to the server: from memory, as long as that is not on disk. And at
    the end it is on disk, whatever the rule says."""
    host = serve(bench, rule, hosts=1, memory="64 MiB")
    name = bench.folder / "sim.h5"
    coupled = [str(BIN / "dsm-run"), "--contact", str(bench.contact)]
    write = "import h5py, sys; f = h5py.File(sys.argv[1], 'w'); f['v'] = int(sys.argv[2]); f.close()"

    def python(*words):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=LIMIT, check=False,
                              env=environ())
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    read = "import h5py, sys; print(h5py.File(sys.argv[1], 'r')['v'][()])"
    python(*coupled, "python3", "-c", write, name, 1)
    until(lambda: on_disk(name), "the first state on disk")
    for value in (2, 3, 4):
        python(*coupled, "python3", "-c", write, name, value)
        assert python(*coupled, "python3", "-c", read, name) == f"{value}\n"
    assert stop(host) == 0, host.text
    assert python("python3", "-c", read, name) == "4\n"


@H5PY
@pytest.mark.parametrize("rule", ["all", "every 2"])
def test_full_disk_shows_no_older_state(bench, rule):
    """The older state of a file is on disk, and the newer one does not fit there. Programs read the newer one as long
    as the hosts are there; afterwards nobody gets the older one for it."""
    folder = bench.folder / "small"
    folder.mkdir()
    name = folder / "sim.h5"
    coupled = [str(BIN / "dsm-run"), "--contact", str(bench.contact)]
    write = ("import h5py, numpy, sys; f = h5py.File(sys.argv[1], 'w'); f['v'] = int(sys.argv[2]);"
             "f['x'] = numpy.full(int(sys.argv[3]), 1.5); f.close()")
    read = "import h5py, sys; print(h5py.File(sys.argv[1], 'r')['v'][()])"

    def python(*words):
        return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=LIMIT, check=False,
                              env=environ())

    with mounted(folder, "200k"):
        host = serve(bench, rule, hosts=1)
        assert python(*coupled, "python3", "-c", write, name, 1, 10).returncode == 0
        until(lambda: on_disk(name), "the first state on disk")
        done = python(*coupled, "python3", "-c", write, name, 2, 100000)
        assert done.returncode == 0, done
        for _ in range(3):
            assert python(*coupled, "python3", "-c", read, name).stdout == "2\n"
        assert stop(host) == 1, host.text
        assert re.search(r"sim\.h5\) is lost, since it is not on disk: .*No space left", host.text), host.text
        # Without us, and behind dsm-run, which finds no server.
        outcomes = [python(*before, "python3", "-c", read, name) for before in ([], coupled)]
        for done in outcomes:
            assert done.returncode != 0 and done.stdout == "", outcomes
        assert re.search("in memory|not on disk|is lost", outcomes[1].stderr), outcomes
        assert python("python3", "-c", read, f"{name}.older").stdout == "1\n"

# SPDX-License-Identifier: BSD-3-Clause
"""Simulations that are killed and go on from their newest checkpoint, bit by bit as if nothing had been: from memory,
or from an archive when the hosts have ended as well."""

import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import BIN, MPIEXEC
from peers import processes
from processes import LIMIT, environ, on_disk

EVERY = 50
STEPS = 1500


def gray_scott(output, *options):
    return [BIN / "gray_scott", "--size", 48, "--steps", STEPS, "--every", EVERY, "--output", output, *options]


def run(*command):
    done = subprocess.run([str(word) for word in command], env=environ(), capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def archive(bench, *options):
    return run(BIN / "dsm-archive", "--contact", bench.contact, *options)


def in_memory(bench):
    """Gray-Scott's files there."""
    return sorted(set(re.findall(r"gray_scott\.\d+\.vtkhdf", archive(bench, "--list"))))


def host(bench, ranks, *options):
    """Hosts that save nothing by themselves."""
    job = bench.start(*MPIEXEC, "-n", ranks, BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host",
                      "16 MiB", "--limit", LIMIT, *options)
    job.wait_for_line("ready")
    return job


def end(job):
    """What it has in memory is gone."""
    job.process.send_signal(signal.SIGTERM)
    job.status()


@pytest.fixture(scope="module")
def gray_scott_alone(tmp_path_factory):
    """The files of a run that nobody has killed."""
    folder = tmp_path_factory.mktemp("gray_scott")
    run(*MPIEXEC, "-n", 2, *gray_scott(folder))
    return sorted(folder.iterdir())


def kill_all(program, mark):
    """Without a word, as a node that fails."""
    found = processes(program, mark)
    assert found
    for process in found:
        os.kill(process, signal.SIGKILL)


def test_gray_scott(bench, gray_scott_alone):
    """Killed after some outputs, in whatever it does. Others fill the ring meanwhile. Then another number of ranks goes
    on from what is left, and all files are as those of a run that nobody has killed."""
    output = bench.folder / "output"
    bench.serve("--maximum-snapshots", 3, "--when-full", "block", "--checkpoints", "*.vtkhdf")
    killed = bench.start(BIN / "dsm-run", "--contact", bench.contact, *MPIEXEC, "-n", 3, *gray_scott(output))
    killed.wait_for_line(f"step {4 * EVERY:6}")
    kill_all("gray_scott", output)
    assert killed.status() != 0
    newest = in_memory(bench)[-1]
    other = bench.obey(ranks=1)
    for _ in range(5):
        other.does("file")
    assert other.ends() == 0, other.text
    assert in_memory(bench) == [newest]
    again = run(BIN / "dsm-run", "--contact", bench.contact, *MPIEXEC, "-n", 2,
                *gray_scott(output, "--restart", output / newest))
    assert f"wrote {output / newest}" not in again
    saved = bench.saved / output.name
    assert [path.name for path in sorted(saved.glob("*.vtkhdf"))] == [path.name for path in gray_scott_alone]
    for path in gray_scott_alone:
        run("h5diff", path, saved / path.name)


def test_gray_scott_from_archive(bench, gray_scott_alone):
    """Its hosts end, too. Other hosts get the newest checkpoint from disk, under the name that the simulation opens."""
    output, kept = bench.folder / "output", bench.folder / "kept"
    hosts = host(bench, 2, "--maximum-snapshots", 3)
    archive(bench, "--before-eviction", "*.vtkhdf", "--to", kept, "--form", "subfiles")
    killed = bench.start(BIN / "dsm-run", "--contact", bench.contact, *MPIEXEC, "-n", 3, *gray_scott(output))
    killed.wait_for_line(f"step {4 * EVERY:6}")
    kill_all("gray_scott", output)
    assert killed.status() != 0
    newest = in_memory(bench)[-1]
    hosts.wait_until((kept / newest).exists, f"{newest} in the archive")
    end(hosts)
    assert not on_disk(output / newest)
    hosts = host(bench, 3, "--strategy", "random block", "--block-size", "64 KiB")
    archive(bench, "--each", "all", "--to", bench.saved)
    archive(bench, "--restore", kept / newest, "--as", output / newest)
    again = run(BIN / "dsm-run", "--contact", bench.contact, *MPIEXEC, "-n", 2,
                *gray_scott(output, "--restart", output / newest))
    assert f"wrote {output / newest}" not in again
    expected = [path for path in gray_scott_alone if path.name >= newest]
    assert len(expected) > 1
    hosts.wait_until((bench.saved / expected[-1].name).exists, "last file in the archive")
    assert [path.name for path in sorted(bench.saved.glob("*.vtkhdf"))] == [path.name for path in expected]
    for path in expected:
        run("h5diff", path, bench.saved / path.name)


NEEDS_MEEP = pytest.mark.skipif(importlib.util.find_spec("meep") is None or os.environ["DSM_TEST_FLAVOUR"] != "openmpi",
                                reason="Meep, which Debian has for Open MPI, is not here")


class Meep:
    """A code that nobody here has written, and whose checkpoints are two files under the same names each time."""

    PROGRAM = (*MPIEXEC, "-n", 2, sys.executable, pathlib.Path(__file__).with_name("meep_checkpoints.py"))

    def __init__(self, bench, alone):
        self.bench = bench
        self.state = bench.folder / "state"
        self.state.mkdir()
        self.expected = alone
        self.coupled = [BIN / "dsm-run", "--contact", bench.contact, *self.PROGRAM, self.state]

    @staticmethod
    def fields(said):
        return re.search("fields ([0-9a-f]{64})", said)[1]

    def is_killed(self):
        """After some checkpoints, in whatever it does."""
        killed = self.bench.start(*self.coupled)
        killed.wait_for_line("dumped 30")
        kill_all(pathlib.Path(sys.executable).name, self.state)
        assert killed.status() != 0

    def goes_on(self):
        again = run(*self.coupled, "load")
        assert "dumped 30" not in again
        assert self.fields(again) == self.expected


@pytest.fixture(scope="module")
def meep_alone(tmp_path_factory):
    """What a run has that nobody has killed."""
    return Meep.fields(run(*Meep.PROGRAM, tmp_path_factory.mktemp("meep")))


@NEEDS_MEEP
def test_meep(bench, meep_alone):
    """From memory, where others fill the ring meanwhile."""
    meep = Meep(bench, meep_alone)
    bench.serve("--maximum-snapshots", 4, "--checkpoints", f"{meep.state}/*")
    meep.is_killed()
    other = bench.obey(ranks=1)
    for _ in range(5):
        other.does("file")
    assert other.ends() == 0, other.text
    meep.goes_on()


@NEEDS_MEEP
def test_meep_from_archive(bench, meep_alone):
    """The hosts end, too, and the folder with the names of what they had is gone."""
    meep = Meep(bench, meep_alone)
    hosts = host(bench, 2)
    meep.is_killed()
    kept = bench.folder / "kept"
    kept.mkdir()
    files = sorted(path.name for path in meep.state.iterdir())
    assert len(files) > 1
    for name in files:
        archive(bench, "--file", f"*/{name}", "--to", kept)
    end(hosts)
    shutil.rmtree(meep.state)
    meep.state.mkdir()
    host(bench, 1)
    for name in files:
        archive(bench, "--restore", kept / name, "--as", meep.state / name)
    assert not any(map(on_disk, meep.state.iterdir()))
    meep.goes_on()

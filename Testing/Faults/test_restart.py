# SPDX-License-Identifier: BSD-3-Clause
"""Simulations that are killed and go on from their newest checkpoint in memory, bit by bit as if nothing had been."""

import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

from conftest import BIN, MPIEXEC
from peers import processes
from processes import LIMIT, environ

EVERY = 50
STEPS = 1500


def gray_scott(output, *options):
    return [BIN / "gray_scott", "--size", 48, "--steps", STEPS, "--every", EVERY, "--output", output, *options]


def run(*command):
    done = subprocess.run([str(word) for word in command], env=environ(), capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_memory(bench):
    """Gray-Scott's files there."""
    listed = run(BIN / "dsm-archive", "--contact", bench.contact, "--list")
    return sorted(set(re.findall(r"gray_scott\.\d+\.vtkhdf", listed)))


def kill_all(program, mark):
    """Without a word, as a node that fails."""
    found = processes(program, mark)
    assert found
    for process in found:
        os.kill(process, signal.SIGKILL)


def test_gray_scott(bench):
    """Killed after some outputs, in whatever it does. Others fill the ring meanwhile. Then another number of ranks goes
    on from what is left, and all files are as those of a run that nobody has killed."""
    alone, output = bench.folder / "alone", bench.folder / "output"
    run(*MPIEXEC, "-n", 2, *gray_scott(alone))
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
    expected = sorted(alone.iterdir())
    assert [path.name for path in sorted(bench.saved.glob("*.vtkhdf"))] == [path.name for path in expected]
    for path in expected:
        run("h5diff", path, bench.saved / path.name)


@pytest.mark.skipif(importlib.util.find_spec("meep") is None or os.environ["DSM_TEST_FLAVOUR"] != "openmpi",
                    reason="Meep, which Debian has for Open MPI, is not here")
def test_meep(bench):
    """A code that nobody here has written, and whose checkpoints are two files under the same names each time."""
    program = [sys.executable, pathlib.Path(__file__).with_name("meep_checkpoints.py")]
    (alone := bench.folder / "alone").mkdir()
    (state := bench.folder / "state").mkdir()

    def fields(said):
        return re.search("fields ([0-9a-f]{64})", said)[1]

    expected = fields(run(*MPIEXEC, "-n", 2, *program, alone))
    bench.serve("--maximum-snapshots", 4, "--checkpoints", f"{state}/*")
    coupled = [BIN / "dsm-run", "--contact", bench.contact, *MPIEXEC, "-n", 2, *program, state]
    killed = bench.start(*coupled)
    killed.wait_for_line("dumped 30")
    kill_all(pathlib.Path(sys.executable).name, state)
    assert killed.status() != 0
    other = bench.obey(ranks=1)
    for _ in range(5):
        other.does("file")
    assert other.ends() == 0, other.text
    again = run(*coupled, "load")
    assert "dumped 30" not in again
    assert fields(again) == expected

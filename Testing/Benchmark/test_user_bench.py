# SPDX-License-Identifier: BSD-3-Clause
"""user_bench.py measures something in every way that it has; never how fast."""

import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent / "user_bench.py"


def measured(only):
    """Returns the tables of the cases that this selects."""
    done = subprocess.run(
        [sys.executable, BENCH, "--build", os.environ["DSM_TEST_BUILD"], "--rounds", "1", "--small-files", "3",
         "--only", only, "--no-sst", "--serve", "--memory-per-host", "64 MiB"],
        capture_output=True, text=True, timeout=120, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_way_is_measured():
    text = measured("1 MiB, back")
    rows = {line.split("|")[1].strip(): line.split("|")[2:] for line in text.splitlines() if "|" in line}
    for way in ("memcpy", "tmpfs", "core", "met", "DSM"):
        assert float(rows[way][0]) > 0, text


def test_small_files_are_counted():
    text = measured("each process its own")
    numbers = [float(line.split("|")[2]) for line in text.splitlines() if line.startswith(("| DSM", "| tmpfs"))]
    assert len(numbers) == 4 and min(numbers) > 0, text

# SPDX-License-Identifier: BSD-3-Clause
"""picture_bench.py measures every step from the file to the picture; never how fast."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent / "picture_bench.py"
pytestmark = pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="Debian's pvbatch has Open MPI")


def rows_of(first, *options):
    """Runs the benchmark with a small field, and returns the rows whose first cell is so, without it."""
    done = subprocess.run(
        [sys.executable, BENCH, "--build", os.environ["DSM_TEST_BUILD"], "--size", "24", "--snapshots", "3",
         "--interval", "0.2", *options],
        capture_output=True, text=True, timeout=240, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
    return [row[1:] for row in rows if row and row[0] == first]


def check_numbers(rows):
    assert [row[0] for row in rows] == ["median", "first file"], rows
    assert all(float(cell) >= 0 for row in rows for cell in row[1:]), rows


def test_every_step_is_measured():
    rows = rows_of("1", "--ways", "")
    check_numbers(rows)
    for row in rows:
        assert float(row[3]) > 0 and float(row[-1]) > 0, rows


def test_unknown_way_is_named():
    done = subprocess.run([sys.executable, BENCH, "--build", "build", "--ways", "smoke"], capture_output=True,
                          text=True, check=False)
    assert done.returncode != 0
    assert "unknown way smoke (available: window," in done.stderr

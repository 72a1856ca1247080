# SPDX-License-Identifier: BSD-3-Clause
"""picture_bench.py measures every step from the file to the picture; never how fast."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent / "picture_bench.py"


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="Debian's pvbatch has Open MPI")
def test_every_step_is_measured():
    done = subprocess.run(
        [sys.executable, BENCH, "--build", os.environ["DSM_TEST_BUILD"], "--size", "24", "--snapshots", "3",
         "--interval", "0.2"],
        capture_output=True, text=True, timeout=240, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("| 1 ")]
    assert [row[1].strip() for row in rows] == ["median", "first file"], done.stdout
    for row in rows:
        assert all(float(cell) >= 0 for cell in row[2:]), done.stdout
        assert float(row[4]) > 0 and float(row[-1]) > 0, done.stdout

# SPDX-License-Identifier: BSD-3-Clause
"""outgrow_bench.py: a file of 2 GiB, grown in 200 flushed steps through 256 MiB of memory, is followed live to its end
and is on disk what the program writes by itself. Never how fast."""

import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent / "outgrow_bench.py"


def test_two_gib_through_an_eighth(tmp_path):
    done = subprocess.run(
        [sys.executable, BENCH, "--build", os.environ["DSM_TEST_BUILD"], "--place", tmp_path, "--pause", "0"],
        capture_output=True, text=True, timeout=1500, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for way in ("fits", "outgrown"):
        assert f"{way}: on disk as by itself; a reader has seen" in done.stdout, done.stdout

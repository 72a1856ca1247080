# SPDX-License-Identifier: BSD-3-Clause
"""panel_bench.py does all that it has, and measures something; never how fast."""

import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent / "panel_bench.py"


def test_every_click_is_measured():
    done = subprocess.run(
        [sys.executable, BENCH, "--build", os.environ["DSM_TEST_BUILD"], "--size", "2", "--memory", "64 MiB",
         "--pause", "0.3"],
        capture_output=True, text=True, timeout=240, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split("|")[1].strip(): line.split("|")[2:] for line in done.stdout.splitlines() if "|" in line}
    for what in ("looking on", "page Settings", "Hold", "a row", "Pin", "a setting"):
        own, everything = map(float, rows[what][:2])
        assert 0 <= own <= everything and everything > 0, done.stdout

# SPDX-License-Identifier: BSD-3-Clause
"""append_bench.py: rows are appended in every way, and each is what it was; and no copy of the file is made for one,
since there is no memory for two. Never how fast."""

import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent / "append_bench.py"


def test_rows_are_appended_without_a_copy():
    done = subprocess.run(
        [sys.executable, BENCH, "--build", os.environ["DSM_TEST_BUILD"], "--begin", "16", "--row", "1024",
         "--appends", "20", "--memory", "48 MiB"],
        capture_output=True, text=True, timeout=200, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in done.stdout.splitlines() if "|" in line}
    for way in ("reopened, tmpfs", "reopened, `dsm-run`", "flushed, tmpfs", "flushed, `dsm-run`"):
        assert all(float(cell) > 0 for cell in rows[way]), done.stdout

# SPDX-License-Identifier: BSD-3-Clause
"""selection_bench.py: every way is measured and has its rows, and what is read is what was written; never how fast."""

import os
import subprocess
import sys
from pathlib import Path

import running
import selection_bench

BUILD = Path(os.environ["DSM_TEST_BUILD"])


def on_tmpfs():
    return set(Path("/dev/shm").glob("dsm-selection-*"))


def test_every_way_has_its_rows(tmp_path):
    before = on_tmpfs()
    table = tmp_path / "selections.csv"
    done = subprocess.run(
        [sys.executable, selection_bench.__file__, "--build", BUILD, "--ranks", "2", "--patterns", "thin",
         "--transports", "shared-memory,mpi-messages", "--modes", "auto", "--repeat", "1", "--scale", "16",
         "--head-start", "0", "--csv", table, "--plots", tmp_path],
        capture_output=True, text=True, timeout=200, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = running.rows(table)
    ways = [("tmpfs", "independent"), ("tmpfs", "collective"), ("shared-memory", "auto"), ("mpi-messages", "auto")]
    assert [(row["pattern"], row["active"], row["way"], row["mode"], row["direction"]) for row in rows] == [
        ("thin", active, *way, direction) for active in "21" for way in ways for direction in ("write", "read")]
    for row in rows:
        assert row["commit"] and float(row["milliseconds_median"]) > 0
        assert int(row["bytes"]) == 6 * 8 * (230_000 // 16)
        assert row["way"] != "tmpfs" or float(row[f"of_{row['mode']}"]) == 1
    assert {path.name for path in tmp_path.glob("*.png")} == {"selections_thin.png"}
    assert on_tmpfs() <= before, "something is left in /dev/shm"

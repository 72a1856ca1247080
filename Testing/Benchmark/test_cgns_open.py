# SPDX-License-Identifier: BSD-3-Clause
"""cgns_open.py: a real CGNS opens what it wrote, in every way, and one process reads for all where that is wanted;
never how fast."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cgns_open
import running

BUILD = Path(os.environ["DSM_TEST_BUILD"])
RANKS = 3


def run(tmp_path, *more, **environment):
    done = subprocess.run(
        [sys.executable, cgns_open.__file__, "--build", BUILD, "--bases", "4", "--zones", "4", "--repeat", "1",
         "--writers", str(RANKS), "--head-start", "0", "--csv", tmp_path / "found.csv", *more],
        capture_output=True, text=True, timeout=250, env={**os.environ, **environment}, check=False)
    if done.returncode == cgns_open.SKIPPED:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    return running.rows(tmp_path / "found.csv")


def test_every_way_has_its_row(tmp_path):
    before = set(Path("/dev/shm").glob("dsm-cgns-*"))
    rows = run(tmp_path, "--transports", "shared-memory,fabric/tcp")
    ways = [("tmpfs", way) for way in (cgns_open.EACH, cgns_open.METADATA)]
    ways += [(where, way) for where in ("shared-memory", "fabric/tcp") for way in cgns_open.WAYS]
    assert [(row["where"], row["way"]) for row in rows] == ways
    assert all(float(row["open_median"]) > 0 and row["commit"] for row in rows)
    assert set(Path("/dev/shm").glob("dsm-cgns-*")) <= before, "something is left in /dev/shm"


def read_by(trace, rank):
    """{mode: bytes from hosts} of a rank's collective reads of data, in all of its jobs."""
    found = {}
    for path in trace.glob(f"rank{rank}*.csv"):
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["operation"] == "read" and row["kind"] == "raw" and row["transfer"] == "collective":
                    came = sum(int(one.split(":")[1]) for one in row["hosts"].split())
                    found[row["mode"]] = found.get(row["mode"], 0) + came
    return found


def test_one_process_reads_for_all(tmp_path):
    trace = tmp_path / "trace"
    run(tmp_path, "--transports", "fabric/tcp", "--ways", cgns_open.ONE, DSM_TRACE=str(trace))
    assert read_by(trace, 0).get("single process", 0) > 0
    for rank in range(1, RANKS):
        assert read_by(trace, rank) == {"single process": 0}, "rank 0 alone reads for all"

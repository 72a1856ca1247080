# SPDX-License-Identifier: BSD-3-Clause
"""work_bench.py measures something in the ways that it has; never how much."""

import os
import subprocess
import sys

import pytest

import bench
import work_bench


@pytest.mark.parametrize(("kernel", "ways"), [
    ("compute", ["full ring", "archive", "tmpfs"]),
    ("memory", [work_bench.AGAIN, "new memory", "also on disk, one core"])])
def test_ways_are_measured(tmp_path, kernel, ways):
    done = subprocess.run(
        [sys.executable, work_bench.__file__, "--build", os.environ["DSM_TEST_BUILD"], "--kernels", kernel, "--ways",
         ";".join(ways), "--rounds", "1", "--writers", "2", "--seconds", "0.05", "--files", "2", "--size", "4",
         "--arrays", "6", "--idle", "0.5", "--head-start", "0.2", "--folder", tmp_path],
        capture_output=True, text=True, timeout=140, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = list(bench.BENCHMARKS["work"].results(done.stdout, ""))
    rows = {(row["way"], row["step"]): float(row["value"]) for row in found if row["case"] == f"{kernel}-bound"}
    assert {way for way, _ in rows} == set(ways), done.stdout
    for way in ways:
        assert (rows[way, "hosts' CPU"] > 0) == (way in work_bench.HOSTED), done.stdout
        assert (rows[way, "held up"] > 0) == (way != work_bench.AGAIN), done.stdout
    idle = {row["step"]: float(row["value"]) for row in found if row["way"] == "idle"}
    assert idle["wakeups"] > 0 and idle["CPU"] > 0, done.stdout
    assert not list(tmp_path.iterdir()), "files are left"

# SPDX-License-Identifier: BSD-3-Clause
"""./dev bench --short measures, and writes a table with a row per measurement and plots; never how fast."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bench
import user_bench

FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]


def short(folder, *options):
    return subprocess.run([sys.executable, bench.__file__, "--build", os.environ["DSM_TEST_BUILD"], "--short",
                           "--output", folder, *options], capture_output=True, text=True, timeout=280, check=False)


def rows_of(folder):
    with (folder / "bench.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_names_are_measured_and_replaced(tmp_path):
    for _ in range(2):
        done = short(tmp_path, "--only", "names")
        assert done.returncode == 0, done.stdout + done.stderr
    rows = rows_of(tmp_path)
    assert list(rows[0]) == bench.COLUMNS
    assert len(rows) == 4 * 5, "the second run replaces the first one's rows"
    assert {row["benchmark"] for row in rows} == {"names"}
    assert all(row["short"] == "yes" and row["commit"] and row["date"] and row["machine"] for row in rows)
    assert all(float(row["value"]) > 0 for row in rows)


@pytest.mark.skipif(FLAVOUR != "openmpi", reason="Debian's ADIOS2 has Open MPI")
def test_every_way_of_a_file_is_measured_and_drawn(tmp_path):
    without = ["--no-sst"] if user_bench.why_no_sst(FLAVOUR) else []
    done = short(tmp_path, "--only", "user", *without)
    assert done.returncode == 0, done.stdout + done.stderr
    medians = {(row["case"], row["way"]): float(row["value"]) for row in rows_of(tmp_path)
               if row["statistic"] == "median"}
    for case, _, _ in user_bench.cases(16):
        for way in ("DSM", "memcpy", "tmpfs", *([] if without else ["SST"])):
            assert medians[case, way] > 0, done.stdout
    assert medians["an attribute written and flushed", "DSM"] > 0
    assert (tmp_path / "bench_user.png").stat().st_size > 0
    done = short(tmp_path, "--render")
    assert done.returncode != 0
    assert "cannot render results of --short" in done.stderr


def test_unknown_benchmarks_are_named(tmp_path):
    done = short(tmp_path, "--only", "names,speed")
    assert done.returncode != 0
    assert "unknown benchmark speed (available: user," in done.stderr
    assert not Path(tmp_path, "bench.csv").exists()

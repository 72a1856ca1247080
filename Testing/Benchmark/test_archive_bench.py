# SPDX-License-Identifier: BSD-3-Clause
"""archive_bench.py, disk_bench.py and repack_bench.py: every kernel is run in every way, and what is read is what was
written; never how fast."""

import csv
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import archive_bench
import disk_bench
import repack_bench

BUILD = Path(os.environ["DSM_TEST_BUILD"])
SMALL = ["--build", BUILD, "--rounds", "1", "--head-start", "0"]


def run(script, *options):
    done = subprocess.run([sys.executable, script.__file__, *SMALL, *map(str, options)], capture_output=True, text=True,
                          timeout=240, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_kernel_in_every_way(tmp_path):
    run(archive_bench, "--processes", 2, "--readers", "1,3", "--particles", 50_000, "--places", "disk", "--disk",
        tmp_path, "--csv", tmp_path / "archive.csv")
    with open(tmp_path / "archive.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    archives = ["archive, single", "archive, subfiles 1", "archive, subfiles 2"]
    by_archive = [(kernel, way) for kernel in ("VPIC-IO", "restore") for way in archives]
    expected = [("VPIC-IO", way, "") for way in ("plain", "MPI-IO", "memory", *archives)]
    expected += [("restore", way, "") for way in archives]
    expected += [("start", "dsm-archive", "")]
    expected += [("BD-CATS-IO", way, readers) for way in ("MPI-IO", "memory", "archive, single") for readers in "13"]
    assert [(row["kernel"], row["way"], row["readers"]) for row in rows] == expected
    # What dsm-archive takes is less its start, of which one may take longer than another: then that much is missing.
    start = next(float(row["seconds_max"]) for row in rows if row["kernel"] == "start")
    assert all(float(row["seconds_median"]) > (-start if (row["kernel"], row["way"]) in by_archive else 0)
               for row in rows)
    assert {int(row["bytes"]) for row in rows} == {3_200_000}
    written = [row for row in rows if row["way"] in archives and row["kernel"] == "VPIC-IO"]
    assert all(float(row["on_disk_seconds_median"]) > -start for row in written)
    assert all(math.isfinite(float(row["on_disk_of_plain"])) for row in written)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive.csv"]


def test_what_it_costs_the_simulation(tmp_path):
    told = run(disk_bench, "--writers", 2, "--particles", 50_000, "--files", 3, "--compute", 0.02, "--folder", tmp_path)
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in told.splitlines() if "|" in line}
    ways = (disk_bench.DISK, disk_bench.NONE, *disk_bench.ARCHIVES, disk_bench.ALSO)
    assert all(float(cell) > 0 for way in ways for cell in rows[way][:4]), told
    assert rows[disk_bench.NONE][1].strip() == rows[disk_bench.NONE][3].strip() == "1.000"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_compressed_in_every_way(tmp_path):
    done = subprocess.run([sys.executable, repack_bench.__file__, "--build", BUILD, "--rounds", "1", "--mib", "4",
                           "--place", tmp_path], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in done.stdout.splitlines()[3:]}
    assert len(rows) == 7 and all(float(row[0]) > 0 for row in rows.values()), done.stdout
    assert all((float(row[1]) < 4) == way.startswith("compressed") for way, row in rows.items()), done.stdout
    assert not list(tmp_path.iterdir())

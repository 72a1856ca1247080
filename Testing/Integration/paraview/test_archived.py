# SPDX-License-Identifier: BSD-3-Clause
"""Archived snapshots in ParaView: single files as one animation and each by itself, by ParaView's own reader, as
masters over virtual datasets, too, and subfiles that were brought back into memory, all as they were live; and files
that ParaView has no reader for."""

import subprocess
import sys

from conftest import BIN, MPIEXEC
from processes import on_disk

SIZE = (24, 20, 16)
STEPS = 3


def test_as_it_was_live(bench):
    folder, ranks = bench.folder, 2
    (folder / "back").mkdir()
    (folder / "virtual").mkdir()
    viewer = bench.pvbatch("archived.py", ranks)
    viewer.wait_for_file(folder / "run.dsm")
    bench.simulation(folder / "run.dsm", 2, folder / "live", "--size", *SIZE, "--steps", STEPS, "--every", 1).wait()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == ranks
    assert all(found["wrong"] == [] for found in reports), reports
    # Ranks share the points between their parts.
    compared = 4 * (STEPS + 1) * SIZE[0] * SIZE[1] * SIZE[2]
    assert compared <= sum(found["points"] for found in reports) <= compared * 1.2
    first = reports[0]
    assert first["reader"] == first["virtualReader"] == "HDFReader", first
    assert first["times"] == first["seriesTimes"] == [float(step) for step in range(STEPS + 1)], first
    assert first["error"] in ("", []), first
    assert f"cannot read {folder / 'none.h5'}" in first["refused"], first
    assert "is a master over other files" in first["refusedMaster"], first
    masters = [path for path in (folder / "virtual").iterdir() if ".part_" not in path.name]
    assert len(masters) == STEPS + 1
    for master in masters:
        # Nothing of the values is in it.
        said = subprocess.run(["h5dump", "-pH", str(master)], check=True, timeout=60, capture_output=True, text=True)
        assert said.stdout.count("MAPPING 2") == 2 and master.name + ".part_" in said.stdout, said.stdout
    assert len([path for path in (folder / "single").iterdir() if on_disk(path)]) == STEPS + 2  # and the series


WRITE = """
import h5py, numpy
for step in (1, 2, 10):
    with h5py.File(f"out.{step}.h5", "w") as file:
        file["u"] = step * numpy.arange(60.0).reshape(3, 4, 5)
"""


def test_plain_files(bench):
    """Each step on all ranks together has each value once, but for those that two ranks share."""
    folder, ranks = bench.folder, 2
    hosts = bench.start([*MPIEXEC, "-n", 2, BIN / "dsm-serve", "--contact", folder / "run.dsm", "--memory-per-host",
                         "16 MiB", "--limit", 100], "hosts")
    hosts.wait_for_line("ready")
    archive = [BIN / "dsm-archive", "--contact", folder / "run.dsm"]
    subprocess.run([*archive, "--each", "all", "--to", folder / "archive"], check=True, timeout=60)
    bench.start([BIN / "dsm-run", "--contact", folder / "run.dsm", sys.executable, "-c", WRITE], "writer").wait()
    hosts.wait_until(lambda: ": 3 written, 0 waiting" in subprocess.run([*archive, "--list"], check=True, timeout=60,
                                                                        capture_output=True, text=True).stdout,
                     "archive of three files")
    hosts.stop()
    bench.pvbatch("series.py", ranks).wait()
    reports = bench.reports()
    assert len(reports) == ranks
    assert reports[0]["reader"] == "DSMSeriesReader" and reports[0]["recognised"] == "image", reports[0]
    assert reports[0]["times"] == [1.0, 2.0, 10.0] and reports[0]["error"] in ("", []), reports[0]
    for number, time in enumerate(reports[0]["times"]):
        seen = {}
        for extent, values in (found["steps"][number] for found in reports):
            assert len(values) < 60
            (x0, x1), (y0, y1), (z0, z1) = zip(extent[::2], extent[1::2], strict=True)
            places = [(z, y, x) for z in range(z0, z1 + 1) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)]
            seen |= dict(zip(places, values, strict=True))
        assert seen == {(z, y, x): time * (20 * z + 5 * y + x) for z in range(3) for y in range(4) for x in range(5)}

# SPDX-License-Identifier: BSD-3-Clause
"""Archived snapshots in ParaView: single files as one animation and each by itself, by ParaView's own reader, and
subfiles that were brought back into memory; all as they were live."""

from processes import on_disk

SIZE = (24, 20, 16)
STEPS = 3


def test_as_it_was_live(bench):
    folder, ranks = bench.folder, 2
    (folder / "back").mkdir()
    viewer = bench.pvbatch("archived.py", ranks)
    viewer.wait_for_file(folder / "run.dsm")
    bench.simulation(folder / "run.dsm", 2, folder / "live", "--size", *SIZE, "--steps", STEPS, "--every", 1).wait()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == ranks
    assert all(found["wrong"] == [] for found in reports), reports
    # Ranks share the points between their parts.
    compared = 3 * (STEPS + 1) * SIZE[0] * SIZE[1] * SIZE[2]
    assert compared <= sum(found["points"] for found in reports) <= compared * 1.2
    first = reports[0]
    assert first["reader"] == "HDFReader", first
    assert first["times"] == first["seriesTimes"] == [float(step) for step in range(STEPS + 1)], first
    assert first["error"] in ("", []), first
    assert len([path for path in (folder / "single").iterdir() if on_disk(path)]) == STEPS + 2  # and the series

# SPDX-License-Identifier: BSD-3-Clause
"""VTKHDF of every kind that ParaView reads, live from memory as from disk."""

import sys

import pytest

from conftest import HERE
from processes import on_disk

# Points on all ranks together: of images neighbours share a face.
POINTS = {
    "amr None": 275, "collection None": 80, "grid None": 65, "multiblock None": 67, "parts None": 80,
    "surface None": 37, "moving 4.0": 36, "moving 1.0": 36, "moving 2.0": 36,
}


@pytest.mark.parametrize(("ranks", "symmetric"), [(1, False), (2, True)])
def test_kinds(bench, ranks, symmetric):
    folder = bench.folder
    program = [sys.executable, HERE / "scripts" / "vtkhdf_files.py"]
    for name in ("disk", "live"):
        (folder / name).mkdir()
    bench.simulation(None, 1, None, program=[*program, folder / "disk"]).wait()
    viewer = bench.pvbatch("live_vtkhdf.py", ranks, symmetric)
    viewer.wait_for_file(folder / "run.dsm")
    bench.simulation(folder / "run.dsm", 1, None, program=[*program, folder / "live"]).wait()
    viewer.wait()
    assert not any(map(on_disk, (folder / "live").iterdir()))

    reports = bench.reports()
    assert len(reports) == ranks
    for found in reports:
        assert found["wrong"] == [] and "error" not in found
    # A pipeline leaves out ranks whose part is empty.
    total = {name: sum(found["points"].get(name, 0) for found in reports) for name in reports[0]["points"]}
    assert {name: total[name] for name in POINTS} == POINTS
    for name in ("image None", "steps 0.5", "steps 1.0", "steps 2.5"):
        assert 7 * 5 * 9 <= total[name] <= 7 * 5 * 9 + (ranks - 1) * 7 * 9
    if ranks > 1:
        # Nobody has everything, where there is more than one part.
        for name in ("amr None", "collection None", "multiblock None", "parts None", "image None"):
            assert all(0 < found["points"][name] < total[name] for found in reports), name

    first = reports[0]
    assert first["times"]["steps"] == [0.5, 1.0, 2.5] and first["times"]["grid"] == []
    contents = first["contents"]["image"]
    assert {path: (kind, shape) for path, kind, shape in zip(*(contents[i::3] for i in range(3)), strict=True)} == {
        "/VTKHDF": ("group", ""),
        "/VTKHDF/CellData": ("group", ""),
        "/VTKHDF/CellData/c": ("float64", "6 x 4 x 8"),
        "/VTKHDF/PointData": ("group", ""),
        "/VTKHDF/PointData/u": ("float64", "7 x 5 x 9"),
    }

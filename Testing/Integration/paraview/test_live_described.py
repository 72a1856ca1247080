# SPDX-License-Identifier: BSD-3-Clause
"""Plain datasets as what they are: by a description in XDMF, or as images, tables and points."""

import sys

import pytest

from conftest import HERE
from processes import on_disk

POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_described(bench, ranks):
    folder = bench.folder
    (folder / "live").mkdir()
    viewer = bench.pvbatch("live_described.py", ranks)
    viewer.wait_for_file(folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "described_files.py", folder / "live"]
    bench.simulation(folder / "run.dsm", 1, None, program=program).wait()
    viewer.wait()
    assert not any(map(on_disk, (folder / "live").glob("*.h5")))
    reports = bench.reports()
    seen = reports[0]["seen"]
    data = [found.get("data", {}) for found in reports]

    def whole(name):
        """The ranks' rows one after the other."""
        parts = [part[name][1] for part in data if name in part]
        names = [name for name in max(parts, key=len) if name not in ("extent", "geometry")]
        return {name: [row for part in parts for row in part.get(name, [])] for name in names}

    check_xdmf(reports, seen, data, whole)

    # Without a description.
    assert seen["image"][0] == "image" and data[0]["image"][1]["geometry"] == [0, 0, 0, 1, 1, 1]
    assert seen["particles.h5"][0] == "points" and "/atoms/x gives coordinates" in seen["particles.h5"][1]
    found = whole("particles.h5")
    assert found["coordinates"] == [[i, i + 1, i + 2] for i in range(101)]
    assert found["atoms/velocity"] == [[i, -i, 2 * i] for i in range(101)]
    assert found["atoms/id"] == list(range(101))
    assert data[0]["table"][0] == "vtkTable" and whole("table")["atoms/x"] == list(range(101))
    assert seen["columns.h5"][0] == "table" and "one dimension" in seen["columns.h5"][1]
    assert whole("columns.h5") == {"a": [2 * i for i in range(101)], "b": [i / 2 for i in range(101)]}
    assert whole("points")["coordinates"] == [[i / 2, 2 * i, 0] for i in range(101)]
    assert set(whole("chosen")) == {"atoms/id", "coordinates"}
    assert all(part["particles.h5"][1]["atoms/id"] for part in data), "each rank has its share"

    for name, reason in {
        "not vtkhdf": "no VTKHDF group", "no xdmf": "no XDMF description", "no points": "no columns called x and y",
        "no column": 'no column "c" for the coordinates: choose among a, b',
        "other xdmf": "does not refer to", "no xml": "the XDMF description is no XML",
    }.items():
        assert reason in seen[name][2], (name, seen[name])


def check_xdmf(reports, seen, data, whole):
    assert reports[0]["times"]["self.2.h5"][1] == 1
    steps = {"self.1.h5": 1, "self.2.h5": 2, "series 1": 1, "series 2": 2, "by name": 2, "by number": 2}
    for name, step in steps.items():
        assert seen[name][0] == "XDMF" and seen[name][2] in ("", []), (name, seen[name])
        found = whole(name)
        # Ranks with a cell each have some points in common.
        points = {tuple(at): heat for at, heat in zip(found["coordinates"], found["heat"], strict=True)}
        assert points == {at: 10 * step + i for i, at in enumerate(POINTS)} and found["age"] == [7 + step, 8 + step]
    assert "description of itself" in seen["self.1.h5"][1]
    assert seen["series 2"][1].endswith("series.xmf")
    assert seen["beside.3.h5"][0] == "XDMF" and "beside the file" in seen["beside.3.h5"][1]
    for name in ("beside.3.h5", "text", *(["own 2"] if "own 2" in data[0] else [])):
        check_image([part[name][1] for part in data if name in part], "w" if name == "text" else "u")
    assert [part["beside.3.h5"][1]["geometry"] for part in data] == [[1, 2, 3, 0.5, 1, 2]] * len(data)

    # ParaView's reader of version 3 gives a file of the series to every rank.
    if "own 3" in data[0]:
        assert [part["own 3"][1]["heat"] for part in data] == [[20 + i for i in range(5)]] * len(data)


def check_image(parts, name):
    points = 0
    for part in parts:
        x0, x1, y0, y1, z0, z1 = part["extent"]
        assert part[name] == [
            x + 9 * (y + 5 * z) for z in range(z0, z1 + 1) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)
        ]
        points += len(part[name])
    assert 7 * 5 * 9 <= points <= 7 * 5 * 9 + 63 * (len(parts) - 1)

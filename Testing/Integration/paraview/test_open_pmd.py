# SPDX-License-Identifier: BSD-3-Clause
"""openPMD as PIConGPU, WarpX and others write it, by openpmd-api and laid out by hand, on 1 and on 3 ranks: points and
values against the standard's arithmetic in numpy."""

import subprocess
import sys

import numpy
import pytest
from scripts.openpmd_files import GRID, PARTICLES
from test_formats import found, rows, same

from conftest import HERE

ENVIRONMENT = HERE.parents[1] / "Environment"


def grid(origin, spacing, shape, order):
    """Points of a mesh, as many as its array has, whose axes are in that order."""
    along = {axis: numpy.zeros(1) for axis in "xyz"}
    for axis, begin, step, count in zip(order, origin, spacing, shape, strict=True):
        along[axis] = begin + step * numpy.arange(count)
    made = numpy.meshgrid(*(along[axis] for axis in order), indexing="ij")
    return [dict(zip(order, made, strict=True)).get(axis, numpy.zeros(shape)) for axis in "xyz"]


def by_library(step):
    """(offset + position * spacing) * unit, with axes z, y, x; all values times unitSI."""
    origin, spacing = numpy.array([3.0, 2.0, 1.0]), numpy.array([0.3, 0.2, 0.1])
    parts = []
    for axis, letter in enumerate("zyx"):
        shifted = origin + spacing * [0.5 if i == axis else 0 for i in range(3)]
        parts.append((grid(shifted, spacing, GRID.shape, "zyx"), {f"E_{letter}": 2 * (GRID + step + ord(letter))}))
    current = numpy.stack([GRID, -GRID, numpy.full(GRID.shape, 4.5)], -1).reshape(-1, 3)
    parts.append((grid(origin, spacing, GRID.shape, "zyx"), {"J": current, "rho": GRID - step}))
    places = [0.1 * (PARTICLES + ord(axis)) + 2 * (step if axis == "y" else PARTICLES * step) for axis in "xyz"]
    momentum = numpy.stack([0.5 * PARTICLES * (axis + 1) for axis in range(3)], -1)
    parts.append((places, {"momentum": momentum, "id": PARTICLES + step, "charge": numpy.full(7, -3.0)}))
    return parts


def by_hand(data, origin, spacing):
    return [(grid(origin, spacing, data.shape, "xz"), {"B": data})]


FLAT = numpy.arange(6.0).reshape(2, 3)
# What each file holds at its steps.
FILES = {
    "c.h5": {6: by_hand(FLAT, (55, 60), (10, 20))},
    "f.h5": {6: by_hand(FLAT, (55, 60), (10, 20))},
    "two.h5": {3: by_hand(FLAT, (55, 600), (10, 200))},
    "padded.h5": {6: by_hand(FLAT, (55, 60), (10, 20))},
    "modes.h5": {6: by_hand(numpy.arange(6.0).reshape(2, 3), (5, 60), (10, 20))},
}
BY_LIBRARY = {
    "group.h5": {0.5: by_library(100), 1: by_library(200)},
    "file_000100.h5": {0.5: by_library(100)},
    "file_000200.h5": {1: by_library(200)},
    "variable.h5": {0.5: by_library(100)},
}
REFUSED = {"spherical.h5": "the geometry spherical is not supported"}


@pytest.mark.parametrize("ranks", [1, 3])
def test_open_pmd(bench, ranks):
    files = bench.folder / "files"
    files.mkdir()
    (bench.folder / "found").mkdir()
    library = subprocess.run(
        [ENVIRONMENT / "openpmd.sh", "find"], check=True, capture_output=True, text=True).stdout.strip()
    # A process of its own: openpmd-api has an HDF5 of its own.
    subprocess.run([sys.executable, HERE / "scripts" / "openpmd_files.py", files, library], check=True, timeout=60)
    bench.pvbatch("read_cells.py", ranks).wait()
    reports = bench.reports()
    for name, steps in (FILES | (BY_LIBRARY if library else {})).items():
        told, times = reports[0][name]
        assert told["ErrorText"] in ("", []) and told["RecognisedAs"] == "openPMD", (name, told)
        assert times == sorted(steps), (name, times)
        for step, time in {"last": max(steps), "first": min(steps)}.items() if len(steps) > 1 else [("last", *steps)]:
            parts = found(bench.folder / "found", name, step)
            assert len(parts) == len(steps[time]), (name, parts.keys())
            for points, arrays in steps[time]:
                names, values = rows(points, arrays)
                assert same(parts[tuple(names)], values), (name, step, names, parts[tuple(names)], values)
    for name, why in REFUSED.items():
        assert why in reports[0][name][0]["ErrorText"], name
    assert reports[0]["empty.h5"][0]["ErrorText"] in ("", []) and reports[0]["empty.h5"][0]["RecognisedAs"] == "openPMD"
    if not library:
        pytest.skip("without openpmd-api (Testing/Environment/openpmd.sh) only files laid out by hand were tried")

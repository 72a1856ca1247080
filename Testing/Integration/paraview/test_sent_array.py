# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that a script in ParaView sends to a running simulation: as they are, or resampled."""

import sys

import numpy
import pytest

from conftest import BIN, HERE, some_ways

Y, X = numpy.mgrid[0:31, 0:40].astype(float)
COS, SIN = numpy.cos(numpy.radians(30)), numpy.sin(numpy.radians(30))


def linear(x, y):
    return 100 * x + y


def turned(x, y):
    return linear(COS * x - SIN * y, SIN * x + COS * y)


def spread(low, high, number):
    return numpy.linspace(low, high, number)


AS_THEY_ARE = {
    "points": linear(X, Y),
    "cells": linear(X + 0.5, Y + 0.5),
    "port": linear(X, Y),
    "with another value": linear(X, Y),
    "the last": linear(X, Y),
    "table": [2**53 + 1, -(2**62) - 3, 0, 1, 2**63 - 1, -(2**63)],
    "rounded": [0, 1, -1, 2147483647, -2147483648, 7],
    "vectors": numpy.arange(21).reshape(7, 3) / 4,
    "in parts": linear(X + 0.5, Y + 0.5),
    "surface": numpy.zeros((31, 40)),
}
APPROXIMATELY = {
    "structured points": turned(X, Y),
    "grid points": linear(X, Y),
    "grid cells": linear(X + 0.5, Y + 0.5),
    "turned points": turned(X, Y),
    "turned cells": turned(X + 0.5, Y + 0.5),
    "bounds": linear(spread(-60, 60, 40)[None, :], spread(-60, 60, 31)[:, None]),
    "bounds of a wall": linear(spread(0, 39, 40)[None, :], spread(0, 30, 31)[:, None]),
    "volume": linear(X, Y)[None] + numpy.array([0, 5, 10])[:, None, None],
}
REFUSED = {
    "too large": "the value 3000000000 does not fit into elements of type int32 (-2147483648 to 2147483647)",
    "no number": "the value nan does not fit into elements of type int32",
    "does not fit": "does not fit into elements of type uint8 (0 to 255)",
    "no array": 'the source has no array of numbers called "velocity"',
    "no parameter": 'no simulation has an array called "nothing"',
    "a parameter that is no array": 'no simulation has an array called "gain"',
    "vectors in a plane": 'the array "value" has 3 components, and cannot be resampled',
    "four indices": "an array with 4 indices cannot be resampled",
    "a wrong number": "the data that gives the places has no points",
    "nothing": "the source has no data",
}


@some_ways
def test_arrays(bench, ranks, symmetric):
    received = bench.folder / "received"
    received.mkdir()
    viewer = bench.pvbatch("sent_array.py", ranks, symmetric)
    viewer.wait_for_file(bench.folder / "run.dsm")
    simulation = bench.start(
        [sys.executable, HERE / "array_simulation.py", received], "simulation",
        PYTHONPATH=BIN.parent / "lib" / "paraview-dsm", DSM_CONTACT=bench.folder / "run.dsm")
    viewer.wait()
    simulation.wait()
    reports = bench.reports()
    assert len(reports) == (ranks if symmetric else 1)
    for found in reports:
        check(found, received, ranks)


def check(found, received, ranks):
    refused = dict(found["refused"])
    # The order of cells in parts is not the simulation's.
    if ranks > 1:
        assert f"spread over {ranks} processes" in refused.pop("in parts")
    assert refused.keys() == REFUSED.keys(), found
    for what, why in REFUSED.items():
        assert why in refused[what], refused[what]
    for what, name, step in found["sent"]:
        (file,) = received.glob(f"{name}.{step}.*.npy")
        values = numpy.load(file)
        if what in AS_THEY_ARE:
            assert numpy.array_equal(values, numpy.array(AS_THEY_ARE[what], values.dtype)), what
        elif what in APPROXIMATELY:
            assert values == pytest.approx(APPROXIMATELY[what], rel=1e-6, abs=1e-9), what
        else:
            inside, outside = {"disk": (1, 0), "disk and outside": (1, -1.5)}[what]
            radius = numpy.hypot(X - 20.3, Y - 15.2)
            assert numpy.all(values[radius < 7.9] == inside) and numpy.all(values[radius > 8.1] == outside), what
        assert file.name.endswith(".1.npy") == (what in [one for one, _, _ in found["sent"][:4]]), what
    assert len(found["sent"]) == len(AS_THEY_ARE) + len(APPROXIMATELY) + 2 - (ranks > 1)

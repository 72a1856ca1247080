# SPDX-License-Identifier: BSD-3-Clause
"""Looks at arrays of array_writer.py on each rank, and holds the newest ones as filters hold them."""

import collections
import pathlib

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy

from reporting import found, report


def private_memory():
    lines = pathlib.Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("Anonymous:")).split()[1]) << 10


def values_of(data):
    return vtk_to_numpy(data.GetPointData().GetArray("u"))


def is_right(data, step, size):
    """Returns whether the points that a rank has, X fastest, have the values that were written."""
    extent = data.GetExtent()
    x, y, z = (numpy.arange(extent[2 * axis], extent[2 * axis + 1] + 1) for axis in range(3))
    first = (z[:, None, None] * size + y[None, :, None]) * size + x[None, None, :]
    return bool((values_of(data) == first.ravel() + step).all())


held = collections.deque(maxlen=3)


def see(data, step, size):
    """Looks at a snapshot's data on this rank, and again at that of the snapshots before."""
    mine = data.NewInstance()
    mine.ShallowCopy(data)
    held.append((step, mine))
    report(
        wrong=found().get("wrong", []) + [[step, then] for then, old in held if not is_right(old, then, size)],
        steps=[*found().get("steps", []), step],
        private=[*found().get("private", []), private_memory()],
        bytes=values_of(data).nbytes,
    )


def spoil(data):
    """Writes into the data of the last snapshot."""
    values_of(data)[:] = -1
    report(spoiled=bool((values_of(data) == -1).all()))


def compare(data, step, size):
    """Looks at the same snapshot as another reader has it."""
    report(compared=is_right(data, step, size), apart=values_of(data).ctypes.data != values_of(held[-1][1]).ctypes.data)

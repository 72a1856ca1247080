# SPDX-License-Identifier: BSD-3-Clause
"""Looks at arrays of array_writer.py and vtkhdf_large.py on each rank, and holds the newest ones as filters hold
them."""

import collections
import itertools
import pathlib

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes
from vtkmodules.vtkParallelCore import vtkMultiProcessController

import compare_data
from reporting import found, rank, report


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


def is_mapped(array):
    """Returns whether the memory of an array is a file's, as the hosts' is."""
    place = vtk_to_numpy(array).ctypes.data
    for line in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        span, _, _, _, inode = line.split()[:5]
        begin, end = (int(text, 16) for text in span.split("-"))
        if begin <= place < end:
            return inode != "0"
    return False


def attributes_of(leaves):
    """Yields the attributes of points and of cells of each leaf, with a name."""
    for index, leaf in enumerate(leaves):
        if leaf:
            yield f"{index} points", leaf.GetPointData()
            yield f"{index} cells", leaf.GetCellData()


def arrays_of(attributes):
    return [attributes.GetArray(index) for index in range(attributes.GetNumberOfArrays())]


def looks_of(attributes):
    """Returns what a filter may look at besides values, in the arrays' order: each array, and the active ones."""
    active = [attributes.GetAbstractAttribute(role) for role in range(vtkDataSetAttributes.NUM_ATTRIBUTES)]
    return [
        (
            array.GetName(),
            array.GetDataType(),
            array.GetNumberOfComponents(),
            array.GetNumberOfTuples(),
            array.GetRange(-1),
        )
        for array in arrays_of(attributes)
    ] + [array and array.GetName() for array in active]


def compare_with_disk(data, path, name, time):
    """Compares a rank's part with what ParaView's own reader gives it of a file on disk."""
    ranks = vtkMultiProcessController.GetGlobalController().GetNumberOfProcesses()
    expected = compare_data.read_on_disk(data, path, rank(), ranks, time, ["off"])
    leaves = compare_data.leaves_of(data)
    # ParaView's own reader reads other ranks' leaves on this one, too.
    theirs = [other if mine else None for mine, other in zip(leaves, compare_data.leaves_of(expected), strict=True)]
    wrong = [f"{name}: {text}" for text in compare_data.differences(leaves, theirs)]
    mapped = {}
    for (where, mine), (_, other) in zip(attributes_of(leaves), attributes_of(theirs), strict=True):
        for ours, others in itertools.zip_longest(looks_of(mine), looks_of(other)):
            if ours != others:
                wrong.append(f"{name}, {where}: {ours}, not {others}")
        mapped |= {array.GetName(): is_mapped(array) for array in arrays_of(mine)}
    report(
        wrong=found().get("wrong", []) + wrong,
        mapped=found().get("mapped", {}) | {name: mapped},
    )

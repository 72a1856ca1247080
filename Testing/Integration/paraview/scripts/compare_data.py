# SPDX-License-Identifier: BSD-3-Clause
"""Compares VTK's data element by element."""

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkFiltersCore import vtkAppendDataSets
from vtkmodules.vtkIOHDF import vtkHDFReader


def leaves_of(data):
    """All data sets of composite data, None for those that are elsewhere; or the one."""
    if not data.IsA("vtkCompositeDataSet"):
        return [data]
    leaves = data.NewIterator()
    leaves.SkipEmptyNodesOff()
    leaves.InitTraversal()
    found = []
    while not leaves.IsDoneWithTraversal():
        found.append(leaves.GetCurrentDataObject())
        leaves.GoToNextItem()
    return found


def arrays_of(data):
    """Every array that makes a data set, by a name."""
    found = {}
    for kind, attributes in (
        ("point", data.GetPointData()),
        ("cell", data.GetCellData()),
        ("field", data.GetFieldData()),
    ):
        for index in range(attributes.GetNumberOfArrays()):
            array = attributes.GetAbstractArray(index)
            if array.IsA("vtkDataArray"):
                found[f"{kind} {array.GetName()}"] = array
    if data.IsA("vtkPointSet") and data.GetPoints():
        found["points"] = data.GetPoints().GetData()
    cells = {}
    if data.IsA("vtkUnstructuredGrid"):
        cells = {"cells": data.GetCells()}
        found["types"] = data.GetCellTypesArray()
    elif data.IsA("vtkPolyData"):
        cells = {"verts": data.GetVerts(), "lines": data.GetLines(), "polys": data.GetPolys(),
                 "strips": data.GetStrips()}
    for name, array in cells.items():
        found[f"{name} connectivity"] = array.GetConnectivityArray()
        found[f"{name} offsets"] = array.GetOffsetsArray()
    return {name: vtk_to_numpy(array) for name, array in found.items() if array and array.GetNumberOfValues()}


def differences(found, expected):
    """What differs between two lists of data sets, in words; nothing when they are the same."""
    if len(found) != len(expected):
        yield f"has {len(found)} data sets instead of {len(expected)}"
        return
    for index, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        if mine is None or theirs is None:
            if mine is not theirs:
                yield f"data set {index} is {mine and mine.GetClassName()}, not {theirs and theirs.GetClassName()}"
            continue
        if mine.GetClassName() != theirs.GetClassName():
            yield f"data set {index} is {mine.GetClassName()}"
        if mine.IsA("vtkImageData") and (mine.GetExtent(), mine.GetOrigin(), mine.GetSpacing()) != (
            theirs.GetExtent(), theirs.GetOrigin(), theirs.GetSpacing()
        ):
            yield f"data set {index} has another grid"
        ours, others = arrays_of(mine), arrays_of(theirs)
        if ours.keys() != others.keys():
            yield f"data set {index} has {sorted(ours)} instead of {sorted(others)}"
            continue
        for name, values in ours.items():
            if values.shape != others[name].shape or not (values == others[name]).all():
                yield f"data set {index}: {name}"


def as_another(data, other):
    """Compares a rank's part of data with that of other data: the differences, and the number of points."""
    expected, found = leaves_of(data), leaves_of(other)
    return list(differences(found, expected)), sum(leaf.GetNumberOfPoints() for leaf in found if leaf)


def appended(parts):
    """Parts as one data set, which ParaView's reader makes of them only before 6.1."""
    append = vtkAppendDataSets()
    for part in leaves_of(parts):
        if part:
            append.AddInputData(part)
            append.SetOutputDataSetType(part.GetDataObjectType())
    append.Update()
    merged = append.GetOutputDataObject(0)
    merged.GetFieldData().ShallowCopy(parts.GetFieldData())
    return merged


def read_on_disk(data, path, rank, ranks, time, off=()):
    """Returns what ParaView's own reader gives a rank of a VTKHDF file on disk, for its part of such data, without the
    arrays that are off."""
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    for name in off:
        reader.GetPointDataArraySelection().DisableArray(name)
        reader.GetCellDataArraySelection().DisableArray(name)
    reader.UpdateInformation()
    request = reader.GetOutputInformation(0)
    if time is not None:
        request.Set(Pipeline.UPDATE_TIME_STEP(), time)
    if data.IsA("vtkImageData"):
        request.Set(Pipeline.UPDATE_EXTENT(), data.GetExtent(), 6)
    else:
        # Composite data whole: each leaf is on one rank here (the test counts them), and ParaView's reader gives it to
        # every rank, or distributes it in its own way (from 6.1 on).
        alone = data.IsA("vtkCompositeDataSet")
        request.Set(Pipeline.UPDATE_PIECE_NUMBER(), 0 if alone else rank)
        request.Set(Pipeline.UPDATE_NUMBER_OF_PIECES(), 1 if alone else ranks)
        request.Set(Pipeline.UPDATE_NUMBER_OF_GHOST_LEVELS(), 0)
    reader.GetExecutive().Update(0)
    given = reader.GetOutputDataObject(0)
    if given.IsA("vtkCompositeDataSet") and not data.IsA("vtkCompositeDataSet"):
        given = appended(given)
    return given


def as_on_disk(data, path, rank, ranks, time):
    """Compares a rank's part of VTKHDF data with what ParaView's own reader gives it of a file on disk:
    the differences, and the rank's number of points."""
    expected, found = leaves_of(read_on_disk(data, path, rank, ranks, time)), leaves_of(data)
    if data.IsA("vtkCompositeDataSet") and ranks > 1 and len(expected) == len(found):
        expected = [leaf if mine else None for leaf, mine in zip(expected, found, strict=True)]
    return list(differences(found, expected)), sum(leaf.GetNumberOfPoints() for leaf in found if leaf)

# SPDX-License-Identifier: BSD-3-Clause
"""Collects the parts of shown files on each rank, for generated.shown()."""

import os
import pathlib
import time

from paraview import simple

from reporting import information, on_every_rank, report

# Writes the points of each part that a rank has, its cells with their corners in order, the values of both, and the
# time. The rows of a table are points at 0.
COLLECT = """
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy

def leaves(data):
    if not data.IsA("vtkCompositeDataSet"):
        return [(0, data)]
    parts = [(part, data.GetPartitionedDataSet(part)) for part in range(data.GetNumberOfPartitionedDataSets())]
    return [(part, one.GetPartition(piece)) for part, one in parts for piece in range(one.GetNumberOfPartitions())]

for number, (part, leaf) in enumerate(leaves(data)):
    if leaf is None or leaf.GetNumberOfElements(6 if leaf.IsA("vtkTable") else 0) == 0:
        continue
    if leaf.IsA("vtkTable"):
        kinds = {{"point ": leaf.GetRowData()}}
        arrays = {{"points": numpy.zeros((leaf.GetNumberOfRows(), 3))}}
    else:
        kinds = {{"point ": leaf.GetPointData(), "cell ": leaf.GetCellData()}}
        arrays = {{"points": numpy.array([leaf.GetPoint(index) for index in range(leaf.GetNumberOfPoints())])}}
    for kind, attributes in kinds.items():
        for index in range(attributes.GetNumberOfArrays()):
            array = attributes.GetArray(index)
            arrays[kind + array.GetName()] = vtk_to_numpy(array)
    # Cells of grids are shown where something lies on them.
    if leaf.IsA("vtkUnstructuredGrid") or leaf.IsA("vtkDataSet") and leaf.GetCellData().GetNumberOfArrays() > 0:
        arrays["types"] = numpy.array([leaf.GetCellType(index) for index in range(leaf.GetNumberOfCells())])
        arrays["corners"] = numpy.full((leaf.GetNumberOfCells(), 27, 3), numpy.nan)
        for index in range(leaf.GetNumberOfCells()):
            at = leaf.GetCell(index).GetPoints()
            for corner in range(at.GetNumberOfPoints()):
                arrays["corners"][index, corner] = at.GetPoint(corner)
    when = data.GetInformation().Get(data.DATA_TIME_STEP())
    arrays["time"] = numpy.array(numpy.nan if when is None else when)
    numpy.savez("{found}/{file}.{step}.%d.%d.%d.npz" % (part, rank(), number), **arrays)
"""


def look(reader, file):
    """Reports what the reader says of a file, and collects its parts at each step."""
    reader.UpdatePipeline()
    asked = ("RecognisedAs", "RecognisedBecause", "Guesses", "LeftOut", "ErrorText", "FileContents")
    told = {one: information(reader, one) for one in asked}
    told["Data"] = reader.GetDataInformation().GetDataClassName()
    steps = list(reader.TimestepValues)
    report(**{file: [told, steps]})
    if not told["ErrorText"]:
        for step in range(len(steps) or 1):
            code = COLLECT.format(found=os.environ["DSM_TEST_REPORTS"], file=file, step=step)
            on_every_rank(reader, code, steps[step]) if steps else on_every_rank(reader, code)
    simple.Delete(reader)


def wait_for(file):
    """Waits for a file in the test's folder."""
    limit = time.monotonic() + 600
    while not pathlib.Path(os.environ["DSM_TEST_FOLDER"], file).exists():
        assert time.monotonic() < limit, f"there is no {file} after ten minutes"
        time.sleep(0.05)

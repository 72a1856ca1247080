# SPDX-License-Identifier: BSD-3-Clause
"""Shows files, and writes what each rank got of them: points, cells and values."""

import glob
import os

from paraview import simple

import paraviewdsm
from reporting import information, on_every_rank, report

paraviewdsm.load()

folder = os.environ["DSM_TEST_FOLDER"]
# Points in x, y, z and the arrays of all data sets, one after the other.
COLLECT = """
import numpy
from compare_data import leaves_of
from vtkmodules.util.numpy_support import vtk_to_numpy

for number, leaf in enumerate(one for one in leaves_of(data) if one and one.IsA("vtkDataSet")):
    at = numpy.array([leaf.GetPoint(index) for index in range(leaf.GetNumberOfPoints())]).reshape(-1, 3)
    arrays = {{"points": at}}
    for index in range(leaf.GetPointData().GetNumberOfArrays()):
        array = leaf.GetPointData().GetArray(index)
        arrays["array " + array.GetName()] = vtk_to_numpy(array)
    # Of each cell its type, and where its points are, in their order.
    arrays["cells"] = numpy.full((leaf.GetNumberOfCells(), 1 + 3 * 20), numpy.nan)
    for index in range(leaf.GetNumberOfCells()):
        cell = leaf.GetCell(index)
        arrays["cells"][index, 0] = cell.GetCellType()
        for corner in range(cell.GetNumberOfPoints()):
            arrays["cells"][index, 1 + 3 * corner:4 + 3 * corner] = cell.GetPoints().GetPoint(corner)
    for index in range(leaf.GetCellData().GetNumberOfArrays()):
        array = leaf.GetCellData().GetArray(index)
        arrays["cell array " + array.GetName()] = vtk_to_numpy(array)
    numpy.savez("{folder}/found/{file}.{step}.%d.%d.npz" % (rank(), number), **arrays)
"""
for file in sorted(set(glob.glob(f"{folder}/files/*")) - set(glob.glob(f"{folder}/files/*.x*mf"))):
    name = os.path.basename(file)
    reader = simple.DSMFileReader(FileName=file)
    reader.UpdatePipeline()
    told = {one: information(reader, one) for one in ("RecognisedAs", "RecognisedBecause", "ErrorText")}
    steps = list(reader.TimestepValues)
    report(**{name: [told, steps]})
    if told["ErrorText"]:
        continue
    on_every_rank(reader, COLLECT.format(folder=folder, file=name, step="last"))
    if len(steps) > 1:
        on_every_rank(reader, COLLECT.format(folder=folder, file=name, step="first"), steps[0])
    simple.Delete(reader)

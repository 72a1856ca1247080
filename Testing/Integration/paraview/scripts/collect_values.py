# SPDX-License-Identifier: BSD-3-Clause
"""Writes what each rank got of a file, for on_every_rank."""

# Points in x, y, z and the arrays of all data sets, one after the other; of cells that are hidden, because finer ones
# are in their place, neither they nor points that only they have.
COLLECT = """
import numpy
from compare_data import leaves_of
from vtkmodules.util.numpy_support import vtk_to_numpy

for number, leaf in enumerate(filter(None, leaves_of(data))):
    onCells = leaf.GetCellData().GetNumberOfArrays() > (1 if leaf.GetCellGhostArray() else 0)
    attributes = leaf.GetCellData() if onCells else leaf.GetPointData()
    if onCells:
        boxes = [leaf.GetCell(index).GetBounds() for index in range(leaf.GetNumberOfCells())]
        at = [((box[0] + box[1]) / 2, (box[2] + box[3]) / 2, (box[4] + box[5]) / 2) for box in boxes]
    else:
        at = [leaf.GetPoint(index) for index in range(leaf.GetNumberOfPoints())]
    shown = range(len(at))
    if leaf.GetCellGhostArray():
        visible = [cell for cell in range(leaf.GetNumberOfCells()) if leaf.IsCellVisible(cell)]
        if visible != list(numpy.flatnonzero(vtk_to_numpy(leaf.GetCellGhostArray()) == 0)):
            raise RuntimeError("other cells are visible than those that are not hidden")
        corners = set()
        for cell in visible:
            ids = leaf.GetCell(cell).GetPointIds()
            corners.update(ids.GetId(corner) for corner in range(ids.GetNumberOfIds()))
        shown = visible if onCells else sorted(corners)
    arrays = {{"points": numpy.reshape(at, (-1, 3))[shown]}}
    for index in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(index)
        if array.GetName() != "vtkGhostType":
            arrays["array " + ("cell " if onCells else "") + array.GetName()] = vtk_to_numpy(array)[shown]
    numpy.savez("{folder}/found/{file}.{step}.%d.%d.npz" % (rank(), number), **arrays)
"""

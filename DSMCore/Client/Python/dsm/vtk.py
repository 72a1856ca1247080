# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots as VTK's data objects, for viewers in Python: ParaView, PyVista, VTK itself.

    import dsm, dsm.vtk

    dsm.attach("run.dsm")
    with dsm.Viewer("run.dsm") as viewer:
        files = dsm.vtk.Files("run.dsm")
        data = files.open(viewer.newest_run()[-1]).data()    # a vtkImageData, a vtkUnstructuredGrid, ...

Needs VTK 9.3 or newer, and NumPy.
"""

import pathlib
import tempfile

import numpy
from vtkmodules.util import numpy_support
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkCompositeDataSet,
    vtkDataObject,
    vtkDataSetAttributes,
    vtkImageData,
    vtkPartitionedDataSetCollection,
    vtkPolyData,
    vtkRectilinearGrid,
    vtkStructuredGrid,
    vtkTable,
    vtkUniformGrid,
    vtkUnstructuredGrid,
)
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

from ._described import Described


class Files:
    """The files in a server's memory, opened. `dsm.attach` has to be called for the same contact file before."""

    def __init__(self, contact):
        # VTK asks whether there is a file of a name before it asks HDF5: each snapshot has one, which is empty.
        self._folder = tempfile.TemporaryDirectory(prefix="paraview-dsm-")
        self._contact = pathlib.Path(self._folder.name) / "run.dsm"
        self._contact.symlink_to(pathlib.Path(contact).resolve())

    def open(self, snapshot):
        """One of `dsm.Viewer.snapshots()`, opened, with these attributes and methods:

        contents: says what it is taken for, by which rule, what was guessed and what is left out.
        new_data(): makes an empty data object of its type.
        describe(information): puts its extent into the information of a pipeline's output.
        data(piece, pieces): reads a piece of it, by default all; arrays are not copied.

        Raises `dsm.Error`.
        """
        name = pathlib.Path(f'{self._contact}#{snapshot["number"]}')
        name.touch()
        known = vtkHDFReader().CanReadFile(str(name))
        return _VtkHdf(str(name)) if known else _Other(str(name), snapshot["file"])


class _VtkHdf:
    """A snapshot that VTK's own reader reads."""

    contents = "VTKHDF"

    def __init__(self, name):
        self._reader = vtkHDFReader()
        self._reader.SetFileName(name)
        self._reader.UpdateDataObject()
        self.new_data = self._reader.GetOutputDataObject(0).NewInstance

    def describe(self, information):
        """Says the extent of a structured file, without which nothing of it is drawn."""
        self._reader.UpdateInformation()
        own = self._reader.GetOutputInformation(0)
        for key in vtkStreamingDemandDrivenPipeline.WHOLE_EXTENT(), vtkDataObject.ORIGIN(), vtkDataObject.SPACING():
            information.Remove(key)
            if own.Has(key):
                information.CopyEntry(own, key)

    def data(self, piece=0, pieces=1):
        """The data of the file's last step."""
        self._reader.UpdateInformation()
        steps = self._reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS()) or ()
        if steps:
            self._reader.UpdateTimeStep(steps[-1], piece, pieces, 0)
        else:
            self._reader.UpdatePiece(piece, pieces, 0)
        return self._reader.GetOutputDataObject(0)


class _Other:
    """A snapshot of any other format, which the library describes."""

    def __init__(self, name, written_as):
        self._file = Described(name, written_as)
        entries = self._file.entries
        self._parts = entries["parts"]
        self.contents = "\n".join([
            f'{entries["format"]}: {entries["rule"]}', *(f"guessed: {text}" for text in entries["guessed"]),
            *(f'left out: {left["path"]}: {left["why"]}' for left in entries["left"])])
        self._is_table = [part["kind"] for part in self._parts] == ["table"]
        self.new_data = vtkTable if self._is_table else vtkPartitionedDataSetCollection

    @staticmethod
    def describe(information):
        information.Remove(vtkStreamingDemandDrivenPipeline.WHOLE_EXTENT())

    def data(self, piece=0, pieces=1):
        data = self.new_data()
        if self._is_table:
            for filled in self._file.read(0, piece, pieces):
                data.ShallowCopy(_to_data(filled))
            return data
        data.SetNumberOfPartitionedDataSets(len(self._parts))
        for number, part in enumerate(self._parts):
            filled = self._file.read(number, piece, pieces)
            data.SetNumberOfPartitions(number, len(filled))
            for index, one in enumerate(filled):
                data.SetPartition(number, index, _to_data(one))
            data.GetMetaData(number).Set(vtkCompositeDataSet.NAME(), part["name"])
        return data


def to_array(values, name=None):
    """NumPy's values as an array of VTK, without a copy."""
    array = numpy_support.numpy_to_vtk(values)
    if name:
        array.SetName(name)
    return array


def _grid(filled):
    """The geometry of one of what `Described.read` gives, as VTK has it."""
    kind, coordinates = filled["kind"], [to_array(values) for values in filled["coordinates"]]
    extent = [int(index) for index in filled["extent"]]
    if kind == "table":
        return vtkTable()
    if kind == "image":
        image = vtkUniformGrid() if filled["covered"] is not None else vtkImageData()
        image.SetOrigin(filled["origin"])
        image.SetSpacing(filled["spacing"])
        image.SetExtent(extent)
        return image
    if kind == "rectilinear":
        grid = vtkRectilinearGrid()
        grid.SetExtent(extent)
        grid.SetXCoordinates(coordinates[0])
        grid.SetYCoordinates(coordinates[1])
        grid.SetZCoordinates(coordinates[2])
        return grid
    points = vtkPoints()
    points.SetData(coordinates[0])
    if kind == "structured":
        grid = vtkStructuredGrid()
        grid.SetExtent(extent)
        grid.SetPoints(points)
        return grid
    cells = vtkCellArray()
    if kind == "points":
        grid = vtkPolyData()
        each = numpy.arange(points.GetNumberOfPoints() + 1, dtype=numpy.int64)
        cells.SetData(*(numpy_support.numpy_to_vtkIdTypeArray(one) for one in (each, each[:-1])))
        grid.SetVerts(cells)
    else:
        grid = vtkUnstructuredGrid()
        lists = filled["offsets"], filled["connectivity"]
        none = numpy.zeros(0, numpy.int64)
        cells.SetData(*(numpy_support.numpy_to_vtkIdTypeArray(none if one is None else one) for one in lists))
        if filled["types"] is not None:
            grid.SetCells(to_array(filled["types"]), cells)
    grid.SetPoints(points)
    return grid


def _to_data(filled):
    """One of what `Described.read` gives, as VTK has it."""
    data = _grid(filled)
    where = {"field": data.GetFieldData()}
    if isinstance(data, vtkTable):
        where["point"] = data.GetRowData()
    else:
        where.update(point=data.GetPointData(), cell=data.GetCellData())
    for array in filled["arrays"]:
        made = to_array(array["values"], array["name"])
        for number, name in enumerate(array["components"]):
            made.SetComponentName(number, name)
        where[array["on"]].AddArray(made)
    if filled["covered"] is not None:
        hidden = filled["covered"] * numpy.uint8(vtkDataSetAttributes.REFINEDCELL)
        where["cell"].AddArray(to_array(hidden, vtkDataSetAttributes.GhostArrayName()))
    if "level" in filled:
        where["field"].AddArray(to_array(numpy.array([filled["level"]], numpy.int32), "Level"))
    return data

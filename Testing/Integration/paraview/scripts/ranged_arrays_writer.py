# SPDX-License-Identifier: BSD-3-Clause
"""Writes VTKHDF files of several kinds with arrays of more than 1 MiB, small arrays, and active arrays."""

import sys

from mpi4py import MPI  # noqa: F401 (first: it makes h5py use the HDF5 that VTK uses)

import h5py
import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import VTK_ID_TYPE
from vtkmodules.vtkCommonDataModel import vtkDataAssembly, vtkMultiBlockDataSet, vtkPartitionedDataSetCollection
from vtkmodules.vtkFiltersCore import vtkAppendFilter
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkIOHDF import vtkHDFWriter

folder = sys.argv[1]
random = numpy.random.default_rng(3)


def array(name, values, kind=None):
    made = numpy_to_vtk(values, deep=True, array_type=kind)
    made.SetName(name)
    return made


def sphere(grid):
    source = vtkSphereSource()
    source.SetThetaResolution(400)
    source.SetPhiResolution(400)
    last = source
    if grid:
        last = vtkAppendFilter()
        last.SetInputConnection(source.GetOutputPort())
    last.Update()
    made = last.GetOutput()
    points, cells = made.GetNumberOfPoints(), made.GetNumberOfCells()
    heat = random.random(points)
    heat[8] = numpy.inf
    made.GetPointData().SetScalars(array("heat", heat))
    made.GetPointData().SetVectors(array("velocity", random.random((points, 3)) - 0.5))
    made.GetPointData().SetGlobalIds(array("ids", numpy.arange(points), VTK_ID_TYPE))
    made.GetCellData().AddArray(array("volume", random.random(cells)))
    made.GetCellData().AddArray(array("kind", (9 * random.random(cells)).astype("u1")))
    made.GetFieldData().AddArray(array("table", random.random((300000, 2))))
    return made


def write(name, data):
    writer = vtkHDFWriter()
    writer.SetFileName(f"{folder}/{name}.vtkhdf")
    writer.SetInputDataObject(data)
    assert writer.Write() == 1, name


def image():
    with h5py.File(f"{folder}/image.vtkhdf", "w") as file:
        group = file.create_group("VTKHDF")
        group.attrs["Version"] = (2, 1)
        group.attrs.create("Type", numpy.bytes_("ImageData"))
        group.attrs["WholeExtent"] = (0, 63, 0, 63, 0, 63)
        group.attrs["Origin"], group.attrs["Spacing"] = numpy.zeros(3), numpy.ones(3)
        group.attrs["Direction"] = numpy.eye(3).ravel()
        for kind in "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split():
            components = 8 // int(kind[1])
            shape = (64, 64, 64, *([components] if components > 1 else []))
            group[f"PointData/{kind}"] = (200 * random.random(shape) - (0 if kind[0] == "u" else 100)).astype(kind)
        group.create_group("CellData")["small"] = random.random((63, 63, 63)).astype("u1")
        group["PointData"].attrs.create("Scalars", numpy.bytes_("f4"))


collection, blocks = vtkPartitionedDataSetCollection(), vtkMultiBlockDataSet()
assembly = vtkDataAssembly()
for index, grid in enumerate((False, True)):
    collection.SetPartition(index, 0, sphere(grid))
    collection.GetMetaData(index).Set(collection.NAME(), f"part{index}")
    assembly.AddDataSetIndex(assembly.AddNode(f"part{index}"), index)
    blocks.SetBlock(index, sphere(grid))
    blocks.GetMetaData(index).Set(blocks.NAME(), f"block{index}")
collection.SetDataAssembly(assembly)
image()
write("grid", sphere(True))
write("surface", sphere(False))
write("collection", collection)
write("multiblock", blocks)

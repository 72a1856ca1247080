# SPDX-License-Identifier: BSD-3-Clause
"""A program that writes one VTKHDF file of each kind, with VTK's own writer where that can."""

import sys

from mpi4py import MPI  # first: it makes h5py use the HDF5 that VTK uses

import h5py
import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonDataModel import (
    vtkDataAssembly,
    vtkMultiBlockDataSet,
    vtkPartitionedDataSet,
    vtkPartitionedDataSetCollection,
)
from vtkmodules.vtkFiltersCore import vtkAppendFilter, vtkElevationFilter
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkIOHDF import vtkHDFWriter

assert MPI.COMM_WORLD.size == 1
folder = sys.argv[1]
random = numpy.random.default_rng(7)


def sphere(resolution, grid):
    source = vtkSphereSource()
    source.SetThetaResolution(resolution)
    source.SetPhiResolution(resolution)
    elevation = vtkElevationFilter()
    elevation.SetInputConnection(source.GetOutputPort())
    last = elevation
    if grid:
        last = vtkAppendFilter()
        last.SetInputConnection(elevation.GetOutputPort())
    last.Update()
    made = last.GetOutput()
    cells = numpy_to_vtk(random.random(made.GetNumberOfCells()), deep=True)
    cells.SetName("quality")
    made.GetCellData().AddArray(cells)
    return made


def write(name, data):
    writer = vtkHDFWriter()
    writer.SetFileName(f"{folder}/{name}.vtkhdf")
    writer.SetInputDataObject(data)
    assert writer.Write() == 1, name


def root(name, kind, version=(2, 1)):
    file = h5py.File(f"{folder}/{name}.vtkhdf", "w")
    group = file.create_group("VTKHDF")
    group.attrs["Version"] = version
    group.attrs.create("Type", numpy.bytes_(kind))
    return file, group


def steps(group, values):
    made = group.create_group("Steps")
    made.attrs["NSteps"] = len(values)
    made["Values"] = numpy.asarray(values, "f8")
    return made


def image(name, times):
    shape = (7, 5, 9)
    file, group = root(name, "ImageData")
    group.attrs["WholeExtent"] = (0, 8, 0, 4, 0, 6)
    group.attrs["Origin"] = (1.0, 2.0, 3.0)
    group.attrs["Spacing"] = (0.5, 1.0, 2.0)
    group.attrs["Direction"] = (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)
    lead = (len(times),) if times else ()
    group["PointData/u"] = random.random((*lead, *shape))
    group["CellData/c"] = random.random((*lead, 6, 4, 8))
    if times:
        made = steps(group, times)
        made["PointDataOffsets/u"] = numpy.arange(len(times))
        made["CellDataOffsets/c"] = numpy.arange(len(times))
    file.close()


def transient_grid(name, times):
    """A mesh that stays, in two parts, with values that change."""
    file, group = root(name, "UnstructuredGrid")
    parts = [sphere(4, True), sphere(6, True)]
    points = [numpy.array([part.GetPoint(i) for i in range(part.GetNumberOfPoints())]) for part in parts]
    cells = [
        [[part.GetCell(c).GetPointId(k) for k in range(3)] for c in range(part.GetNumberOfCells())] for part in parts
    ]
    group["NumberOfPoints"] = [len(one) for one in points]
    group["NumberOfCells"] = [len(one) for one in cells]
    group["NumberOfConnectivityIds"] = [3 * len(one) for one in cells]
    group["Points"] = numpy.concatenate(points)
    group["Connectivity"] = numpy.concatenate([numpy.ravel(one) for one in cells])
    group["Offsets"] = numpy.concatenate([3 * numpy.arange(len(one) + 1) for one in cells])
    group["Types"] = numpy.full(sum(map(len, cells)), 5, "u1")
    total = sum(map(len, points))
    group["PointData/heat"] = random.random(len(times) * total)
    made = steps(group, times)
    zeros = numpy.zeros(len(times), "i8")
    made["PartOffsets"] = zeros
    made["NumberOfParts"] = zeros + 2
    made["PointOffsets"] = zeros
    made["CellOffsets"] = zeros.reshape(-1, 1)
    made["ConnectivityIdOffsets"] = zeros.reshape(-1, 1)
    made["PointDataOffsets/heat"] = numpy.arange(len(times)) * total
    file.close()


def overlapping_amr(name):
    file, group = root(name, "OverlappingAMR")
    group.attrs["Origin"] = (0.0, 0.0, 0.0)
    group.attrs.create("GridDescription", numpy.bytes_("XYZ"))
    levels = [(1.0, [(0, 3, 0, 3, 0, 3)]), (0.5, [(0, 3, 0, 3, 0, 1), (4, 7, 0, 3, 0, 1)])]
    for number, (spacing, boxes) in enumerate(levels):
        level = group.create_group(f"Level{number}")
        level.attrs["Spacing"] = (spacing,) * 3
        level["AMRBox"] = numpy.array(boxes, "i4")
        sizes = [[box[2 * axis + 1] - box[2 * axis] + 1 for axis in range(3)] for box in boxes]
        level["CellData/density"] = random.random(sum(map(numpy.prod, sizes)))
        level["PointData/field"] = random.random(sum(numpy.prod([n + 1 for n in size]) for size in sizes))
        level.create_group("FieldData")
    file.close()


def collection():
    made = vtkPartitionedDataSetCollection()
    made.SetNumberOfPartitionedDataSets(2)
    for index, sizes in enumerate([(5, 6), (7,)]):
        for part, size in enumerate(sizes):
            made.SetPartition(index, part, sphere(size, index == 1))
    made.GetMetaData(0).Set(made.NAME(), "Shell")
    made.GetMetaData(1).Set(made.NAME(), "Core")
    assembly = vtkDataAssembly()  # without one the writer crashes
    for index, name in enumerate(("Shell", "Core")):
        assembly.AddDataSetIndex(assembly.AddNode(name), index)
    made.SetDataAssembly(assembly)
    return made


def multiblock():
    inner, outer = vtkMultiBlockDataSet(), vtkMultiBlockDataSet()
    inner.SetBlock(0, sphere(5, False))
    inner.GetMetaData(0).Set(inner.NAME(), "Leaf")
    outer.SetBlock(0, sphere(8, True))
    outer.GetMetaData(0).Set(outer.NAME(), "Grid")
    outer.SetBlock(1, inner)
    outer.GetMetaData(1).Set(outer.NAME(), "Inner")
    return outer


parts = vtkPartitionedDataSet()
for index in range(3):
    parts.SetPartition(index, sphere(5 + index, True))

image("image", [])
write("grid", sphere(9, True))
write("parts", parts)
write("surface", sphere(7, False))
write("collection", collection())
write("multiblock", multiblock())
overlapping_amr("amr")
image("steps", [0.5, 1.0, 2.5])
transient_grid("moving", [1.0, 2.0, 4.0])

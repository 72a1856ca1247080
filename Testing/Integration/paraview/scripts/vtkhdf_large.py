# SPDX-License-Identifier: BSD-3-Clause
"""A program that writes VTKHDF files whose arrays are just large enough to be mapped, also by each of two ranks, and
some that cannot be."""

import sys

from mpi4py import MPI  # first: it makes h5py use the HDF5 that VTK uses

import h5py
import numpy

assert MPI.COMM_WORLD.size == 1
folder = sys.argv[1]
random = numpy.random.default_rng(11)
# A list of doubles has 4 MiB.
ROWS = (4 << 20) // 8
# Half of the layers of cells have as much.
SHAPE = (176, 80, 80)
CELLS = tuple(count - 1 for count in SHAPE)


def root(name):
    # HDF5 aligns nothing by itself, and groups that keep the order of their members have headers of any size.
    file = h5py.File(f"{folder}/{name}.vtkhdf", "w", alignment_threshold=1 << 20, alignment_interval=8)
    return file, file.create_group("VTKHDF", track_order=True)


def start(group, kind):
    group.attrs["Version"] = (2, 1)
    group.attrs["Type"] = numpy.bytes_(kind)


def steps(group, times):
    made = group.create_group("Steps")
    made.attrs["NSteps"] = len(times)
    made["Values"] = numpy.asarray(times, "f8")
    return made


def fill_image(group, first=0):
    start(group, "ImageData")
    z, y, x = CELLS
    group.attrs["WholeExtent"] = (first, first + x, 0, y, 0, z)
    group.attrs["Origin"], group.attrs["Spacing"] = (1.0, 2.0, 3.0), (0.5, 1.0, 2.0)
    group.attrs["Direction"] = numpy.eye(3).ravel()


def image(name):
    file, group = root(name)
    fill_image(group)
    points = group.create_group("PointData")
    points["velocity"] = random.random((*SHAPE, 3), "f4")
    points["heat"] = random.random(SHAPE)
    # That of VTK 9.7 makes it the active one.
    points["heat"].attrs.create("Attribute", numpy.bytes_("Scalars"))
    points["number"] = numpy.arange(numpy.prod(SHAPE)).reshape(SHAPE)
    points["off"] = random.random(SHAPE)
    points["signed"] = random.integers(-9, 9, (*SHAPE, 4)).astype("i1")
    points["small"] = random.integers(0, 9, SHAPE).astype("u1")
    points["swapped"] = random.random(SHAPE).astype(">f8")
    points.create_dataset("packed", data=numpy.zeros(SHAPE), compression="gzip", compression_opts=1)
    group["CellData/c"] = random.random(CELLS)
    group["CellData/off"] = random.random(CELLS)
    file.close()


def series_of_images(name, times):
    file, group = root(name)
    fill_image(group)
    group["PointData/heat"] = random.random((len(times), *SHAPE))
    group["CellData/c"] = random.random((len(times), *CELLS))
    made = steps(group, times)
    # The others are in their own order.
    made["PointDataOffsets/heat"] = numpy.arange(len(times))[::-1]
    file.close()


def picture(name):
    """An image of one layer: its datasets have a dimension less."""
    y, x = 1100, 1000
    file, group = root(name)
    fill_image(group)
    group.attrs["WholeExtent"] = (0, x - 1, 0, y - 1, 0, 0)
    group["PointData/heat"] = random.random((y, x))
    group["CellData/c"] = random.random((y - 1, x - 1))
    file.close()


def elsewhere(name):
    """An image whose extent begins at 1: vtkHDFReader skips what the dataset has before."""
    file, group = root(name)
    fill_image(group, 1)
    z, y, x = SHAPE
    group["PointData/heat"] = random.random((z, y, x + 1))
    file.close()


def fill_vertices(group, parts):
    """Cells of one point each, in as many parts."""
    group["NumberOfCells"] = group["NumberOfConnectivityIds"] = parts * [ROWS]
    group["Connectivity"] = numpy.tile(numpy.arange(ROWS, dtype="i4"), parts)
    group["Offsets"] = numpy.tile(numpy.arange(ROWS + 1, dtype="i4"), parts)


def fill_points(group, parts, count=1):
    """Points, and arrays of so many steps."""
    group["NumberOfPoints"] = parts * [ROWS]
    group["Points"] = random.random((parts * ROWS, 3), "f4")
    group["PointData/heat"] = random.random(count * parts * ROWS)
    group["CellData/id"] = numpy.arange(count * parts * ROWS) % 1000


def fill_grid(group, parts, count=1):
    start(group, "UnstructuredGrid")
    fill_points(group, parts, count)
    fill_vertices(group, parts)
    group["Types"] = numpy.ones(parts * ROWS, "u1")


def fill_surface(group, parts):
    start(group, "PolyData")
    fill_points(group, parts)
    fill_vertices(group.create_group("Vertices"), parts)
    for topology in ("Lines", "Polygons", "Strips"):
        none = group.create_group(topology)
        none["NumberOfCells"] = none["NumberOfConnectivityIds"] = parts * [0]
        none["Connectivity"], none["Offsets"] = numpy.zeros(0, "i4"), numpy.zeros(parts, "i4")


def moving(name, times):
    """A mesh of two parts that stays, with values that change."""
    file, group = root(name)
    fill_grid(group, 2, len(times))
    made = steps(group, times)
    zeros = numpy.zeros(len(times), "i8")
    made["NumberOfParts"] = zeros + 2
    made["PartOffsets"] = made["PointOffsets"] = zeros
    made["CellOffsets"] = made["ConnectivityIdOffsets"] = zeros.reshape(-1, 1)
    made["PointDataOffsets/heat"] = made["CellDataOffsets/id"] = numpy.arange(len(times)) * 2 * ROWS
    file.close()


def collection(name):
    file, group = root(name)
    start(group, "PartitionedDataSetCollection")
    assembly = group.create_group("Assembly", track_order=True)
    for index, fill in enumerate((fill_grid, fill_surface)):
        member = group.create_group(f"member{index}")
        fill(member, 1)
        member.attrs["Index"] = index
        assembly[f"member{index}"] = h5py.SoftLink(f"/VTKHDF/member{index}")
    file.close()


def mesh(name, fill, parts):
    file, group = root(name)
    fill(group, parts)
    file.close()


image("image")
series_of_images("images", [0.5, 1.0])
picture("picture")
elsewhere("elsewhere")
mesh("grid", fill_grid, 1)
mesh("surface", fill_surface, 2)
moving("moving", [1.0, 2.0])
collection("collection")

# SPDX-License-Identifier: BSD-3-Clause
"""A program that writes plain datasets, and says in XDMF what they mean: in the file, beside it, in a
time series, and not at all."""

import sys

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py
import numpy

assert MPI.COMM_WORLD.size == 1
folder = sys.argv[1]

TETRAHEDRON = """<Grid Name="mesh"><Time Value="{time}"/>
<Topology TopologyType="Tetrahedron" NumberOfElements="2">
<DataItem Dimensions="2 4" NumberType="Int" Format="HDF">{mesh}:/cells</DataItem></Topology>
<Geometry GeometryType="XYZ">
<DataItem Dimensions="5 3" NumberType="Float" Precision="8" Format="HDF">{mesh}:/points</DataItem></Geometry>
<Attribute Name="heat" Center="Node"><DataItem Dimensions="5" NumberType="Float" Precision="8" Format="HDF">
  {file}:/heat
</DataItem></Attribute>
<Attribute Name="age" Center="Cell">
<DataItem Dimensions="2" NumberType="Float" Precision="8" Format="HDF">{file}:/age</DataItem></Attribute>
</Grid>"""
IMAGE = """<Grid Name="image"><Topology TopologyType="3DCoRectMesh" Dimensions="7 5 9"/>
<Geometry GeometryType="Origin_DxDyDz">
<DataItem Dimensions="3" Format="XML">3 2 1</DataItem>
<DataItem Dimensions="3" Format="XML">2 1 0.5</DataItem></Geometry>
<Attribute Name="u" Center="Node">
<DataItem Dimensions="7 5 9" NumberType="Float" Precision="8" Format="HDF">{file}:/u</DataItem></Attribute>
</Grid>"""


def xdmf(grid):
    return (
        f'<?xml version="1.0"?><!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []><Xdmf Version="2.0"><Domain>{grid}</Domain></Xdmf>'
    )


def mesh(file, step, points=True):
    if points:
        file["points"] = numpy.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], "f8")
        file["cells"] = numpy.array([(0, 1, 2, 3), (1, 2, 3, 4)], "i4")
    file["heat"] = numpy.arange(5.0) + 10 * step
    file["age"] = numpy.array([7.0, 8.0]) + step


# Each file describes itself.
for step in (1, 2):
    with h5py.File(f"{folder}/self.{step}.h5", "w") as file:
        mesh(file, step)
        file.attrs["time"] = step / 2
        text = xdmf(TETRAHEDRON.format(file=f"self.{step}.h5", mesh=f"self.{step}.h5", time=step / 2))
        if step == 1:
            file["Xdmf"] = text
        else:
            file.attrs["Xdmf"] = numpy.bytes_(text)

# One description on disk for a series of files, whose mesh is in the first.
with open(f"{folder}/series.xmf", "w") as file:
    grids = "".join(TETRAHEDRON.format(file=f"series.{step}.h5", mesh="series.1.h5", time=step) for step in (1, 2))
    file.write(xdmf(f'<Grid Name="series" GridType="Collection" CollectionType="Temporal">{grids}</Grid>'))
for step in (1, 2):
    with h5py.File(f"{folder}/series.{step}.h5", "w") as file:
        mesh(file, step, step == 1)

# One beside its file.
with open(f"{folder}/beside.3.xdmf", "w") as file:
    # "SERIAL:" is for ParaView's reader of version 2, which opens by MPI-IO otherwise.
    file.write(xdmf(IMAGE.format(file="SERIAL:beside.3.h5")))
with h5py.File(f"{folder}/beside.3.h5", "w") as file:
    file["u"] = numpy.arange(7 * 5 * 9, dtype="f8").reshape(7, 5, 9)

# Particles, columns, and columns whose coordinates have no usual names.
index = numpy.arange(101)
with h5py.File(f"{folder}/particles.h5", "w") as file:
    for axis, name in enumerate("xyz"):
        file[f"atoms/{name}"] = index * 1.0 + axis
    file["atoms/velocity"] = numpy.stack([index, -index, 2 * index], 1).astype("f4")
    file["atoms/id"] = index.astype("i8")
    file["box"] = [10.0, 10.0, 10.0]
with h5py.File(f"{folder}/columns.h5", "w") as file:
    file["a"] = index * 2
    file["b"] = index * 0.5

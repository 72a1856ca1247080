# SPDX-License-Identifier: BSD-3-Clause
"""Reads files on disk with the file reader: plain datasets, VTKHDF, and one that is not there."""

import os

from paraview import simple

import paraviewdsm
from reporting import information, on_every_rank, report

paraviewdsm.load()

folder = os.environ["DSM_TEST_FOLDER"]

plain = simple.DSMFileReader(FileName=f"{folder}/plain.h5")
plain.UpdatePipeline()
report(arrays=sorted(plain.PointData.keys()), times=list(plain.TimestepValues))
on_every_rank(plain, f"""
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
x0, x1, y0, y1, z0, z1 = data.GetExtent()
expected = numpy.load("{folder}/plain.npy")[z0:z1 + 1, y0:y1 + 1, x0:x1 + 1]
found = vtk_to_numpy(data.GetPointData().GetArray("deep/ez")).reshape(expected.shape)
report(plain=bool((found == expected).all()), points=int(found.size))
""")

flat = simple.DSMFileReader(FileName=f"{folder}/flat.h5")
flat.UpdatePipeline()
report(flat=list(flat.GetDataInformation().GetExtent()), flatTypes=flat.PointData.GetArray(0).GetDataType())

vtkhdf = simple.DSMFileReader(FileName=f"{folder}/image.vtkhdf")
vtkhdf.UpdatePipeline()
report(vtkhdf=sorted(vtkhdf.PointData.keys()), vtkhdfTimes=list(vtkhdf.TimestepValues))
vtkhdf.PointArrays = ["u"]
vtkhdf.UpdatePipeline()
report(chosen=sorted(vtkhdf.PointData.keys()))

missing = simple.DSMFileReader(FileName=f"{folder}/missing.h5")
missing.UpdatePipeline()
report(missing=information(missing, "ErrorText"))
vtkhdf.FileName = f"{folder}/nothing.h5"
vtkhdf.UpdatePipeline()
report(nothing=information(vtkhdf, "ErrorText"))

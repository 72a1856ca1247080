# SPDX-License-Identifier: BSD-3-Clause
"""Does what a user does in a notebook: attaches, then writes and reads with several HDF5 libraries in one process, and
prints what is equal.

    attached_program.py CONTACT before|after     attach before or after the modules are imported
"""

# ruff: noqa: E402 - what is imported before and after attaching is the point
import re
import sys

import dsm

contact, when = sys.argv[1:]
if when == "before":
    dsm.attach(contact)

import h5py
import netCDF4
import numpy
import pyvista
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOHDF import vtkHDFReader, vtkHDFWriter
from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader

import vtkhdf_image

VALUES = vtkhdf_image.VALUES
SHAPE = VALUES.shape
SIZES = " ".join(map(str, SHAPE))


def placed(name):
    """Tells whether a file is in memory, where its name is a placeholder, or on disk."""
    with open(name, "rb") as file:
        return "memory" if b"paraview-dsm-placeholder " in file.read(16 << 10) else "disk"


def report(what, name, *read):
    equal = all(numpy.array_equal(numpy.asarray(values).ravel(), VALUES.ravel()) for values in read)
    print(what, "equal" if equal else f"differ: {[str(values) for values in read]}", placed(name), flush=True)


def points(data, name="u"):
    return vtk_to_numpy(data.GetPointData().GetArray(name))


def read_by(reader, name):
    reader.SetFileName(name)
    reader.Update()
    return reader.GetOutputDataObject(0)


def dataset(name, path="u"):
    with h5py.File(name) as file:
        return file[path][...]


def vtkhdf():
    vtkhdf_image.write("h5py.vtkhdf")
    report("VTKHDF by h5py", "h5py.vtkhdf", points(read_by(vtkHDFReader(), "h5py.vtkhdf")),
           pyvista.read("h5py.vtkhdf")["u"])
    mesh = pyvista.wrap(vtkImageData())
    mesh.dimensions = SHAPE[::-1]
    mesh["u"] = VALUES.ravel()
    grid = mesh.cast_to_unstructured_grid()
    writer = vtkHDFWriter()
    writer.SetFileName("vtk.vtkhdf")
    writer.SetInputData(grid)
    writer.Write()
    report("VTKHDF by VTK", "vtk.vtkhdf", dataset("vtk.vtkhdf", "VTKHDF/PointData/u"),
           points(read_by(vtkHDFReader(), "vtk.vtkhdf")), pyvista.read("vtk.vtkhdf")["u"])


def plain():
    with h5py.File("plain.h5", "w") as file:
        file["u"] = VALUES
    report("plain", "plain.h5", dataset("plain.h5"))


XDMF = f"""<Xdmf><Domain><Grid>
<Topology TopologyType="3DCoRectMesh" Dimensions="{SIZES}"/>
<Geometry GeometryType="ORIGIN_DXDYDZ">
<DataItem Dimensions="3" Format="XML">0 0 0</DataItem><DataItem Dimensions="3" Format="XML">1 1 1</DataItem>
</Geometry>
<Attribute Name="u" Center="Node">
<DataItem Dimensions="{SIZES}" NumberType="Float" Precision="8" Format="HDF">xdmf.h5:/u</DataItem>
</Attribute></Grid></Domain></Xdmf>"""


def xdmf():
    with h5py.File("xdmf.h5", "w") as file:
        file["u"] = VALUES
    with open("xdmf.xmf", "w", encoding="utf-8") as file:
        file.write(XDMF)
    report("XDMF", "xdmf.h5", points(read_by(vtkXdmfReader(), "xdmf.xmf")), dataset("xdmf.h5"))


def openpmd():
    with h5py.File("openpmd_1.h5", "w") as file:
        file.attrs["openPMD"], file.attrs["basePath"] = "1.1.0", "/data/%T/"
        file.attrs["meshesPath"], file.attrs["iterationEncoding"] = "fields/", "fileBased"
        record = file.create_dataset("data/1/fields/u", data=VALUES)
        record.attrs["axisLabels"], record.attrs["geometry"] = ["z", "y", "x"], "cartesian"
        record.attrs["gridSpacing"], record.attrs["unitSI"] = [1.0, 1.0, 1.0], 1.0
        file["data/1"].attrs["time"] = 0.5
    report("openPMD", "openpmd_1.h5", dataset("openpmd_1.h5", "data/1/fields/u"))


def netcdf():
    with netCDF4.Dataset("sim.nc", "w") as file:
        for name, size in zip("zyx", SHAPE, strict=True):
            file.createDimension(name, size)
            file.createVariable(name, "f8", (name,))[:] = numpy.arange(size)
        file.createVariable("u", "f8", tuple("zyx"))[:] = VALUES
    with netCDF4.Dataset("sim.nc") as file:
        again = file["u"][...].filled()
    reader = vtkNetCDFCFReader()
    reader.SphericalCoordinatesOff()
    reader.SetOutputTypeToImage()
    report("netCDF", "sim.nc", again, points(read_by(reader, "sim.nc")), dataset("sim.nc"))


if when == "after":
    vtkhdf()  # by libraries that are in use already, as in a notebook
    dsm.attach(contact)
with h5py.File("simulation.h5") as simulated:
    print("of a simulation", simulated["a"][...].tolist(), flush=True)
for part in vtkhdf, plain, xdmf, openpmd, netcdf:
    part()
with open("/proc/self/maps", encoding="utf-8") as maps:
    libraries = set(re.findall(r"/lib(?:vtk)?hdf5[-.]\S*$", maps.read(), re.MULTILINE))
print("HDF5 libraries:", len(libraries), flush=True)
dsm.detach()
with h5py.File("detached.h5", "w") as last:
    last["u"] = VALUES
report("detached", "detached.h5", dataset("detached.h5"))

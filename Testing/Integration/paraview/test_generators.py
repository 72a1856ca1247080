# SPDX-License-Identifier: BSD-3-Clause
"""Files that the formats' own libraries write, live, on 1 and 3 ranks, against what somebody else reads on disk: what
runs in seconds. The others: test_more_generators.py."""

import sysconfig

import h5netcdf
import h5py
import meshio
import numpy
from generated import File, Generator, Part, grid, python, show
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOCGNSReader import vtkCGNSReader
from vtkmodules.vtkIOExodus import vtkExodusIIReader

LIBRARIES = f"/usr/lib/{sysconfig.get_config_var('MULTIARCH')}"


def ocean(path, step):
    """By h5netcdf: numbers as the file has them, and the arithmetic of the conventions."""
    with h5netcdf.File(path) as file:

        def values(name):
            data, about = file[name][step].astype("f8"), file[name].attrs
            missing = data == about.get("_FillValue", numpy.nan)
            return numpy.where(missing, numpy.nan, data * about.get("scale_factor", 1) + about.get("add_offset", 0))

        depth, lat, lon = (file[name][:] for name in ("depth", "lat", "lon"))
        return [Part(grid(-depth, lat, lon)[:, ::-1], {name: values(name) for name in ("thetao", "uo", "vo")}),
                Part(grid([0], lat, lon)[:, ::-1], {"zos": values("zos")})]


# VTK's numbers of meshio's names, where the corners have the same order.
TYPES = {"triangle": 5, "quad": 9, "tetra": 10, "hexahedron": 12, "wedge": 13}


def mesh(points, cells, point, cell):
    points = numpy.column_stack([points, numpy.zeros((len(points), 3 - points.shape[1]))])
    listed = [(TYPES[block.type], points[corners]) for block in cells for corners in block.data]
    return [Part(points, point, {name: numpy.concatenate(blocks) for name, blocks in cell.items()}, listed)]


def by_meshio(path, _):
    made = meshio.read(path.with_suffix(".xdmf"))
    return mesh(made.points, made.cells, made.point_data, made.cell_data)


def series(path, step):
    with meshio.xdmf.TimeSeriesReader(path.with_suffix(".xdmf")) as reader:
        points, cells = reader.read_points_cells()
        _, point, cell = reader.read_data(step)
        return mesh(points, cells, point, cell)


def climate(path, step):
    with h5netcdf.File(path) as file:
        return [Part(grid([0], file["lat"][:], file["lon"][:])[:, ::-1], {"tas": file["tas"][step]})]


def leaves(data):
    """The data sets in what a reader of VTK's has made."""
    if not data.IsA("vtkMultiBlockDataSet"):
        return [data] if data.GetNumberOfCells() > 0 else []
    blocks = [data.GetBlock(index) for index in range(data.GetNumberOfBlocks())]
    return [leaf for block in blocks if block for leaf in leaves(block)]


def arrays_of(attributes):
    """By name; but for the numbers that VTK gives points, cells and blocks."""
    arrays = [attributes.GetArray(index) for index in range(attributes.GetNumberOfArrays())]
    return {array.GetName(): vtk_to_numpy(array) for array in arrays
            if array.GetName() not in ("ObjectId", "GlobalElementId", "GlobalNodeId")}


def by_vtk(reader, step):
    """The parts that a reader of VTK's makes at a step; each type of cells is one."""
    reader.UpdateInformation()
    about = reader.GetOutputInformation(0)
    reader.UpdateTimeStep(about.Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS(), step))
    parts = []
    for leaf in leaves(reader.GetOutputDataObject(0)):
        point, cell = arrays_of(leaf.GetPointData()), arrays_of(leaf.GetCellData())
        points = vtk_to_numpy(leaf.GetPoints().GetData())
        if leaf.IsA("vtkStructuredGrid") and not cell:
            parts.append(Part(points, point))
            continue
        types = numpy.array([leaf.GetCellType(index) for index in range(leaf.GetNumberOfCells())])
        for kind in numpy.unique(types):
            cells, used = [], set()
            for index in numpy.nonzero(types == kind)[0]:
                ids = leaf.GetCell(index).GetPointIds()
                corners = [ids.GetId(corner) for corner in range(ids.GetNumberOfIds())]
                used.update(corners)
                cells.append((kind, points[corners]))
            used = sorted(used)
            parts.append(Part(points[used], {name: values[used] for name, values in point.items()},
                              {name: values[types == kind] for name, values in cell.items()}, cells))
    return parts


def exodus(path, step):
    reader = vtkExodusIIReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    reader.ApplyDisplacementsOff()
    for kind in reader.NODAL, reader.ELEM_BLOCK:
        reader.SetAllArrayStatus(kind, 1)
    return by_vtk(reader, step)


def cgns(path, step):
    reader = vtkCGNSReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    reader.EnableAllPointArrays()
    reader.EnableAllCellArrays()
    return by_vtk(reader, step)


def med(path, step):
    """By meshio, which gives each step of a field a name of its own; each type of cells is a part."""
    made = meshio.read(path)
    now = {name.split("[")[0]: values for name, values in made.point_data.items() if f"[{step}]" in name}
    parts = []
    for number, block in enumerate(made.cells):
        # Quadrilaterals are the boundary.
        if block.type != "quad":
            used = numpy.unique(block.data)
            cell = {name.split("[")[0]: values[number]
                    for name, values in made.cell_data.items() if f"[{step}]" in name}
            listed = [(TYPES[block.type], made.points[corners]) for corners in block.data]
            parts.append(Part(made.points[used], {name: values[used] for name, values in now.items()}, cell, listed))
    return parts


def joined(path, step):
    """By h5py, which finds the processes' files itself."""
    with h5py.File(path) as file:
        flow = file["tasks/flow"][step].reshape(2, -1)
        # Its components are along x and z.
        flow = numpy.stack([flow[0], 0 * flow[0], flow[1]], 1)
        return [Part(grid(file["scales/x_hash"][:], [0], file["scales/z_hash"][:]),
                     {"heat": file["tasks/heat"][step].ravel(), "flow": flow})]


GENERATORS = {
    "h5py, joined": Generator(
        python("h5py_joined"), [File("joined.h5", "dimension scales", joined, [0, 0.25, 0.5])],
    ),
    "netCDF4": Generator(python("netcdf4_ocean"), [File("ocean.nc", "netCDF-4", ocean, [0, 6, 12])]),
    "netCDF on 3 ranks": Generator(
        ["mpicc.openmpi", "netcdf_parallel.c", "-I/usr/include/hdf5/openmpi",
         f"-I{LIBRARIES}/netcdf/mpi/include", "-lnetcdf_mpi", "-lm"],
        [File("climate.nc", "netCDF-4", climate, [15.5, 45.5])], ranks=3,
    ),
    "Exodus": Generator(
        ["cc", "exodus_blocks.c", "-lexoIIv2c", "-lm"],
        [File("blocks.e", "Exodus", exodus, [0.25, 1, 2.25])],
    ),
    "CGNS": Generator(
        ["cc", "cgns_zones.c", "-I/usr/include/hdf5/serial", "-lcgns", "-lm"],
        [File("zones.cgns", "CGNS", cgns, [0.5, 0.75])],
    ),
    "MED": Generator(
        ["mpicc.openmpi", "med_beam.c", "-I/usr/include/hdf5/openmpi", "-lmedC", "-lm"],
        [File("beam.med", "MED", med, [0.5, 2])],
    ),
    "meshio": Generator(
        python("meshio_meshes"),
        [File("mixed.h5", "XDMF", by_meshio), File("flat.h5", "XDMF", by_meshio),
         File("series.h5", "XDMF", series, [0, 0.5, 1])],
    ),
}


def test_generators(bench):
    show(bench, GENERATORS)

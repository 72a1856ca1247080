# SPDX-License-Identifier: BSD-3-Clause
"""Files that the formats' own libraries write, live, on 1 and 3 ranks, against what somebody else reads on disk: what
runs in seconds. The others: test_more_generators.py."""

import h5netcdf
import h5py
import meshio
import numpy
from generated import File, Generator, Part, grid, python, show


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


def meep(path, step):
    """Its first dimension is x, its last, where it is appended to, time."""
    with h5py.File(path) as file:
        ((name, dataset),) = file.items()
        values = dataset[..., step] if dataset.maxshape[-1] is None else dataset[:]
        return [Part(grid(*map(numpy.arange, values.shape), [0]), {name: values})]


def unknown(path, _):
    """As an image, whose last dimension is x."""
    with h5py.File(path) as file:
        ((name, dataset),) = file.items()
        points = grid(*map(numpy.arange, dataset.shape))[:, ::-1]
        return [Part(numpy.pad(points, ((0, 0), (0, 3 - dataset.ndim))), {name: dataset[:]})]


GENERATORS = {
    "netCDF4": Generator(python("netcdf4_ocean"), [File("ocean.nc", "netCDF-4", ocean, [0, 6, 12])]),
    "meshio": Generator(
        python("meshio_meshes"),
        [File("mixed.h5", "XDMF", by_meshio), File("flat.h5", "XDMF", by_meshio),
         File("series.h5", "XDMF", series, [0, 0.5, 1])],
    ),
    "meep": Generator(
        python("meep_waveguide"),
        [File("wg-eps-000000.00.h5", "Meep", meep, guessed=unknown),
         File("wg-ex-000002.00.h5", "Meep", meep, guessed=unknown),
         File("wg-ey-000004.00.h5", "Meep", meep, guessed=unknown),
         File("wg-ez.h5", "Meep", meep, [0, 1, 2, 3], guessed=unknown)],
        ranks=2,
    ),
}


def test_generators(bench):
    show(bench, GENERATORS)

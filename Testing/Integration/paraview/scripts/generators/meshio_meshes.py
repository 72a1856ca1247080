# SPDX-License-Identifier: BSD-3-Clause
"""meshio: meshes of several kinds of cells with values on points and cells, in the formats it has in HDF5; and a
series of steps in XDMF."""

import os
import sys

import meshio
import numpy

folder = sys.argv[1]
random = numpy.random.default_rng(11)
# Two cubes of hexahedra beside each other, a prism on top of one and a tetrahedron beside it.
corners = [(x, y, z) for z in (0, 1) for y in (0, 1.5) for x in (0, 1, 2.25)]
points = numpy.array([*corners, (0.5, 0, 2), (0.5, 1.5, 2), (3, 0.5, 0.5)])
hexahedra = [[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]]
mixed = meshio.Mesh(
    points,
    [("hexahedron", hexahedra), ("wedge", [[6, 7, 12, 9, 10, 13]]), ("tetra", [[2, 5, 8, 14], [5, 11, 8, 14]])],
    point_data={"heat": random.random(15), "flow": random.random((15, 3))},
    cell_data={"rank": [[1.0, 2.0], [3.0], [4.0, 5.0]]},
)
xs, ys = numpy.meshgrid(numpy.linspace(0, 2, 5), numpy.linspace(0, 1, 4) ** 2)
at = numpy.arange(20).reshape(4, 5)
corners = numpy.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
triangles = numpy.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
flat = meshio.Mesh(
    numpy.stack([xs.ravel(), ys.ravel()], 1),
    [("triangle", triangles)],
    point_data={"u": random.random(20)},
    cell_data={"area": [random.random(24)]},
)
solid = meshio.Mesh(numpy.column_stack([flat.points, xs.ravel() * 0.25]), flat.cells, flat.point_data, flat.cell_data)
mixed.write(f"{folder}/mixed.xdmf", data_format="HDF")
flat.write(f"{folder}/flat.xdmf", data_format="HDF")
# It puts the HDF5 file of a series into the working folder.
os.chdir(folder)
with meshio.xdmf.TimeSeriesWriter("series.xdmf") as series:
    series.write_points_cells(solid.points, solid.cells)
    for step in range(3):
        series.write_data(step / 2, point_data={"u": random.random(20)}, cell_data={"area": [random.random(24)]})

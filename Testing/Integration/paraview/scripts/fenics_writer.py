# SPDX-License-Identifier: BSD-3-Clause
"""A program as users of FEniCSx write it: one file for the whole run, two functions at each of four steps. It goes on
when a step has been drawn, so that the test sees each."""

import pathlib
import sys
import time

from mpi4py import MPI

from dolfinx import fem, io, mesh

cube = mesh.create_unit_cube(MPI.COMM_WORLD, 3, 4, 5)
scalar = fem.Function(fem.functionspace(cube, ("Lagrange", 1)), name="f")
vector = fem.Function(fem.functionspace(cube, ("Lagrange", 1, (3,))), name="v")
with io.XDMFFile(cube.comm, f"{sys.argv[1]}/out.xdmf", "w") as file:
    file.write_mesh(cube)
    for step in range(4):
        scalar.interpolate(lambda x, step=step: x[0] + 10 * x[1] + 100 * x[2] + 1000 * step)
        vector.interpolate(lambda x, step=step: (x[0], x[1] * step, x[2]))
        for function in (scalar, vector):
            time.sleep(0.2)  # others compute: the file is published behind the first write after a while
            file.write_function(function, step / 2)
        drawn = pathlib.Path(sys.argv[2]) / f"drawn.{step}"
        limit = time.monotonic() + 60
        while not drawn.exists() and time.monotonic() < limit:
            time.sleep(0.05)
        cube.comm.barrier()

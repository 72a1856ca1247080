# SPDX-License-Identifier: BSD-3-Clause
"""openpmd-api, as WarpX and PIConGPU use it: an electric field staggered as on a Yee grid and a charge density, a beam
of electrons with constants, at two iterations in one file; and fields in azimuthal modes.

PyPI's openpmd-api has HDF5 inside itself, where nothing from outside reaches it, so it cannot be live. What it has
written goes on by h5py, as it is."""

import pathlib
import sys
import tempfile

import h5py
import numpy
import openpmd_api as io

scratch = tempfile.TemporaryDirectory()
folder = scratch.name
random = numpy.random.default_rng(23)


def store(component, data, unit=1.0):
    component.unit_SI = unit
    component.reset_dataset(io.Dataset(data.dtype, data.shape))
    component.store_chunk(numpy.ascontiguousarray(data))


series = io.Series(f"{folder}/beam/beam.h5", io.Access.create)
for step in (0, 10):
    iteration = series.snapshots()[step]
    iteration.time, iteration.dt, iteration.time_unit_SI = step * 0.5, 0.5, 1e-15
    for name in ("E", "rho"):
        mesh = iteration.meshes[name]
        mesh.axis_labels, mesh.grid_spacing = ["z", "y", "x"], [0.3, 0.2, 0.1]
        mesh.grid_global_offset, mesh.grid_unit_SI = [-1.0, 2.0, 3.0], 1e-6
        for number, axis in enumerate("zyx" if name == "E" else [io.Mesh_Record_Component.SCALAR]):
            component = mesh[axis]
            component.position = [0.5 if name == "E" and i == number else 0.0 for i in range(3)]
            store(component, random.random((6, 5, 4)), 2.0)
    electrons = iteration.particles["electrons"]
    for axis in "xyz":
        store(electrons["position"][axis], random.random(50), 1e-6)
        offset = electrons["positionOffset"][axis]
        offset.reset_dataset(io.Dataset(numpy.dtype("f8"), [50]))
        offset.make_constant(0.0)
        store(electrons["momentum"][axis], random.random(50) - 0.5, 2.7e-22)
    store(electrons["weighting"][io.Record_Component.SCALAR], random.random(50) * 1e5)
    charge = electrons["charge"][io.Record_Component.SCALAR]
    charge.reset_dataset(io.Dataset(numpy.dtype("f8"), [50]))
    charge.make_constant(-1.602e-19)
    iteration.close()
series.close()

series = io.Series(f"{folder}/modes/modes.h5", io.Access.create)
iteration = series.snapshots()[7]
iteration.time, iteration.dt, iteration.time_unit_SI = 3.5, 0.5, 1.0
mesh = iteration.meshes["B"]
mesh.geometry, mesh.geometry_parameters = io.Geometry.thetaMode, "m=2;imag=+"
mesh.axis_labels, mesh.grid_spacing, mesh.grid_global_offset = ["r", "z"], [0.1, 0.2], [0.0, -0.5]
mesh.grid_unit_SI = 1.0
for axis in "rtz":
    mesh[axis].position = [0.5, 0.0]
    store(mesh[axis], random.random((3, 4, 6)))
iteration.close()
series.close()

for name in "beam", "modes":
    made = pathlib.Path(sys.argv[1]) / name
    made.mkdir()
    with h5py.File(f"{folder}/{name}/{name}.h5") as old, h5py.File(made / f"{name}.h5", "w") as new:
        for member in old:
            old.copy(member, new)
        new.attrs.update(old.attrs)

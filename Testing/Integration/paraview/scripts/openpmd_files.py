# SPDX-License-Identifier: BSD-3-Clause
"""Writes files by the openPMD standard: by openpmd-api, as simulations do, where its folder is named, and others laid
out by hand for what that does not write."""

import sys

import h5py
import numpy

X, Y, Z = 3, 4, 5
# What each file holds is a function of these alone: readers are compared with it.
GRID = numpy.arange(X * Y * Z, dtype="f8").reshape(Z, Y, X)
PARTICLES = numpy.arange(7, dtype="f8")


def by_library(folder, encoding, name):
    import openpmd_api as io  # not everywhere

    series = io.Series(f"{folder}/{name}", io.Access.create)
    if encoding:
        series.iteration_encoding = encoding
    series.set_meshes_path("meshes")
    series.set_particles_path("particles")
    for step in (100, 200) if encoding != io.Iteration_Encoding.variable_based else (100,):
        iteration = series.snapshots()[step]
        iteration.time, iteration.dt, iteration.time_unit_SI = step / 100, 1.0, 0.5
        electric = iteration.meshes["E"]
        electric.axis_labels, electric.grid_spacing = ["z", "y", "x"], [3.0, 2.0, 1.0]
        electric.grid_global_offset, electric.grid_unit_SI = [30.0, 20.0, 10.0], 0.1
        electric.unit_dimension = {io.Unit_Dimension.L: 1, io.Unit_Dimension.M: 1, io.Unit_Dimension.I: -1,
                                   io.Unit_Dimension.T: -3}
        # E is staggered as on a Yee grid, rho lies at the corners.
        for axis, position in (("x", [0.0, 0.0, 0.5]), ("y", [0.0, 0.5, 0.0]), ("z", [0.5, 0.0, 0.0])):
            component = electric[axis]
            component.position, component.unit_SI = position, 2.0
            component.reset_dataset(io.Dataset(GRID.dtype, GRID.shape))
            component.store_chunk(numpy.ascontiguousarray(GRID + step + ord(axis)))
        density = iteration.meshes["rho"]
        density.axis_labels, density.grid_spacing = ["z", "y", "x"], [3.0, 2.0, 1.0]
        density.grid_global_offset, density.grid_unit_SI = [30.0, 20.0, 10.0], 0.1
        scalar = density[io.Mesh_Record_Component.SCALAR]
        scalar.position = [0.0, 0.0, 0.0]
        scalar.reset_dataset(io.Dataset(numpy.dtype("f4"), GRID.shape))
        scalar.store_chunk(numpy.ascontiguousarray((GRID - step).astype("f4")))
        current = iteration.meshes["J"]
        current.axis_labels, current.grid_spacing = ["z", "y", "x"], [3.0, 2.0, 1.0]
        current.grid_global_offset, current.grid_unit_SI = [30.0, 20.0, 10.0], 0.1
        for axis in "xyz":
            component = current[axis]
            component.position = [0.0, 0.0, 0.0]
            component.reset_dataset(io.Dataset(GRID.dtype, GRID.shape))
            if axis == "z":
                component.make_constant(4.5)
            else:
                component.store_chunk(numpy.ascontiguousarray(GRID * (1 if axis == "x" else -1)))
        electrons = iteration.particles["electrons"]
        for axis in "xyz":
            position = electrons["position"][axis]
            position.unit_SI = 0.1
            position.reset_dataset(io.Dataset(PARTICLES.dtype, PARTICLES.shape))
            position.store_chunk(PARTICLES + ord(axis))
            offset = electrons["positionOffset"][axis]
            offset.unit_SI = 2.0
            offset.reset_dataset(io.Dataset(PARTICLES.dtype, PARTICLES.shape))
            if axis == "y":
                offset.make_constant(step)
            else:
                offset.store_chunk(PARTICLES * step)
            momentum = electrons["momentum"][axis]
            momentum.unit_SI = 0.5
            momentum.reset_dataset(io.Dataset(PARTICLES.dtype, PARTICLES.shape))
            momentum.store_chunk(PARTICLES * (ord(axis) - ord("w")))
        number = electrons["id"][io.Record_Component.SCALAR]
        number.reset_dataset(io.Dataset(numpy.dtype("u8"), PARTICLES.shape))
        number.store_chunk(PARTICLES.astype("u8") + step)
        charge = electrons["charge"][io.Record_Component.SCALAR]
        charge.unit_SI = 3.0
        charge.reset_dataset(io.Dataset(PARTICLES.dtype, PARTICLES.shape))
        charge.make_constant(-1.0)
        series.flush()
        iteration.close()
    series.close()


def by_hand(path, version, base="/data/%T/", **mesh):
    """A file with one mesh "B" in its iteration "0007"."""
    with h5py.File(path, "w") as file:
        file.attrs["openPMD"] = numpy.bytes_(version)
        file.attrs["basePath"] = numpy.bytes_(base)
        file.attrs["meshesPath"] = numpy.bytes_("fields/")
        iteration = file.create_group(base.replace("%T", "0007").replace("%06T", "000007"))
        iteration.attrs["time"] = 3.0
        if version[0] == "1":
            iteration.attrs["timeUnitSI"] = 2.0
        record = iteration.create_dataset("fields/B", data=mesh.pop("data"))
        for name, value in mesh.items():
            record.attrs[name] = numpy.bytes_(value) if isinstance(value, str) else value


def main(folder, library):
    flat = numpy.arange(6.0).reshape(2, 3)
    corner = {"axisLabels": numpy.array([b"x", b"z"]), "gridSpacing": [1.0, 2.0], "gridGlobalOffset": [5.0, 6.0],
              "position": [0.5, 0.0], "geometry": "cartesian"}
    by_hand(f"{folder}/c.h5", "1.1.0", data=flat, dataOrder="C", gridUnitSI=10.0, **corner)
    # The same by somebody who counts the other way round: the labels are reversed, the data is not.
    turned = {name: value[::-1] if not isinstance(value, str) else value for name, value in corner.items()}
    by_hand(f"{folder}/f.h5", "1.1.0", data=flat, dataOrder="F", gridUnitSI=10.0, **turned)
    by_hand(f"{folder}/two.h5", "2.0.0", base="/data/", data=flat, gridUnitSI=[10.0, 100.0], **corner)
    by_hand(f"{folder}/padded.h5", "1.0.0", base="/data/%06T/", data=flat, dataOrder="C", gridUnitSI=10.0, **corner)
    modes = {"axisLabels": numpy.array([b"r", b"z"]), "gridSpacing": [1.0, 2.0], "gridGlobalOffset": [0.0, 6.0],
             "position": [0.5, 0.0], "geometry": "thetaMode", "geometryParameters": "m=2;imag=+"}
    by_hand(f"{folder}/modes.h5", "1.1.0", data=numpy.arange(18.0).reshape(3, 2, 3), dataOrder="C", gridUnitSI=10.0,
            **modes)
    by_hand(f"{folder}/spherical.h5", "1.1.0", data=flat, **corner | {"geometry": "spherical"})
    with h5py.File(f"{folder}/empty.h5", "w") as file:
        file.attrs["openPMD"] = numpy.bytes_("1.1.0")
        file.attrs["basePath"] = numpy.bytes_("/data/%T/")
    if library:
        sys.path.insert(0, library)
        import openpmd_api as io

        by_library(folder, io.Iteration_Encoding.group_based, "group.h5")
        by_library(folder, None, "file_%06T.h5")
        by_library(folder, io.Iteration_Encoding.variable_based, "variable.h5")


if __name__ == "__main__":
    main(*sys.argv[1:3])

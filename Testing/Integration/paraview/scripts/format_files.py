# SPDX-License-Identifier: BSD-3-Clause
"""Writes files of several formats by h5py, as the codes do whose formats they are: format_files.py FOLDER."""

import sys

if __name__ == "__main__":
    from mpi4py import MPI  # noqa: F401 - first: it makes h5py the parallel one

import h5py
import numpy


def write_labelled(path):
    """x is the slowest, components come before it, and the names are in labels: as Dedalus writes."""
    with h5py.File(path, "w") as file:
        file["scales/x"], file["scales/y"] = numpy.linspace(0, 2, 7), numpy.array([0.0, 1.0, 3.0, 7.0])
        file["scales/sim_time"] = [0.5, 0.75]
        velocity = file.create_dataset("tasks/velocity", data=numpy.arange(2 * 2 * 7 * 4.0).reshape(2, 2, 7, 4))
        for axis, (name, label) in enumerate({"sim_time": "t", "": "", "x": "x", "y": "y"}.items()):
            velocity.dims[axis].label = label
            if name:
                file[f"scales/{name}"].make_scale(name)
                velocity.dims[axis].attach_scale(file[f"scales/{name}"])


def write_species(path):
    """Particles of two kinds, in two groups of different lengths."""
    with h5py.File(path, "w") as file:
        for name, count in ("electrons", 211), ("ions", 57):
            for axis, letter in enumerate("xyz"):
                file[f"{name}/{letter}"] = numpy.arange(count) + axis / 4
            file[f"{name}/{name}_momentum"] = numpy.random.default_rng(count).random((count, 3)).astype("f4")
        file["box"] = [1.0, 2.0, 3.0]


def write_grids(path):
    """Fields of two sizes."""
    with h5py.File(path, "w") as file:
        for name, shape in ("e/x", (9, 6, 5)), ("b/x", (8, 7, 5)):
            file[name] = numpy.random.default_rng(1).random(shape)
        file["e/y"] = file["e/x"][:] * 2


def write_md(path):
    """Particles that move, step by step; steps are the first dimension."""
    random = numpy.random.default_rng(5)
    with h5py.File(path, "w") as file:
        file.create_group("h5md").attrs["version"] = [1, 1]
        group = file.create_group("particles/atoms")
        group["position/value"], group["position/time"] = random.random((2, 50, 3)), [0.5, 2.0]
        group["force/value"], group["mass"] = random.random((2, 50, 3)).astype("f4"), random.random(50)


def write_blocks(path):
    """Blocks of refinement, of which the leaves are shown, and values on their cells: FLASH."""
    with h5py.File(path, "w") as file:
        file["unknown names"] = numpy.array([["dens"]], "S4")
        file["bounding box"] = [[[0, 8], [0, 4], [0, 2.0]], *([[4 * n, 4 * n + 4], [0, 4], [0, 2]] for n in range(2))]
        file["refine level"], file["node type"] = [1, 2, 2], [2, 1, 1]
        file["dens"] = numpy.random.default_rng(3).random((3, 2, 4, 8))


FILES = {
    "labelled.h5": write_labelled,
    "md.h5": write_md,
    "blocks.h5": write_blocks,
    "species.h5": write_species,
    "grids.h5": write_grids,
}

if __name__ == "__main__":
    for name, write in FILES.items():
        write(f"{sys.argv[1]}/{name}")

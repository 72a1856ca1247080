# SPDX-License-Identifier: BSD-3-Clause
"""h5py: a file for each of two processes, opened again for each step, and one that joins them by virtual datasets with
dimension scales, as Dedalus does. Nothing is in its datasets when the joint file is closed for the first time."""

import pathlib
import sys

import h5py
import numpy

folder = pathlib.Path(sys.argv[1])
ROWS, COLUMNS = 6, 5
SHAPES = {"heat": (ROWS, COLUMNS), "flow": (2, ROWS, COLUMNS)}
(folder / "joined").mkdir()
with h5py.File(folder / "joined.h5", "w") as joint:
    joint.create_dataset("scales/sim_time", (0,), maxshape=(None,), dtype="f8").make_scale("sim_time")
    for name, count, power in ("x", ROWS, 2), ("z", COLUMNS, 1):
        joint[f"scales/{name}_hash"] = numpy.linspace(0, 1, count) ** power
        joint[f"scales/{name}_hash"].make_scale(name)
    for name, shape in SHAPES.items():
        half = (*shape[:-2], ROWS // 2, COLUMNS)
        layout = h5py.VirtualLayout((1, *shape), "f8", (None, *shape))
        for process in range(2):
            source = h5py.VirtualSource(f"joined/joined_p{process}.h5", name, (1, *half), "f8", (None, *half))
            rows = slice(process * ROWS // 2, (process + 1) * ROWS // 2)
            layout[slice(h5py.h5s.UNLIMITED), ..., rows, :] = source[slice(h5py.h5s.UNLIMITED), ...]
        made = joint.create_virtual_dataset(f"tasks/{name}", layout)
        for axis, (label, scale) in {0: ("t", "sim_time"), -2: ("x", "x_hash"), -1: ("z", "z_hash")}.items():
            made.dims[axis % (len(shape) + 1)].label = label
            made.dims[axis % (len(shape) + 1)].attach_scale(joint[f"scales/{scale}"])
for step in range(3):
    with h5py.File(folder / "joined.h5", "r+") as joint:
        joint["scales/sim_time"].resize((step + 1,))
        joint["scales/sim_time"][step] = step / 4
    for process in range(2):
        with h5py.File(folder / f"joined/joined_p{process}.h5", "a") as file:
            for name, shape in SHAPES.items():
                half = (*shape[:-2], ROWS // 2, COLUMNS)
                mine = file.require_dataset(name, (step, *half), "f8", maxshape=(None, *half))
                mine.resize(step + 1, 0)
                mine[step] = 1000 * step + 100 * process + numpy.arange(numpy.prod(half)).reshape(half)

# SPDX-License-Identifier: BSD-3-Clause
"""A simulation in a few lines: plain datasets with parallel h5py, a geometry once and a field per step."""

import sys

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py
import numpy

folder, steps = sys.argv[1], int(sys.argv[2])
ranks, rank = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank
shape = (12, 7, 9)
mine = slice(rank * shape[0] // ranks, (rank + 1) * shape[0] // ranks)


def write(name, dataset, values, **attributes):
    with h5py.File(f"{folder}/{name}", "w", driver="mpio", comm=MPI.COMM_WORLD) as file:
        for key, value in attributes.items():
            file.attrs[key] = value
        made = file.create_dataset(dataset, shape, "f8")
        with made.collective:
            made[mine] = values[mine]


index = numpy.arange(numpy.prod(shape), dtype="f8").reshape(shape)
write("run-geometry-000000.00.h5", "eps", -index)
for step in range(1, steps + 1):
    write(f"run-field-{step:06d}.50.h5", "ez", index + 1000 * step, **({"time": 0.25 * step} if step % 2 else {}))

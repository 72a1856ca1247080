# SPDX-License-Identifier: BSD-3-Clause
"""A simulation that keeps one file open for its whole run and flushes it; its restart is another file."""

import sys

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py
import numpy

folder, steps = sys.argv[1], int(sys.argv[2])
ranks, rank = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank
shape = (12, 7, 9)
mine = slice(rank * shape[0] // ranks, (rank + 1) * shape[0] // ranks)
index = numpy.arange(numpy.prod(shape), dtype="f8").reshape(shape)

# It can be steered without knowing of us: what it is told stands in an HDF5 file.
with h5py.File("dsm#Interactions", "r", driver="mpio", comm=MPI.COMM_WORLD) as told:
    index += told["Interactions/offset"][()]

with h5py.File(f"{folder}/run.h5", "w", driver="mpio", comm=MPI.COMM_WORLD) as file:
    made = file.create_dataset("ez", shape, "f8")
    file.attrs["time"] = 0.0
    for step in range(1, steps + 1):
        with made.collective:
            made[mine] = (index + 1000 * step)[mine]
        file.attrs["time"] = 0.25 * step
        file.flush()
with h5py.File(f"{folder}/restart.h5", "w", driver="mpio", comm=MPI.COMM_WORLD) as file:
    file["step"] = steps

# SPDX-License-Identifier: BSD-3-Clause
"""Writes one file per process and step, with particles; once they have begun, the processes do not wait for each
other."""

import sys
import time

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py
import numpy

folder, steps = sys.argv[1], int(sys.argv[2])
rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
count = 100 + rank
MPI.COMM_WORLD.Barrier()

for step in range(1, steps + 1):
    with h5py.File(f"{folder}/out.{step:03d}.p{rank}.h5", "w", driver="mpio", comm=MPI.COMM_SELF) as file:
        file.attrs["time"] = 0.5 * step
        for name, values in {
            "x": numpy.linspace(rank, rank + 1, count),
            "y": numpy.zeros(count),
            "z": numpy.zeros(count),
            "id": 1000 * rank + numpy.arange(count, dtype="i8"),
            "u": numpy.full(count, 10.0 * step + rank),
        }.items():
            file[name] = values
    time.sleep(0.05 * (ranks - rank))

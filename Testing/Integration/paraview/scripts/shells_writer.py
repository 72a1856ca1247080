# SPDX-License-Identifier: BSD-3-Clause
"""Writes its outputs as AMReX and others do: one rank creates the file and writes what describes it, then all ranks
open it again and write the data. All but the first take time for both."""

import sys
import time

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py
import numpy

folder, steps = sys.argv[1], int(sys.argv[2])
world = MPI.COMM_WORLD
shape = (24, 16, 16)
mine = slice(world.rank * shape[0] // world.size, (world.rank + 1) * shape[0] // world.size)

for step in range(1, steps + 1):
    name = f"{folder}/plt{step:05d}.h5"
    pause = 0.5 if step > 1 else 0
    if world.rank == 0:
        with h5py.File(name, "w", driver="mpio", comm=MPI.COMM_SELF) as file:
            file.attrs["time"] = 0.5 * step
        time.sleep(pause)
    world.Barrier()
    with h5py.File(name, "r+", driver="mpio", comm=world) as file:
        assert file.attrs["time"] == 0.5 * step
        with (made := file.create_dataset("u", shape, "i8")).collective:
            made[mine] = numpy.full((mine.stop - mine.start, *shape[1:]), step)
        time.sleep(pause)

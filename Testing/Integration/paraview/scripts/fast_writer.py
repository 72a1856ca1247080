# SPDX-License-Identifier: BSD-3-Clause
"""Writes small files one after the other, as fast as it can, or some in a second while a file
called "slow" is there, until one called "enough" is.
Every number in a file tells its step, so that one that is torn, or another one, shows."""

import itertools
import pathlib
import sys
import time

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py
import numpy

folder = pathlib.Path(sys.argv[1])
ranks, rank = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank
shape = (24, 16, 16)
mine = slice(rank * shape[0] // ranks, (rank + 1) * shape[0] // ranks)

for step in itertools.count(1):
    enough = MPI.COMM_WORLD.bcast((folder / "enough").exists() if rank == 0 else None)
    if enough or step > 200000:
        break
    if (folder / "slow").exists():
        time.sleep(0.15)  # a simulation that computes
    with h5py.File(f"{folder}/run-{step:06d}.h5", "w", driver="mpio", comm=MPI.COMM_WORLD) as file:
        file.attrs["time"] = 0.5 * step
        # Some have a field more.
        for name in ("u", "v") if step % 2 else ("u",):
            with (made := file.create_dataset(name, shape, "i8")).collective:
                made[mine] = numpy.full((mine.stop - mine.start, *shape[1:]), step)

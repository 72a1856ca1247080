# SPDX-License-Identifier: BSD-3-Clause
"""Writes images of SIZE^3 doubles that count from the step on, with so many seconds between them."""

import sys
import time

from mpi4py import MPI  # noqa: F401 (first: it makes h5py the parallel one)

import h5py
import numpy

folder, size, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
pause = float(sys.argv[4]) if len(sys.argv) > 4 else 0
values = numpy.arange(float(size**3)).reshape(size, size, size)
for step in range(steps):
    with h5py.File(f"{folder}/run.{step:05d}.h5", "w") as file:
        file["u"] = values + step
    time.sleep(pause)

# SPDX-License-Identifier: BSD-3-Clause
"""Writes two outputs that a number tells apart, as Athena++ does, and a file that it opens again at each step."""

import sys

from mpi4py import MPI  # noqa: F401 (first: it makes h5py the parallel one)

import h5py
import numpy

folder, steps = sys.argv[1], int(sys.argv[2])
for step in range(steps):
    for kind in (1, 2):
        with h5py.File(f"{folder}/B.out{kind}.{step:05d}.h5", "w") as file:
            file[f"of{kind}"] = numpy.full((4, 4, 4), 10.0 * kind + step)
    with h5py.File(f"{folder}/diag0.h5", "a") as file:
        file[f"d{step}"] = numpy.full((4, 4, 4), float(step))

# SPDX-License-Identifier: BSD-3-Clause
"""Writes images of SIZE^3 doubles that count from the step on, as plain HDF5 or as VTKHDF, with so many seconds
between them."""

import sys
import time

from mpi4py import MPI  # noqa: F401 (first: it makes h5py the parallel one)

import h5py
import numpy

folder, size, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
pause = float(sys.argv[4]) if len(sys.argv) > 4 else 0
form = sys.argv[5] if len(sys.argv) > 5 else "h5"
values = numpy.arange(float(size**3)).reshape(size, size, size)
for step in range(steps):
    with h5py.File(f"{folder}/run.{step:05d}.{form}", "w") as file:
        if form == "vtkhdf":
            image = file.create_group("VTKHDF")
            image.attrs["Version"] = (2, 1)
            image.attrs.create("Type", numpy.bytes_("ImageData"))
            image.attrs["WholeExtent"] = 3 * (0, size - 1)
            image.attrs["Origin"], image.attrs["Spacing"] = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
            image.attrs["Direction"] = numpy.eye(3).ravel()
            image["PointData/u"] = values + step
        else:
            file["u"] = values + step
    time.sleep(pause)

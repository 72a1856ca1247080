# SPDX-License-Identifier: BSD-3-Clause
"""A program that knows h5py and nothing of us: writes a file, or compares the values of one with what it wrote."""

import sys

import h5py
import numpy

VALUES = numpy.arange(100000, dtype="f8").reshape(10, 100, 100) ** 2

how, name = sys.argv[1:]
if how == "write":
    with h5py.File(name, "w") as file:
        file["values"] = VALUES
else:
    with h5py.File(name, "r") as file:
        assert numpy.array_equal(file["values"][...], VALUES)
    print("the values are the same")

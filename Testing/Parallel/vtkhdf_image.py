# SPDX-License-Identifier: BSD-3-Clause
"""Writes a VTKHDF image of 4 x 5 x 6 points with an array "u", by h5py.

    vtkhdf_image.py FILE
"""

import sys

import h5py
import numpy

VALUES = numpy.arange(120.0).reshape(4, 5, 6)


def write(name):
    with h5py.File(name, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = (2, 0)
        root.attrs.create("Type", numpy.bytes_("ImageData"))
        root.attrs["WholeExtent"] = (0, 5, 0, 4, 0, 3)
        root.attrs["Origin"], root.attrs["Spacing"] = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
        root.attrs["Direction"] = numpy.eye(3).ravel()
        root["PointData/u"] = VALUES


if __name__ == "__main__":
    write(sys.argv[1])

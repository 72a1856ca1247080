# SPDX-License-Identifier: BSD-3-Clause
"""A program that writes a CGNS file: what another file holds."""

import sys

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py

assert MPI.COMM_WORLD.size == 1
source, target = sys.argv[1:]
# As CGNS's library makes its files: its nodes come in the order in which they were made.
with h5py.File(source, "r") as old, h5py.File(target, "w", libver=("earliest", "v108"), track_order=True) as new:
    for name in old:
        old.copy(name, new, name)
    for name, value in old.attrs.items():
        new.attrs[name] = value

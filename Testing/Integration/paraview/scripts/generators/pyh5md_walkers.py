# SPDX-License-Identifier: BSD-3-Clause
"""pyh5md, by the authors of H5MD: atoms whose places are written at each step, their masses once, the charges at
every other step; steps and times by a distance only, as the standard allows."""

import sys

import numpy
import pyh5md

random = numpy.random.default_rng(17)
with pyh5md.File(f"{sys.argv[1]}/walkers.h5", "w", creator="walkers", creator_version="1", author="N.N.") as file:
    atoms = file.particles_group("atoms")
    atoms.create_box(dimension=3, boundary=["periodic"] * 3, store="fixed", data=numpy.ones(3) * 5)
    places = random.random((30, 3))
    position = pyh5md.element(atoms, "position", store="linear", data=places, step=10, time=0.25)
    velocity = pyh5md.element(atoms, "velocity", store="linear", data=places, step=10, time=0.25)
    pyh5md.element(atoms, "mass", store="fixed", data=1 + random.random(30))
    for _ in range(4):
        kick = random.random((30, 3)) - 0.5
        places = places + kick
        position.append(places)
        velocity.append(kick)

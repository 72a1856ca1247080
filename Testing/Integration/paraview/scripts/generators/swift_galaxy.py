# SPDX-License-Identifier: BSD-3-Clause
"""swiftsimio, by SWIFT's authors: a snapshot with gas, dark matter and stars."""

import sys

import numpy
import unyt
from swiftsimio import Writer, cosmo_array

random = numpy.random.default_rng(19)
box = cosmo_array([10.0, 10.0, 10.0], unyt.Mpc, comoving=True, scale_factor=1.0, scale_exponent=1)
snapshot = Writer(boxsize=box, extra_header={"Time": 2.5})
for kind, count in (("gas", 60), ("dark_matter", 41), ("stars", 7)):
    particles = getattr(snapshot, kind)
    particles.coordinates = 10 * random.random((count, 3)) * unyt.Mpc * snapshot.a.comoving
    particles.velocities = (random.random((count, 3)) - 0.5) * unyt.km / unyt.s * snapshot.a.comoving**0
    particles.masses = 1e10 * (1 + random.random(count)) * unyt.solMass * snapshot.a.comoving**0
snapshot.gas.internal_energy = random.random(60) * unyt.km**2 / unyt.s**2 * snapshot.a.comoving**-2
snapshot.gas.generate_smoothing_lengths()
snapshot.stars.smoothing_lengths = (0.1 + random.random(7)) * unyt.Mpc * snapshot.a.comoving
snapshot.write(f"{sys.argv[1]}/galaxy_0012.hdf5")

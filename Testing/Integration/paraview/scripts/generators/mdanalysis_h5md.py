# SPDX-License-Identifier: BSD-3-Clause
"""MDAnalysis' writer of H5MD: a trajectory of three frames with velocities, forces and a box."""

import sys
import warnings

import MDAnalysis
import numpy

warnings.simplefilter("ignore")
random = numpy.random.default_rng(13)
universe = MDAnalysis.Universe.empty(40, trajectory=True, velocities=True, forces=True)
with MDAnalysis.Writer(
    f"{sys.argv[1]}/trajectory.h5md", n_atoms=40, positions=True, velocities=True, forces=True,
    lengthunit="Angstrom", timeunit="ps", velocityunit="Angstrom/ps", forceunit="kJ/(mol*Angstrom)",
) as writer:
    for frame in range(3):
        universe.atoms.positions = 10 * random.random((40, 3))
        universe.atoms.velocities = random.random((40, 3)) - 0.5
        universe.atoms.forces = random.random((40, 3))
        universe.dimensions = [10, 11, 12, 90, 90, 90]
        universe.trajectory.ts.frame, universe.trajectory.ts.time = frame, 0.5 * frame
        universe.trajectory.ts.data["step"] = 100 * frame
        writer.write(universe)

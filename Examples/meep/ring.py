# SPDX-License-Identifier: BSD-3-Clause
"""Light in a ring resonator: a Meep script of the ordinary kind, which knows nothing of ParaView DSM.

A straight waveguide passes a ring of the same width. The wave that a source sends along the
waveguide leaks into the ring and runs around in it. Meep writes the permittivity once and Ez at
intervals, each into an HDF5 file of its own:

    mpiexec -n 3 python3 ring.py            ring-eps-000000.00.h5, ring-ez-000009.00.h5, …
"""

import argparse

import meep as mp

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--resolution", type=float, default=8, help="points per unit of length")
parser.add_argument("--until", type=float, default=42, help="time to simulate")
parser.add_argument("--after", type=float, default=8, help="when outputs begin")
parser.add_argument("--every", type=float, default=1, help="time between outputs")
parser.add_argument("--output", help="folder for the files; this one, unless given")
arguments = parser.parse_args()

WIDTH = 1.0  # of waveguide and ring
HEIGHT = 1.0  # of both
GAP = 0.2  # between them
RADIUS = 2.5  # of the ring's middle
MARGIN = 1.0  # thickness of the absorbing layers
CELL = mp.Vector3(12, 9.5, 5)
FREQUENCY = 1 / 3

material = mp.Medium(index=2.3)
waveguide_y = -CELL.y / 2 + MARGIN + 1
ring_y = waveguide_y + WIDTH + GAP + RADIUS

simulation = mp.Simulation(
    cell_size=CELL,
    resolution=arguments.resolution,
    boundary_layers=[mp.PML(MARGIN)],
    geometry=[
        mp.Block(mp.Vector3(mp.inf, WIDTH, HEIGHT), center=mp.Vector3(0, waveguide_y), material=material),
        # Of two objects that overlap Meep takes the later: the second cylinder is the ring's hole.
        mp.Cylinder(RADIUS + WIDTH / 2, height=HEIGHT, center=mp.Vector3(0, ring_y), material=material),
        mp.Cylinder(RADIUS - WIDTH / 2, height=HEIGHT, center=mp.Vector3(0, ring_y), material=mp.air),
    ],
    sources=[
        mp.Source(
            mp.ContinuousSource(frequency=FREQUENCY, width=1),
            component=mp.Ez,
            center=mp.Vector3(-CELL.x / 2 + MARGIN + 0.25, waveguide_y),
            size=mp.Vector3(0, WIDTH, HEIGHT),
        )
    ],
    # The plane z = 0 is a mirror that turns the field's sign: half the grid suffices.
    symmetries=[mp.Mirror(mp.Z, phase=-1)],
    filename_prefix="ring",
)
if arguments.output:
    simulation.use_output_directory(arguments.output)
simulation.run(
    mp.at_beginning(mp.output_epsilon),
    mp.after_time(arguments.after, mp.at_every(arguments.every, mp.output_efield_z)),
    until=arguments.until,
)

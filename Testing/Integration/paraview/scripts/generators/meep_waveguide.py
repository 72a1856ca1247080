# SPDX-License-Identifier: BSD-3-Clause
"""Meep, as its tutorial does: a waveguide; the dielectric once, Ex and Ey in a file for each time, Ez in one."""

import sys

import meep

folder = sys.argv[1]
simulation = meep.Simulation(
    cell_size=meep.Vector3(8, 5),
    boundary_layers=[meep.PML(1.0)],
    geometry=[meep.Block(meep.Vector3(meep.inf, 1), material=meep.Medium(epsilon=12))],
    sources=[meep.Source(meep.ContinuousSource(frequency=0.15), component=meep.Ez, center=meep.Vector3(-2, 0))],
    resolution=5,
)
simulation.use_output_directory(folder)
simulation.filename_prefix = "wg"
simulation.run(
    meep.at_beginning(meep.output_epsilon),
    meep.to_appended("ez", meep.at_every(1, meep.output_efield_z)),
    meep.at_every(2, meep.output_efield_x, meep.output_efield_y),
    until=4,
)

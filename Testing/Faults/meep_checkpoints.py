# SPDX-License-Identifier: BSD-3-Clause
"""A Meep simulation as its users write them, which dumps its state again and again: meep_checkpoints.py FOLDER [load]

Prints "dumped" after each, and at the end "fields" with a hash of a field.
"""
import hashlib
import sys

import meep as mp

BETWEEN = 10
END = 80

folder = sys.argv[1]
simulation = mp.Simulation(
    cell_size=mp.Vector3(8, 8), resolution=8, boundary_layers=[mp.PML(1)],
    geometry=[mp.Cylinder(radius=2, material=mp.Medium(index=3.4)), mp.Cylinder(radius=1)],
    sources=[mp.Source(mp.GaussianSource(0.15, fwidth=0.1), mp.Ez, mp.Vector3(1.5))])
if "load" in sys.argv:
    simulation.load(folder, load_structure=True, load_fields=True)
else:
    simulation.init_sim()
while simulation.meep_time() < END:
    simulation.run(until=BETWEEN)
    simulation.dump(folder, dump_structure=True, dump_fields=True)
    if mp.am_master():
        print("dumped", simulation.meep_time(), flush=True)
field = simulation.get_array(component=mp.Ez, center=mp.Vector3(), size=mp.Vector3(8, 8))
if mp.am_master():
    print("fields", hashlib.sha256(field.tobytes()).hexdigest(), flush=True)

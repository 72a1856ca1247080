# SPDX-License-Identifier: BSD-3-Clause
"""A simulation in Python for the tests of the page: a field of 12 x 10 x 8 points, written at each step, whose height
can be steered. Prints what it writes.

    waves.py FOLDER [SECONDS [SIDE]]     seconds between two steps, and points along each side in place of the usual
"""

import pathlib
import sys
import time

import h5py
import numpy

import dsm

folder = pathlib.Path(sys.argv[1])
pause = float(sys.argv[2]) if len(sys.argv) > 2 else 0.3
shape = [int(sys.argv[3])] * 3 if len(sys.argv) > 3 else [8, 10, 12]
z, y, x = numpy.meshgrid(*(numpy.linspace(0, 1, count) for count in shape), indexing="ij", sparse=True)

LAST = 100000
session = dsm.Session()
height = session.parameter("height", 1.0, range=(0, 10), unit="m", text="How high the wave is.")
kind = session.parameter("kind", "sine", choices=("sine", "ramp"))
session.observable("largest", unit="m")
session.last_step(LAST)
step = 0
while session.running:
    session.step(step, 0.5 * step)
    field = height.value * (numpy.sin(3 * x + step) if kind.value == "sine" else x) + y * z
    session.observe("largest", field.max())
    began = time.monotonic()
    with h5py.File(folder / f"wave.{step:04d}.h5", "w") as file:
        file["u"] = field
        file["v"] = -field
    seconds = time.monotonic() - began
    print(f"wrote {step} {height.value:.17g} {field.max():.9g} {field.mean():.9g} {field.min():.9g} {seconds:.6f}",
          flush=True)
    step += 1
    time.sleep(pause)
session.close()

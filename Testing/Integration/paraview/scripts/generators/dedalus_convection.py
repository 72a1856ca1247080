# SPDX-License-Identifier: BSD-3-Clause
"""Dedalus, as its example does, smaller: convection between two plates. A file in each of the ways in which its
processes can write together: each a file of its own and one that joins them, collectively, or the first for all."""

import pathlib
import sys

import dedalus.public as dedalus
import numpy

folder = pathlib.Path(sys.argv[1])
coordinates = dedalus.CartesianCoordinates("x", "z")
distributor = dedalus.Distributor(coordinates, dtype=numpy.float64)
across = dedalus.RealFourier(coordinates["x"], size=16, bounds=(0, 4), dealias=3 / 2)
up = dedalus.ChebyshevT(coordinates["z"], size=10, bounds=(0, 1), dealias=3 / 2)

pressure = distributor.Field(name="p", bases=(across, up))
heat = distributor.Field(name="b", bases=(across, up))
speed = distributor.VectorField(coordinates, name="u", bases=(across, up))
gauge = distributor.Field(name="tau_p")
tau_b1, tau_b2 = (distributor.Field(bases=across) for _ in range(2))
tau_u1, tau_u2 = (distributor.VectorField(coordinates, bases=across) for _ in range(2))
x, z = distributor.local_grids(across, up)
_, upward = coordinates.unit_vector_fields(distributor)


def lifted(field):
    return dedalus.Lift(field, up.derivative_basis(1), -1)


diffusion = 0.02
speeds = dedalus.grad(speed) + upward * lifted(tau_u1)
slope = dedalus.grad(heat) + upward * lifted(tau_b1)
problem = dedalus.IVP([pressure, heat, speed, gauge, tau_b1, tau_b2, tau_u1, tau_u2], namespace=locals())
problem.add_equation("trace(speeds) + gauge = 0")
problem.add_equation("dt(heat) - diffusion * div(slope) + lifted(tau_b2) = - speed @ grad(heat)")
problem.add_equation(
    "dt(speed) - diffusion * div(speeds) + grad(pressure) - heat * upward + lifted(tau_u2) = - speed @ grad(speed)")
problem.add_equation("heat(z=0) = 1")
problem.add_equation("speed(z=0) = 0")
problem.add_equation("heat(z=1) = 0")
problem.add_equation("speed(z=1) = 0")
problem.add_equation("integ(pressure) = 0")
solver = problem.build_solver(dedalus.RK222)
heat["g"] = 1 - z + 0.1 * numpy.sin(numpy.pi * x / 2) * z * (1 - z)

for way in "virtual", "mpio", "gather":
    handler = solver.evaluator.add_file_handler(folder / way, iter=2, parallel=way)
    handler.add_task(heat, name="buoyancy")
    handler.add_task(speed, name="velocity")
    # On a grid of its own, finer by half; along x only; and in numbers of waves.
    handler.add_task(-dedalus.div(dedalus.skew(speed)), name="vorticity", scales=3 / 2)
    handler.add_task(dedalus.Average(heat, "x"), name="profile")
    handler.add_task(heat, name="waves", layout="c")
for _ in range(5):
    solver.step(0.05)

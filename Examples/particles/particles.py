# SPDX-License-Identifier: BSD-3-Clause
"""Particles around a heavy body that may be moved while they fly: mpi4py, h5py, NumPy, and import dsm.

    mpiexec -n 3 python3 particles.py                                          # to disk
    dsm-run --contact run.dsm mpiexec -n 3 python3 particles.py                # to ParaView, and steered

Each rank has its own share of the particles. They do not feel each other, so the paths are the same on
any number of ranks.
"""

import argparse
import os

from mpi4py import MPI  # first: it makes h5py the parallel one

import h5py
import numpy

import dsm

SOFT = 0.05  # the body's size: within it, it pulls less
STEP = 0.01


class Particles:
    def __init__(self, comm, count, seed):
        self.comm, self.count = comm, count
        self.mine = slice(comm.rank * count // comm.size, (comm.rank + 1) * count // comm.size)
        # Every rank throws all dice and keeps its own: the number of ranks does not matter.
        dice = numpy.random.default_rng(seed)
        radius = numpy.sqrt(dice.uniform(0.03, 0.6, count))[self.mine]
        angle = dice.uniform(0, 2 * numpy.pi, count)[self.mine]
        height = dice.normal(0, 0.015, count)[self.mine]
        self.position = numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle), height], axis=1)
        speed = radius / (radius**2 + SOFT**2) ** 0.75  # of a circle around a body of mass 1
        self.velocity = numpy.stack([-speed * numpy.sin(angle), speed * numpy.cos(angle), 0 * speed], axis=1)

    def advance(self, body, mass, drag, wind, walls):
        """One step in time; `wind` is a velocity that drag leads to."""
        away = self.position - body
        pull = mass / (numpy.sum(away**2, axis=1) + SOFT**2) ** 1.5
        self.velocity -= STEP * (pull[:, None] * away + drag * (self.velocity - wind))
        self.position += STEP * self.velocity
        if walls != "none":
            outside = numpy.abs(self.position) > 1
            if walls == "bounce":
                self.velocity[outside] *= -1
                self.position[outside] = numpy.sign(self.position[outside]) * 2 - self.position[outside]
            else:
                self.position[outside] -= 2 * numpy.sign(self.position[outside])

    def burst(self, body):
        """Throws them away from the body."""
        away = self.position - body
        self.velocity += 0.3 * away / (numpy.linalg.norm(away, axis=1)[:, None] + SOFT)

    def energy(self):
        """Collective. Of motion, per particle."""
        return self.comm.allreduce(0.5 * float(numpy.sum(self.velocity**2))) / self.count

    def write(self, name, time, with_velocity):
        """Collective: one file, each rank its own rows. ParaView DSM shows "position" as points."""
        with h5py.File(name, "w", driver="mpio", comm=self.comm) as file:
            file.attrs["time"] = time
            fields = {"position": self.position, "speed": numpy.linalg.norm(self.velocity, axis=1)}
            if with_velocity:
                fields["velocity"] = self.velocity
            for field, values in fields.items():
                dataset = file.create_dataset(field, (self.count, *values.shape[1:]), "f8")
                with dataset.collective:
                    dataset[self.mine] = values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=30000, help="particles")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--every", type=int, default=10, help="steps between outputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", default="output", help="folder for the files particles.<step>.h5")
    arguments = parser.parse_args()

    comm = MPI.COMM_WORLD
    particles = Particles(comm, arguments.count, arguments.seed)
    os.makedirs(arguments.output, exist_ok=True)

    with dsm.Session(comm) as session:
        body = session.parameter("body", (0, 0, 0), range=(-1, 1), meaning="position", text="where the heavy body is")
        mass = session.parameter("mass", 1.0, range=(0, 4), text="how much the body pulls")
        drag = session.parameter("drag", 0.0, range=(0, 2), unit="1/time", group="Air")
        wind = session.parameter(
            "wind", (0, 0, 0), range=(-2, 2), meaning="direction", group="Air",
            text="velocity of the air, felt through drag",
        )
        walls = session.parameter("walls", "none", choices=("none", "bounce", "wrap"), text="at -1 and 1 on all axes")
        session.command("burst", lambda: particles.burst(body.value), text="throw the particles off the body")
        session.observable("energy", text="of motion, per particle")

        step = 0

        def write():
            name = os.path.join(arguments.output, f"particles.{step:05d}.h5")
            particles.write(name, STEP * step, session.enabled("/velocity"))
            if comm.rank == 0:
                print(f"wrote {name}", flush=True)

        session.last_step(arguments.steps)
        session.output_interval(arguments.every, write)
        for step in range(arguments.steps + 1):
            session.observe("energy", particles.energy())
            session.step(step, STEP * step)
            if session.output_due:
                write()
            if not session.running:
                break
            particles.advance(body.value, mass.value, drag.value, wind.value, walls.value)


main()

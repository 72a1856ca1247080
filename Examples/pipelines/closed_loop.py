# SPDX-License-Identifier: BSD-3-Clause
"""Holds the amount of v in a running Gray-Scott simulation: ParaView measures it, and this script steers.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch closed_loop.py --contact run.dsm --target 0.08
    dsm-run --contact run.dsm mpiexec -n 3 gray_scott --size 32 --steps 4000 --every 5

The more v there is, the faster it is to be removed (the parameter kill). Draws nothing; ends the simulation
when the amount has stayed at its target.
"""

import argparse

import paraviewdsm

CLOSE = 0.05  # of the target: near enough
STAY = 10  # snapshots that it must be near
KILL = (0.05, 0.072)


class Controller:
    """The usual three parts: what is off now, where it is going, and what remains in the long run."""

    def __init__(self):
        self.base = 0.058
        self.last = None

    def __call__(self, off):
        trend = 0 if self.last is None else off - self.last
        kill = self.base + 0.01 * off + 0.1 * trend
        self.base = min(max(self.base + 0.0012 * off, KILL[0]), KILL[1])
        self.last = off
        return min(max(kill, KILL[0]), KILL[1])


class Loop:
    """Called with each snapshot: measures and steers."""

    def __init__(self, server, target):
        from paraview.simple import IntegrateVariables

        self.server = server
        self.target = target
        self.integral = IntegrateVariables(Input=server.reader())
        self.control = Controller()
        self.near = 0
        self.held = False

    def mean(self, snapshot):
        """v integrated over the box, by its volume; the same number on all ranks."""
        self.integral.UpdatePipeline(snapshot.time)
        amount = self.integral.PointData["v"].GetRange()[0]
        return amount / self.integral.CellData["Volume"].GetRange()[0]

    def __call__(self, snapshot):
        if self.held:
            return  # The simulation was told to end; this one was on its way.
        mean = self.mean(snapshot)
        off = mean / self.target - 1
        kill = self.control(off)
        self.near = self.near + 1 if abs(off) < CLOSE else 0
        self.held = self.near >= STAY
        print(f"step {snapshot.step:5.0f}  mean of v {mean:.4f} ({100 * off:+6.1f} %)  kill = {kill:.4f}", flush=True)
        self.server.parameters["kill"] = kill
        # Neither waits: the simulation may stand in its output until this snapshot is released.
        try:
            self.server.apply(timeout=0)
            if self.held:
                self.server.stop_simulation(timeout=0)
        except paraviewdsm.Error as error:
            if "kill" in getattr(error, "reasons", ()):
                raise
            # Otherwise it has ended, and this was one of its last snapshots.


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--contact", default="run.dsm", help="file by which the simulation finds this")
    parser.add_argument("--target", type=float, default=0.08, help="the mean of v to hold")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for a snapshot")
    arguments = parser.parse_args()

    # A short ring that nobody may run ahead of: what is steered acts two snapshots later.
    with paraviewdsm.Server(
        contact=arguments.contact, memory_per_host="128 MiB", when_full="block", maximum_snapshots=2
    ) as server:
        loop = Loop(server, arguments.target)
        # Until the simulation has left. Whoever stops looking before makes it wait for room.
        count = server.for_each_snapshot(loop, timeout=arguments.timeout)
        print(f"{'held' if loop.held else 'not held'} after {count} snapshots", flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
r"""Two Gray-Scott simulations, the second from a checkpoint of the first with another feed rate, and their difference.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch branch.py --contact run.dsm
    dsm-run --contact run.dsm mpiexec -n 3 gray_scott --output output
    dsm-run --contact run.dsm --read next mpiexec -n 3 gray_scott --output branch --feed 0.04 \
      --restart output/gray_scott.00300.vtkhdf

The second waits for the file of the first that it begins with (--read next), and reads it from this memory; the first
has to be there still when the second writes. A picture for each step that both have reached.
"""

import os

from paraview.simple import PythonCalculator, SaveScreenshot, SetProperties, Show, Text, Transform

import gray_scott
import live

SIZE = [1600, 640]
APART = 1.25  # boxes, from one to the next


class Comparison:
    """Three boxes side by side: the first run, its branch, and how far they are apart."""

    def __init__(self, first, branch, run):
        self.readers = [first, branch]
        for reader in self.readers:
            reader.UpdatePipeline()
        _, size, middle = gray_scott.box_of(first)
        self.view = gray_scott.make_view(SIZE)

        def beside(source, place):
            moved = Transform(Input=source, Transform="Transform")
            moved.Transform.Translate = [place * APART * size[0], 0, 0]
            moved.UpdatePipeline()
            return moved

        of_u, of_v = gray_scott.draw(first, self.view)
        gray_scott.draw(beside(branch, 1), self.view)
        difference = PythonCalculator(
            Input=self.readers, ArrayName="difference",
            Expression="abs(inputs[1].PointData['v'] - inputs[0].PointData['v'])")
        of_difference = gray_scott.colours("difference", "Inferno", 0, 0.4)
        gray_scott.draw_plane(beside(difference, 2), self.view, "difference", of_difference)

        for table, title, place in (
            (of_u, "u where v = 0.2", 0.72), (of_v, "v", 0.41), (of_difference, "difference of v", 0.1)
        ):
            live.legend(table, self.view, title, [0.91, place], length=0.18)
        self.text = live.caption(self.view)
        since = ", ".join(f"{name} {now:g} for {then:g}" for name, (then, now) in run.changed.items())
        for title, place in (
            ("first run", 0.15), (f"branch from step {run.origin.step:.0f} on: {since}", 0.33), ("difference", 0.7)
        ):
            SetProperties(
                Show(Text(Text=title), self.view), WindowLocation="Any Location", Position=[place, 0.06],
                Color=live.INK, FontSize=22)
        self.look(middle, size)

    def look(self, middle, size):
        """From above and in front, at the box in the middle."""
        centre = [middle[0] + (APART + 0.12) * size[0], middle[1], middle[2] - 0.1 * size[2]]
        self.view.CameraFocalPoint = centre
        self.view.CameraPosition = [centre[0], centre[1] - 3.2 * size[1], centre[2] + 2.2 * size[2]]
        self.view.CameraViewUp = [0, 0, 1]

    def show(self, step, numbers, folder):
        """The two snapshots of a step."""
        for reader, number in zip(self.readers, numbers, strict=True):
            reader.Snapshot = number
        self.text.Text = f"step {step:.0f}"
        SaveScreenshot(os.path.join(folder, f"branch.{step:05.0f}.png"), self.view, ImageResolution=SIZE)


def main():
    import paraviewdsm

    arguments = live.options(__doc__, memory="256 MiB")

    comparison = None
    numbers = {}  # of snapshots, by step and run
    with paraviewdsm.Server(
        contact=arguments.contact, memory_per_host=arguments.memory, when_full="block", checkpoints="*.vtkhdf"
    ) as server:
        for snapshot in server.snapshots(timeout=arguments.timeout):
            runs = numbers.setdefault(snapshot.step, {})
            runs[snapshot.run] = snapshot.number
            print(f"{live.report(snapshot)}  run {snapshot.run}", flush=True)
            if len(runs) == 2:
                pair = [number for _, number in sorted(runs.items())]
                if comparison is None:
                    branch = next(run for run in server.runs() if run.is_branch)
                    comparison = Comparison(*map(server.open, pair), branch)
                comparison.show(snapshot.step, pair, arguments.pictures)


if __name__ == "__main__":
    main()

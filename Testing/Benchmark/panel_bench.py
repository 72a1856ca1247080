#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long the panel holds ParaView's window while large files arrive, and the user clicks.

    ./dev shell python3 Testing/Benchmark/panel_bench.py --build build/openmpi [--size 100] [--interval 0.5]

A simulation of one process writes an image of --size MiB every --interval seconds; ParaView's window follows it on an X
server of its own. Each kind of thing that a user does in the panel is done a few times, and for each is printed the
longest time, in milliseconds, in which the window handled no events: without the time in which ParaView reads, runs
filters or renders (it shows the progress of those), and with it. Time in which the window waited for a processor does
not count. The first row is for looking on, while the panel asks its server four times a second; after the table stands
what the panel's own stopwatch measured of that.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Gui"))
from processes import adopt_orphans, end_everything

SIMULATION = """
import sys, time, h5py, numpy
folder, mebibytes, interval = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
values = numpy.random.default_rng(1).random((mebibytes, 256, 512))
next, step = time.monotonic(), 0
while True:
    with h5py.File(f"{folder}/run.{step:05d}.h5", "w") as file:
        file["pressure"] = values
        file.attrs["time"] = 0.1 * step
    next, step = next + interval, step + 1
    time.sleep(max(0, next - time.monotonic()))
"""


def environment(build):
    """What the tests of the window are given by CMake."""
    found = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-R", r"\.Gui\.PanelNewcomer$"],
                           capture_output=True, text=True, check=True)
    tests = json.loads(found.stdout)["tests"]
    if not tests:
        raise SystemExit(f"{build} has no tests of ParaView's window: build it with ParaView, Xvfb and the panel")
    (given,) = [each["value"] for each in tests[0]["properties"] if each["name"] == "ENVIRONMENT"]
    return dict(line.split("=", 1) for line in given)


class Clicks:
    """What a user does; each a few times, and the longest hold of each."""

    def __init__(self, window, pause):
        from window import PANEL

        self.panel = PANEL
        self.window = window
        self.pause = pause
        self.held = {}

    def measure(self, name, *actions):
        """The actions one after the other, with time for what follows from them."""
        self.window.ask(do="eventGap")
        for action in actions:
            action()
            end = time.monotonic() + self.pause
            self.window.until(lambda end=end: time.monotonic() > end, "time to pass")
        self.held[name] = self.window.ask(do="eventGap")

    def all_of_them(self):
        window, panel = self.window, self.panel
        self.measure("looking on", *[lambda: None] * 6)
        for page in ("Contents", "Settings", "Activity", "Steering", "Snapshots"):
            self.measure(f"page {page}", lambda page=page: window.show_page(page))
        self.measure("Hold", lambda: window.click(panel + "hold"))
        self.measure("a row", *[lambda row=row: window.pick(window.rows()[row][0]) for row in (3, 5, 2)])
        self.measure("Pin", *[lambda: window.pin(window.rows()[1][0])] * 2)
        self.measure("Follow Newest", lambda: window.click(panel + "follow"))
        self.measure("a setting", *[lambda size=size: window.set_setting("BlockSize", size)
                                    for size in ("64 KiB", "1 MiB")])
        self.measure("advanced settings", lambda: window.show_page("Settings"),
                     lambda: window.advanced_settings(True), lambda: window.advanced_settings(False),
                     lambda: window.show_page("Snapshots"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--size", type=int, default=100, help="MiB in a file")
    parser.add_argument("--interval", type=float, default=0.5, help="seconds from file to file")
    parser.add_argument("--memory", default="2 GiB", help="memory of the host")
    parser.add_argument("--pause", type=float, default=1, help="seconds from click to click")
    given = parser.parse_args()
    os.environ.update(environment(given.build))
    from window import BIN, Programs, display

    adopt_orphans()
    folder = Path(tempfile.mkdtemp(prefix="dsm-panel-"))
    try:
        with display() as screen:
            programs = Programs(folder, screen)
            window = programs.window()
            contact = folder / "run.dsm"
            window.listen(contact, given.memory)
            programs.start([BIN / "dsm-run", "--contact", contact, sys.executable, "-c", SIMULATION, folder, given.size,
                            given.interval], "simulation")
            window.until(lambda: window.panel("shown") > 6, "pictures", 120)
            window.start_timing()
            clicks = Clicks(window, given.pause)
            clicks.all_of_them()
            counts = window.get(clicks.panel + "counts")
            poll, wall, update = (window.panel(name)
                                  for name in ("longestPoll", "longestPollWallTime", "longestUpdate"))
            programs.stop()
    finally:
        end_everything()
        shutil.rmtree(folder, ignore_errors=True)
    print("longest time without events, ms\n\n| | the panel's own | with reading, filters and rendering |\n"
          "| --- | --- | --- |")
    for name, (everything, own) in clicks.held.items():
        print(f"| {name} | {own:.0f} | {everything:.0f} |")
    print(f"\nfiles of {given.size} MiB, {given.interval} s apart: {counts}"
          f"\nlongest poll by the panel's stopwatch {poll:.1f} ms ({wall:.1f} with the waits for a processor); "
          f"longest update of pipeline and views {update:.0f} ms")


if __name__ == "__main__":
    main()

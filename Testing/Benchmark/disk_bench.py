#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What it costs a simulation that its files go to disk while it computes and writes the next: it does so on disk, and
behind dsm-run without any of that, with an archive of all (dsm-archive --each all), as single files and in subfiles,
and with --also-on-disk all; by turns.

    ./dev shell python3 Testing/Benchmark/disk_bench.py --build build/openmpi [--particles N] [--files N]
                                                        [--compute SECONDS] [--rounds N] [--folder FOLDER]

The simulation has as many processes as there are cores, unless --writers says otherwise, and they compute all the time
that they do not write: what the hosts take meanwhile is missing there. Prints the milliseconds for which writing a file
keeps it from computing (create, write and close), the seconds of the whole run (medians), their ratios to the run
without any of that in the same round (medians), and how long after its end the last file was on disk. With --folder the
files are there, and not in the folder for temporary files.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import on_disk
from separate_jobs import SeparateJobs, add_options, in_folder

DISK, NONE, ALSO = "on disk, without us", "`dsm-run`", "`--also-on-disk all`"
ARCHIVES = {"archive, single": "single", "archive, subfiles": "subfiles"}
BYTES = 32  # of a particle


class Bench(SeparateJobs):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.loops = ()
        self.blocked = {}  # way: [milliseconds of a file, of each run]
        self.whole = {}    # way: [seconds of a run]
        self.behind = {}   # way: [seconds after its end]

    def run(self, way, place, prefix=()):
        """The simulation, once."""
        words = ["steps", place / "out", self.given.particles, self.given.files, self.given.compute, *self.loops]
        told = self.told([self.programs / "dsm_particles_program", *words], prefix)
        assert len(told) == self.given.files + 2, told
        self.loops = (int(told[0]),)
        self.blocked.setdefault(way, []).append(1000 * statistics.median(told[1:-1]))
        self.whole.setdefault(way, []).append(told[-1])
        print(f"{way}: {self.blocked[way][-1]:.1f} ms, {told[-1]:.3f} s", file=sys.stderr, flush=True)

    def archive(self, prefix, *words):
        contact = prefix[prefix.index("--contact") + 1]
        done = subprocess.run(list(map(str, [self.programs / "dsm-archive", "--contact", contact, *words])), check=True,
                              stdout=subprocess.PIPE, text=True, env=self.environment(), timeout=60)
        return done.stdout

    def until(self, way, there):
        began = time.perf_counter()
        while not there():
            assert time.perf_counter() - began < 300, f"{way}: the files do not come to disk"
            time.sleep(0.02)
        self.behind.setdefault(way, []).append(time.perf_counter() - began)

    def coupled(self, way, place):
        """The same behind dsm-run, with hosts that have room for all files."""
        size = self.given.particles * BYTES * self.given.writers
        options = ["--memory-per-host", size * (self.given.files + 4) // self.given.hosts + (64 << 20)]

        def simulate(prefix):
            if way in ARCHIVES:
                self.archive(prefix, "--each", "all", "--to", place / "archive", "--form", ARCHIVES[way])
            self.run(way, place, prefix)
            if way in ARCHIVES:
                done = re.compile(rf": {self.given.files} written, 0 waiting$", re.MULTILINE)
                self.until(way, lambda: done.search(self.archive(prefix, "--list")))
            elif way == ALSO:
                files = [place / f"out.{number:04}.h5" for number in range(self.given.files)]
                self.until(way, lambda: all(map(on_disk, files)))

        self.served(simulate, options + (["--also-on-disk", "all"] if way == ALSO else []))

    def round(self, number):
        ways = [NONE, *ARCHIVES, ALSO]
        for way in [DISK, *(ways if number % 2 == 0 else reversed(ways))]:
            place = Path(tempfile.mkdtemp(prefix="dsm-disk-", dir=self.given.folder))
            try:
                if way == DISK:
                    self.run(way, place)
                else:
                    self.coupled(way, place)
            finally:
                shutil.rmtree(place)
            os.sync()  # the next has the disk to itself

    def table(self):
        yield (f"{self.given.files} files of {self.given.particles * BYTES * self.given.writers >> 20} MiB by "
               f"{self.given.writers} processes, {self.given.compute} s of computing before each, {self.given.rounds} "
               f"rounds, {self.given.hosts} hosts")
        yield "|  | blocked per file (ms) | ratio | whole run (s) | ratio | on disk after the end (s) |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for way in self.whole:
            cells = [f"{statistics.median(runs[way]):.{digits}f} | "
                     f"{statistics.median(a / b for a, b in zip(runs[way], runs[NONE], strict=True)):.3f}"
                     for runs, digits in ((self.blocked, 1), (self.whole, 2))]
            behind = f"{statistics.median(self.behind[way]):.2f}" if way in self.behind else ""
            yield f"| {way} | {' | '.join(cells)} | {behind} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--particles", type=int, default=2 << 20, help="of each process and file, of 32 bytes each")
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--compute", type=float, default=0.5, help="seconds before each file")
    parser.add_argument("--folder", help="where the files are")
    parser.set_defaults(writers=len(os.sched_getaffinity(0)))
    given = parser.parse_args()

    def measure(folder):
        bench = Bench(given, folder)
        for number in range(given.rounds):
            bench.round(number)
        print("\n".join(bench.table()))

    in_folder("dsm-disk-", measure)


if __name__ == "__main__":
    main()

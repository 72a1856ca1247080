#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What it takes ranks to open a CGNS file: each by itself, or one for all.

    ./dev shell python3 Testing/Benchmark/cgns_open.py --build build/openmpi [--csv FILE]

CGNS reads everything that describes a file when it opens it: here of 128 bases with 32 zones each, by 4 ranks, which
all read the same. One rank writes the file, all open it with cgp_open and compare the names and sizes of all bases and
zones with what was written:

    each rank            reads metadata and data by itself (HDF5 without collective metadata, DSM_SINGLE_PROCESS=off)
    collective metadata  CGNS as it is: one rank reads metadata for all, each its data
    one process          CGNS as it is: one rank reads data for all as well (DSM_SINGLE_PROCESS=same)

on tmpfs by MPI-IO, which has no such property, and in the memory of hosts that are reached over each transport, by
turns. Prints milliseconds of the slowest rank; the first file of a job also connects and is not counted.

CGNS with parallel HDF5 is in no Debian package: it is compiled from the source of Debian's, once, outside the checkout.
Without that, status 77 and the reason.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import cgns_program
import running
from separate_jobs import SeparateJobs, add_options, in_folder

SKIPPED = 77
TMPFS = "tmpfs"
TRANSPORTS = ["shared-memory", "fabric/tcp"]
EACH, METADATA, ONE = "each rank", "collective metadata", "one process"
# The program's word, and DSM_SINGLE_PROCESS.
WAYS = {EACH: ("each", "off"), METADATA: ("together", "off"), ONE: ("together", "same")}
COLUMNS = ["commit", "mpi", "bases", "zones", "ranks", "where", "way", "files", "open_min", "open_median", "open_max",
           "ask_median", "times_faster_than_each", "times_faster_than_tmpfs"]
TITLES = [("where", "where"), ("way", "way"), ("ms", "open_median"),
          ("times faster than each rank", "times_faster_than_each"),
          ("than MPI-IO on tmpfs", "times_faster_than_tmpfs")]


class Bench(SeparateJobs):
    """Runs the program in every way."""

    def __init__(self, program, given, folder):
        super().__init__(given, folder)
        self.cgns = program

    def opened(self, prefix, name, way):
        """(open, ask) for each file but the first."""
        metadata, single = WAYS[way]
        words = [self.cgns, metadata, name, self.given.bases, self.given.zones, self.given.repeat + 1]
        job = self.launch([*prefix, *self.mpiexec(self.given.writers), *words], DSM_SINGLE_PROCESS=single)
        found = [tuple(map(float, line.split()[1:])) for line in job.wait(self.given.limit).split("\n")
                 if line.startswith("milliseconds ")]
        return found[1:]

    def all_ways(self, prefix, name, ways):
        words = [self.cgns, "write", name, self.given.bases, self.given.zones]
        self.launch([*prefix, *self.mpiexec(1), *words]).wait(self.given.limit)
        return {way: self.opened(prefix, name, way) for way in ways}

    def tmpfs(self):
        with tempfile.TemporaryDirectory(prefix="dsm-cgns-", dir="/dev/shm") as folder:
            return self.all_ways([], Path(folder) / "run.cgns", [way for way in self.given.ways if way != ONE])

    def dsm(self, transport):
        options = ["--memory-per-host", "256 MiB", "--transport", transport,
                   *([] if transport == "shared-memory" else ["--no-node-memory"])]
        name = self.folder / f"run{self.number}.cgns"
        return self.served(lambda prefix: self.all_ways(prefix, name, self.given.ways), options)


def measure(bench, given):
    """{(where, way): [(open, ask), …]}"""
    found = {}
    for _ in range(given.rounds):
        for where in [TMPFS, *given.transports]:
            for way, times in (bench.tmpfs() if where == TMPFS else bench.dsm(where)).items():
                found.setdefault((where, way), []).extend(times)
                print(f"{where}, {way}: {times}", file=sys.stderr, flush=True)
    return found


def table(found, given):
    """Rows for the CSV file."""
    commit, mpi = running.commit(), running.flavour(given.build)
    median = {cell: statistics.median(opened for opened, _ in times) for cell, times in found.items()}

    def beside(where, way, mine):
        return f"{median[where, way] / mine:.2f}" if (where, way) in median else ""

    return [dict(zip(COLUMNS, [
        commit, mpi, given.bases, given.zones, given.writers, where, way, len(times),
        f"{min(times)[0]:.3f}", f"{median[where, way]:.3f}", f"{max(times)[0]:.3f}",
        f"{statistics.median(asked for _, asked in times):.3f}",
        beside(where, EACH, median[where, way]), beside(TMPFS, METADATA, median[where, way])], strict=True))
        for (where, way), times in found.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--bases", type=int, default=128)
    parser.add_argument("--zones", type=int, default=32, help="of each base")
    parser.add_argument("--transports", type=lambda text: text.split(","), default=TRANSPORTS)
    parser.add_argument("--ways", type=lambda text: text.split(","), default=list(WAYS))
    parser.add_argument("--repeat", type=int, default=3, help="files of a job that count")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a job")
    parser.add_argument("--csv", type=Path)
    parser.set_defaults(rounds=1, writers=4, hosts=1)
    given = parser.parse_args()
    os.environ.setdefault("DSM_DEFAULTS", "off")
    try:
        program = cgns_program.of_debian(running.flavour(given.build))
    except cgns_program.Unavailable as why:
        print(f"skipped: this needs the source of CGNS: {why}")
        return SKIPPED

    def run(folder):
        rows = table(measure(Bench(program, given, folder), given), given)
        print("\n".join(running.lines(rows, TITLES)))
        if given.csv:
            running.write_rows(given.csv, COLUMNS, rows)

    in_folder("dsm-cgns-", run)
    return 0


if __name__ == "__main__":
    sys.exit(main())

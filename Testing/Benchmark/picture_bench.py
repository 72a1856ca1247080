#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the time from a simulation's H5Fclose to the picture, in pvbatch step by step, and by other ways.

    ./dev shell python3 Testing/Benchmark/picture_bench.py --build build/openmpi [--size 256] [--ranks 1,2]
        [--ways window,browser,tmpfs,catalyst]

A program of one process writes a field of SIZE^3 doubles per file, and waits for the picture of each, a slice. Both
tables have milliseconds: the median over all files but the first, and the first file, which also loads libraries and
connects.

The first table has the steps in pvbatch, whose ranks host the memory, of the slowest rank in each file:

    close    H5Fclose in the simulation
    notice   from the end of H5Fclose until the script has the snapshot
    read     the reader's update: the field becomes an array of VTK's
    range    GetRange of that array
    inform   UpdatePipeline of the proxy: ParaView collects the ranges of all values and of the finite ones
    draw     slice and render
    memcpy   as many bytes as a rank reads, into memory that was used before, after each picture

`private` is the anonymous memory of all ranks after the last picture, in MiB (`Anonymous` in smaps_rollup).

The second table has pvbatch beside the other ways, each of which is a module of picture_ways:

    create to close     how long the program is held up by a file
    total               from the end of H5Fclose to the picture
    create to picture   both together

If a way cannot be measured here, its row says why.
"""

import argparse
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import picture_ways
from picture_ways.pvbatch import STEPS, files_of, name_of
from processes import adopt_orphans, end_everything

SPANS = ["create to close", "total", "create to picture"]
OTHERS = [name for name in picture_ways.MODULES if name != "pvbatch"]


def statistics_of(files, columns):
    """Yields the median of all files but the first, and the first file, each with its name."""
    yield "median", {column: statistics.median(each[column] for each in files[1:] or files) for column in columns}
    yield "first file", {column: files[0][column] for column in columns}


def cells(row, columns):
    return " | ".join(f"{row[column]:.1f}" for column in columns)


def print_steps(given):
    """Measures and prints the steps in pvbatch. Returns what was measured, by the name of the way."""
    print(f"| ranks | ms | {' | '.join(STEPS)} | private, MiB |\n|" + " --- |" * (len(STEPS) + 3))
    found = {}
    for ranks in map(int, given.ranks.split(",")):
        files = found[name_of(ranks)] = files_of(given, ranks)
        memory = {"median": files[-1]["private"], "first file": files[0]["private"]}
        for name, row in statistics_of(files, STEPS):
            print(f"| {ranks} | {name} | {cells(row, STEPS)} | {memory[name]:.0f} |", flush=True)
    return found


def print_way(name, files):
    for statistic, row in statistics_of(files, SPANS):
        print(f"| {name} | {statistic} | {cells(row, SPANS)} |", flush=True)


def print_ways(given, found):
    """Measures the other ways, and prints them behind those that were measured already."""
    print(f"\ntime to picture\n| way | ms | {' | '.join(SPANS)} |\n|" + " --- |" * (len(SPANS) + 2))
    for name, files in found.items():
        print_way(name, files)
    for way in picture_ways.chosen(given.ways):
        reason = way.why_not(given)
        if reason:
            print(f"| {way.name} | cannot be measured: {reason} |" + " - |" * len(SPANS), flush=True)
        else:
            print_way(way.name, way.measure(given))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--ranks", default="1", help="ranks of pvbatch, such as 1,2")
    parser.add_argument("--ways", type=lambda text: text.split(",") if text else [], default=OTHERS, metavar="NAMES",
                        help=f"some of {','.join(OTHERS)}; nothing for pvbatch alone")
    parser.add_argument("--size", type=int, default=256, help="points along each axis")
    parser.add_argument("--snapshots", type=int, default=8)
    parser.add_argument("--interval", type=float, default=1, help="seconds from a picture to the next file")
    given = parser.parse_args()
    if unknown := sorted(set(given.ways) - set(OTHERS)):
        parser.error(f"unknown way {', '.join(unknown)} (available: {', '.join(OTHERS)})")
    return given


def main():
    given = arguments()
    adopt_orphans()
    try:
        print_ways(given, print_steps(given))
    finally:
        end_everything()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What it takes to append a row to a file, many times: a program that opens its file for each row and closes it, as
loggers do, and one that keeps it open and flushes it; on tmpfs, and behind dsm-run.

    ./dev shell python3 Testing/Benchmark/append_bench.py --build build/openmpi [--appends N] [--row KIB]

Prints the milliseconds of an append in the first and the last tenth of them (medians and means). What grows on tmpfs as
well is HDF5's own: its index of the chunks. Fails when a row is not what was appended.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from separate_jobs import one_host

PROGRAM = """
import sys, time
import h5py, numpy
name, way = sys.argv[1:3]
begin, appends, row = map(int, sys.argv[3:])
values = numpy.arange(row * 128, dtype="f8")
def append(file, place):
    rows = file["rows"]
    rows.resize(place + 1, axis=0)
    rows[place] = values + place
with h5py.File(name, "w") as file:
    file.create_dataset("rows", (0, values.size), "f8", maxshape=(None, values.size), chunks=(1, values.size))
    for place in range(begin):
        append(file, place)
def reopened(place):
    with h5py.File(name, "r+") as file:
        append(file, place)
def measure(step):
    for place in range(begin, begin + appends):
        start = time.perf_counter()
        step(place)
        print(time.perf_counter() - start)
if way == "reopened":
    measure(reopened)
else:
    with h5py.File(name, "r+") as file:
        measure(lambda place: (append(file, place), file.flush()))
with h5py.File(name, "r") as file:
    rows = file["rows"]
    assert rows.shape == (begin + appends, values.size), rows.shape
    for place in range(begin + appends):
        assert (rows[place] == values + place).all(), place
"""


def measure(prefix, name, way, given):
    """Milliseconds of each append."""
    words = [*prefix, sys.executable, "-c", PROGRAM, name, way, given.begin, given.appends, given.row]
    told = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=True).stdout
    return [1000 * float(line) for line in told.split()]


def coupled(programs, way, options, given):
    """The same behind dsm-run, with a server of its own."""
    with one_host(programs, "--memory-per-host", given.memory) as (_, run, folder):
        return measure([*run, "--without-server", "fail", *options], folder / "run.h5", way, given)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--appends", type=int, default=10000)
    parser.add_argument("--row", type=int, default=64, help="KiB")
    parser.add_argument("--begin", type=int, default=0, help="rows that the file has before")
    parser.add_argument("--memory", default="2 GiB", help="that the server lends")
    given = parser.parse_args()
    programs = given.build.resolve() / "bin"
    results = {}
    for way, options in (("reopened", []), ("flushed", ["--publish", "flush"])):
        with tempfile.TemporaryDirectory(prefix="dsm-appends-", dir="/dev/shm") as folder:
            results[f"{way}, tmpfs"] = measure(["env"], Path(folder) / "alone.h5", way, given)
        results[f"{way}, `dsm-run`"] = coupled(programs, way, options, given)
    tenth = max(1, given.appends // 10)
    print(f"{given.appends} rows of {given.row} KiB appended to a file of {given.begin}, milliseconds of an append")
    print(f"|  | first {tenth}, median | last {tenth}, median | first {tenth}, mean | last {tenth}, mean |")
    print("| --- |" + " --- |" * 4)
    for name, appends in results.items():
        parts = (appends[:tenth], appends[-tenth:])
        cells = [f"{of(part):.2f}" for of in (statistics.median, statistics.mean) for part in parts]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

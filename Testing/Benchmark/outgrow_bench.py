#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A file that stays open, grows in flushed steps far beyond the hosts' memory, and is to be on disk as well: what a
step takes, against a file that fits, and whether all is right.

    ./dev shell python3 Testing/Benchmark/outgrow_bench.py --build build/openmpi [--size MIB] [--memory MIB]

Each flush is shown, and a reader follows them: it opens the file by its name again and again, and looks at the first
row, the last and some between. Prints the milliseconds that a step kept the program from computing, the write and the
flush of it, and the most memory that the hosts' files had. Fails when the reader has not seen the last step, or the
file on disk is another than the one that the program writes by itself.
"""

import argparse
import filecmp
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from separate_jobs import one_host

WRITER = """
import sys, time
import h5py, numpy
name, steps, row, pause = sys.argv[1], *map(int, sys.argv[2:])
values = numpy.arange(row, dtype="f8")
with h5py.File(name, "w") as file:
    rows = file.create_dataset("rows", (0, row), "f8", maxshape=(None, row), chunks=(1, row // 4))
    for step in range(steps):
        values += 1
        begin = time.perf_counter()
        rows.resize(step + 1, axis=0)
        rows[step] = values
        file.flush()
        print(time.perf_counter() - begin)
        time.sleep(pause / 1000)
"""

READER = """
import random, sys
import h5py, numpy
name, steps, row = sys.argv[1], *map(int, sys.argv[2:])
values = numpy.arange(row, dtype="f8")
seen = opened = 0
chance = random.Random(1)
while seen < steps:
    with h5py.File(name, "r") as file:
        if "rows" not in file:
            continue
        rows = file["rows"]
        assert seen <= rows.shape[0] <= steps, (seen, rows.shape)
        seen = rows.shape[0]
        opened += 1
        for place in {0, seen - 1, *(chance.randrange(seen) for _ in range(2))} if seen else ():
            assert (rows[place] == values + place + 1).all(), place
print(opened)
"""


def program(text, prefix, *words, **more):
    return subprocess.Popen([*map(str, prefix), sys.executable, "-c", text, *map(str, words)],
                            stdout=subprocess.PIPE, text=True, **more)


def told(process):
    lines = process.communicate(timeout=1800)[0].split()
    if process.returncode != 0:
        sys.exit(f"a program has ended with {process.returncode}")
    return [float(line) for line in lines]


def coupled(given, memory, place):
    """Milliseconds of each step behind dsm-run with so many MiB of memory; how many states a reader has seen, and the
    file that is on disk then."""
    programs = given.build.resolve() / "bin"
    folder = Path(tempfile.mkdtemp(prefix="outgrown-", dir=place))
    options = ("--memory-per-host", f"{memory} MiB", "--also-on-disk", "all")
    with one_host(programs, *options, place=place) as (server, run, _):
        prefix = [*run, "--without-server", "fail", "--publish", "flush"]
        writer = program(WRITER, prefix, folder / "run.h5", given.steps, given.row, given.pause)
        reader = program(READER, [*prefix, "--read", "next"], folder / "run.h5", given.steps, given.row) \
            if given.reader else None
        steps = [1000 * step for step in told(writer)]
        states = told(reader)[0] if reader else 0
        server.process.terminate()  # when all is on disk
        if server.process.wait(600) != 0:
            sys.exit(f"the hosts have ended with {server.process.returncode}:\n{server.text}")
    return steps, states, folder / "run.h5"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--size", type=int, default=2048, help="MiB of the file")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--memory", type=int, default=256, help="MiB that it is to grow through")
    parser.add_argument("--pause", type=int, default=100, help="milliseconds that a step computes")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is measured")
    parser.add_argument("--place", default=".", help="folder on the disk to use")
    parser.add_argument("--no-reader", dest="reader", action="store_false")
    given = parser.parse_args()
    given.row = (given.size << 20) // 8 // given.steps // 4 * 4
    results = {"fits": [], "outgrown": []}
    with tempfile.TemporaryDirectory(prefix="dsm-outgrown-", dir=given.place) as place:
        alone = Path(place) / "alone.h5"
        by_itself = [1000 * step for step in told(program(WRITER, ["env"], alone, given.steps, given.row, given.pause))]
        for _ in range(given.rounds):
            for way, memory in (("fits", 2 * given.size), ("outgrown", given.memory)):
                steps, states, file = coupled(given, memory, place)
                if not filecmp.cmp(alone, file, shallow=False):
                    sys.exit(f"{way}: the file on disk is another than the program writes by itself")
                print(f"{way}: on disk as by itself; a reader has seen {states:.0f} states, the last among them",
                      flush=True)
                file.unlink()
                results[way] += steps
    print(f"{given.size} MiB in {given.steps} flushed steps, milliseconds that a step blocks")
    print("| | median | mean | 95 % below |\n| --- | --- | --- | --- |")
    for way, steps in (("by itself, on disk", by_itself), *results.items()):
        print(f"| {way} | {statistics.median(steps):.1f} | {statistics.mean(steps):.1f} | "
              f"{statistics.quantiles(steps, n=20)[-1]:.1f} |")
    of = {way: statistics.mean(steps) for way, steps in results.items()}
    print(f"outgrown / fits, means: {of['outgrown'] / of['fits']:.2f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What names cost: a program opens many HDF5 files one after the other, looks for as many that are not there,
renames and deletes them; alone and behind dsm-run, where the files are on disk, or in memory with their names on disk.
Writing them is not measured.

    ./dev shell python3 Testing/Benchmark/names_bench.py --build build/openmpi [--names N] [--folder PARENT]

Prints microseconds for one name, each also as a multiple of the program alone, in the same run.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from separate_jobs import one_host

PROGRAM = """
import sys, os, time
import h5py
folder, count, part = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if part == "make":
    os.makedirs(folder)
    for i in range(count):
        h5py.h5f.create(f"{folder}/{i}.h5".encode()).close()
    sys.exit()
def opened(name):
    try:
        h5py.h5f.open(f"{folder}/{name}".encode(), h5py.h5f.ACC_RDONLY).close()
        return True
    except OSError:
        return False
for what, work, expected in (
        ("open", lambda i: opened(f"{i}.h5"), True), ("missing", lambda i: opened(f"no{i}.h5"), False),
        ("rename", lambda i: os.rename(f"{folder}/{i}.h5", f"{folder}/r{i}.h5"), None),
        ("delete", lambda i: os.unlink(f"{folder}/r{i}.h5"), None)):
    begin = time.perf_counter()
    for i in range(count):
        assert work(i) == expected, (what, i)
    print(what, time.perf_counter() - begin)
"""


def measure(prefix, folder, count, in_memory):
    """Seconds, by what was done. The files are made before, on disk or in memory."""
    told = ""
    for part, how in (("make", prefix if in_memory else ["env"]), ("measure", prefix)):
        told = subprocess.run([*map(str, how), sys.executable, "-c", PROGRAM, str(folder), str(count), part],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
    return {what: float(seconds) for what, seconds in map(str.split, told.splitlines())}


def totals(result):
    return {**result, "all of it": sum(result.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--names", type=int, default=10000)
    parser.add_argument("--folder", type=Path, help="on which file system (default: that of temporary files)")
    given = parser.parse_args()
    programs = given.build.resolve() / "bin"
    options = ["--memory-per-host", "2 GiB", "--maximum-snapshots", given.names + 1]
    with one_host(programs, *options, place=given.folder) as (_, run, folder):
        ways = [("alone", ["env"], False), ("files on disk", run, False), ("files in memory", run, True),
                ("files on disk, `--placeholders=off`", [*run, "--placeholders=off"], False)]
        results = {name: measure(prefix, os.path.join(folder, str(number)), given.names, in_memory)
                   for number, (name, prefix, in_memory) in enumerate(ways)}
    alone = totals(results["alone"])
    print(f"{given.names} names, microseconds for each (times the program alone)")
    print(f"|  | {' | '.join(alone)} |\n|{' --- |' * (len(alone) + 1)}")
    for name, result in results.items():
        cells = [f"{1e6 * seconds / given.names:.0f} ({seconds / alone[what]:.2f})"
                 for what, seconds in totals(result).items()]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

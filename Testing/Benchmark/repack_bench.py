#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What it takes to compress a snapshot on its way to disk, in one file and in parts (dsm-archive --filter, --form
virtual), beside putting it there as it is and HDF5's h5repack.

    ./dev shell python3 Testing/Benchmark/repack_bench.py --build build/openmpi [--mib N] [--place FOLDER]

The file is a field of waves with some noise, in doubles. Prints the median of the seconds, and how much is on disk.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from separate_jobs import one_host

WRITE = """
import sys
import h5py, numpy
name, mib = sys.argv[1], int(sys.argv[2])
plane = numpy.linspace(0, 20, 256)
numbers = numpy.random.default_rng(7)
with h5py.File(name, "w") as file:
    field = file.create_dataset("field", (2 * mib, 256, 256), "f8")
    for row in range(2 * mib):
        noise = numbers.integers(0, 16, (256, 256)) / 4096
        field[row] = numpy.sin(plane[:, None] + row / 50) * numpy.cos(plane) + noise
"""
FILTERS = ("SHUF", "GZIP=6")


def seconds(command):
    """Of a command that succeeds."""
    began = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def ways(programs, run, contact, plain):
    """Of each the words before the name of what is written."""
    archive = [programs / "dsm-archive", "--contact", contact, "--number", "1"]
    ours = [word for name in FILTERS for word in ("--filter", name)]
    theirs = ["h5repack", *(word for name in FILTERS for word in ("-f", name))]
    return {
        "as it is, by the hosts": [*archive, "--to"],
        "as it is, virtual 2": [*archive, "--form", "virtual 2", "--to"],
        "compressed, one file": [*archive, *ours, "--to"],
        "compressed, virtual 2": [*archive, *ours, "--form", "virtual 2", "--to"],
        "compressed, virtual 4": [*archive, *ours, "--form", "virtual 4", "--to"],
        "compressed, h5repack from memory": [*run, "--match", "none", *theirs, f"{contact}#1"],
        "compressed, h5repack from disk": [*theirs, plain],
    }


def measure(programs, given):
    results = {}
    with (one_host(programs, "--memory-per-host", f"{2 * given.mib + 64} MiB") as (_, run, folder),
          tempfile.TemporaryDirectory(prefix="dsm-repack-", dir=given.place) as place):
        subprocess.run([*map(str, run), sys.executable, "-c", WRITE, str(folder / "run.h5"), str(given.mib)],
                       check=True)
        contact, plain = folder / "run.dsm", Path(place) / "plain.h5"
        seconds([programs / "dsm-archive", "--contact", contact, "--to", plain])
        for _ in range(given.rounds):
            for way, command in ways(programs, run, contact, plain).items():
                to = Path(place) / "new.h5"
                taken = seconds([*command, to])
                files = list(Path(place).glob("new.h5*"))
                size = sum(file.stat().st_size for file in files) / (1 << 20)
                results.setdefault(way, []).append((taken, size))
                for file in files:
                    file.unlink()
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--mib", type=int, default=256, help="size of the file")
    parser.add_argument("--place", type=Path, help="where files are put; default: the folder for temporary ones")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(f"a file of {given.mib} MiB\n| | s | MiB |\n| --- | --- | --- |")
    for way, runs in measure(given.build.resolve() / "bin", given).items():
        print(f"| {way} | {statistics.median(taken for taken, _ in runs):.2f} | {runs[0][1]:.0f} |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What flushes cost that show a file (dsm-run --publish flush): a file that stays open grows by 1 MiB and is flushed,
many times; on tmpfs, and behind dsm-run.

    ./dev shell python3 Testing/Benchmark/flush_bench.py --build build/openmpi [--flushes N]

Prints the milliseconds that a step takes, the write and the flush of it (medians of ten, along the way), and by how
much the machine's shared memory has grown, beside the size of the file. Nothing else may use such memory meanwhile.
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
name, flushes = sys.argv[1], int(sys.argv[2])
values = numpy.arange(1 << 17, dtype="f8")
with h5py.File(name, "w") as file:
    rows = file.create_dataset("rows", (0, values.size), "f8", maxshape=(None, values.size),
                               chunks=(1, values.size // 4))
    for step in range(flushes):
        begin = time.perf_counter()
        rows.resize(step + 1, axis=0)
        rows[step] = values + step
        file.attrs["step"] = step
        file.flush()
        print(time.perf_counter() - begin)
    print(int(next(line for line in open("/proc/meminfo") if line.startswith("Shmem:")).split()[1]) / 1024)
"""


def shared_memory():
    """MiB of shared memory on this machine."""
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(lines["Shmem"].split()[0]) / 1024


def measure(prefix, name, flushes):
    """Milliseconds of each step, and MiB after the last."""
    before = shared_memory()
    told = subprocess.run([*map(str, prefix), sys.executable, "-c", PROGRAM, str(name), str(flushes)],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    *seconds, after = map(float, told.split())
    return [1000 * step for step in seconds], after - before


def coupled(programs, options, flushes):
    """The same behind dsm-run, with a server of its own."""
    with one_host(programs, "--memory-per-host", "6 GiB") as (_, run, folder):
        return measure([*run, *options], folder / "run.h5", flushes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--flushes", type=int, default=1000)
    given = parser.parse_args()
    programs = given.build.resolve() / "bin"
    results = {}
    with tempfile.TemporaryDirectory(prefix="dsm-flushes-", dir="/dev/shm") as folder:
        results["tmpfs"] = measure(["env"], Path(folder) / "alone.h5", given.flushes)
    results["`dsm-run`, seen at its close"] = coupled(programs, [], given.flushes)
    results["`--publish flush`"] = coupled(programs, ["--publish", "flush"], given.flushes)
    places = [10, given.flushes // 4, given.flushes // 2, given.flushes]
    print(f"{given.flushes} flushes of a file that grows by 1 MiB, milliseconds of a step")
    print(f"|  | {' | '.join(f'{place}th' for place in places)} | shared memory (MiB) |")
    print("| --- |" + " --- |" * (len(places) + 1))
    for name, (steps, memory) in results.items():
        cells = [f"{statistics.median(steps[max(0, place - 10):place]):.2f}" for place in places]
        print(f"| {name} | {' | '.join(cells)} | {memory:.0f} |")


if __name__ == "__main__":
    main()

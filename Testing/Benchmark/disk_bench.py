#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What it costs a simulation that its files are on disk as well (dsm-serve --also-on-disk all): it computes, writes a
file and computes again, on disk, and behind dsm-run without and with that, by turns.

    ./dev shell python3 Testing/Benchmark/disk_bench.py --build build/openmpi [--size MIB] [--files N]
                                                        [--compute SECONDS] [--rounds N] [--folder FOLDER]

Prints the milliseconds for which writing a file keeps the simulation from computing (create, write and close; the
median, and the upper end of the quickest quarter, which says more where others use the machine), the seconds of the
whole run, and their ratios to the run without. With --folder the files are there, and not
in the folder for temporary files.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import environ, on_disk
from separate_jobs import one_host

PROGRAM = """
import sys, time
import h5py, numpy
folder, size, files, compute = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
values = numpy.arange(size << 17, dtype="f8")
work = numpy.ones(1 << 16)

def step(count):
    for _ in range(count):
        numpy.sqrt(work, out=work)

# So many steps are as many seconds, whatever else the machine does later.
begin = time.perf_counter()
step(2000)
count = int(2000 * compute / (time.perf_counter() - begin)) if len(sys.argv) < 6 else int(sys.argv[5])
print(count)
begin = time.perf_counter()
for number in range(files):
    step(count)
    written = time.perf_counter()
    with h5py.File(f"{folder}/out.{number:04}.h5", "w") as file:
        file["values"] = values
    print(time.perf_counter() - written)
print(time.perf_counter() - begin)
"""


def run(prefix, folder, given, count):
    """How many steps it has computed each time, the seconds of each file, and of all."""
    words = [*map(str, prefix), sys.executable, "-c", PROGRAM, str(folder), str(given.size), str(given.files),
             str(given.compute), *count]
    told = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return told[0], [float(word) for word in told[1:-1]], float(told[-1])


def coupled(programs, rule, place, given, count):
    """The same behind dsm-run; and the seconds until the files are on disk, after its end."""
    options = ["--memory-per-host", f"{given.size * (given.files + 4)} MiB", "--also-on-disk", rule,
               "--until-disconnect"]
    with one_host(programs, *options, place=place, environment=environ()) as (server, prefix, folder):
        _, each, whole = run(prefix, folder, given, count)
        end = time.perf_counter()
        status = server.status(600)
        behind = time.perf_counter() - end
        there = sum(on_disk(file) for file in folder.glob("out.*.h5"))
        assert status == 0 and there == (given.files if rule == "all" else 0), server.text
        return each, whole, behind


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--size", type=int, default=64, help="of a file, MiB")
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--compute", type=float, default=0.5, help="seconds before each file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="where the files are")
    given = parser.parse_args()
    programs = given.build.resolve() / "bin"
    blocked = {"disk": [], "none": [], "all": []}
    whole = {"disk": [], "none": [], "all": []}
    behind = []
    count = ()
    for number in range(given.rounds):
        with tempfile.TemporaryDirectory(prefix="dsm-disk-", dir=given.folder) as folder:
            steps, each, seconds = run([], folder, given, count)
        count = count or (steps,)
        blocked["disk"] += each
        whole["disk"].append(seconds)
        for rule in ("none", "all") if number % 2 == 0 else ("all", "none"):
            each, seconds, late = coupled(programs, rule, given.folder, given, count)
            blocked[rule] += each
            whole[rule].append(seconds)
            behind += [late] if rule == "all" else []
    print(f"{given.files} files of {given.size} MiB, {given.compute} s of computing before each, {given.rounds} rounds")
    print("|  | blocked per file (ms) | ratio | quickest quarter (ms) | ratio | whole run (s) | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")

    def numbers(name):
        return (1000 * statistics.median(blocked[name]), 1000 * statistics.quantiles(blocked[name], n=4)[0],
                statistics.median(whole[name]))

    for name, text in (("disk", "on disk, without us"), ("none", "`dsm-run`"), ("all", "`--also-on-disk all`")):
        cells = [f"{value:.{digits}f} | {value / base:.3f}"
                 for value, base, digits in zip(numbers(name), numbers("none"), (1, 1, 2), strict=True)]
        print(f"| {text} | {' | '.join(cells)} |")
    print(f"on disk {statistics.median(behind):.2f} s after the simulation's end")


if __name__ == "__main__":
    main()

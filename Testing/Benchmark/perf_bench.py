#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What dsm-perf measures on this machine, as a table and a picture for each of two shapes of files.

    ./dev shell python3 Testing/Benchmark/perf_bench.py --build build/openmpi --results FOLDER [-- OPTION…]

Contiguous: each process has a part of the dataset, and transfers are independent. Interleaved: processes take turns
every KiB, and transfers are collective. Files are on tmpfs, or in the memory of two hosts on this machine, which have
just been started. Further options are dsm-perf's, in place of those that are used else. FOLDER gets perf.csv,
perf_contiguous.png and perf_interleaved.png.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import running
from separate_jobs import SeparateJobs, add_options, in_folder

SHAPES = {"contiguous": [], "interleaved": ["-I", "-B", "1KiB", "-C"]}
USUALLY = ["-e", "16MiB", "-x", "64KiB", "-X", "16MiB", "-i", "5"]
LIMIT = 1800  # seconds for a shape


def measure(jobs, shape, given):
    """dsm-perf's rows."""
    with tempfile.TemporaryDirectory(prefix="dsm-perf-", dir="/dev/shm") as folder:
        table = Path(folder) / "perf.csv"
        options = ["--folder", folder, "-o", table, *SHAPES[shape], *(given.options or USUALLY)]

        def run(prefix):
            contact = prefix[-1]
            return jobs.job([jobs.programs / "dsm-perf", "--contact", contact, *options]).wait(LIMIT)

        print(f"# {shape}\n{jobs.served(run, ['--memory-per-host', '512 MiB'])}", flush=True)
        return running.rows(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("options", nargs="*", help="of dsm-perf, behind --")
    parser.set_defaults(writers=4)
    given = parser.parse_args()

    def run(folder):
        import plot_perf  # needs matplotlib

        jobs = SeparateJobs(given, folder)
        where = {"commit": running.commit(), "mpi": jobs.kind}
        rows = []
        for shape in SHAPES:
            mine = measure(jobs, shape, given)
            plot_perf.draw(mine, given.results / f"perf_{shape}.png")
            rows += [{**where, "shape": shape, **row} for row in mine]
        running.write_rows(given.results / "perf.csv", rows[0], rows)

    in_folder("dsm-perf-", run)


if __name__ == "__main__":
    sys.exit(main())

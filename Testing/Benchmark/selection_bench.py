#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of Chilan and Yang (2006), here: selections of several shapes, and a tall thin array.

    ./dev shell python3 Testing/Benchmark/selection_bench.py --build build/openmpi [--csv FILE] [--plots FOLDER]

Each rank writes and reads a part of one dataset: one piece (contiguous), a KiB of each row of a part of the dataset
that is its own (apart) or of rows that all ranks share (interleaved), or columns of an array of 230,000 x 6 doubles,
dealt out (thin: pieces of 8 bytes; 6 ranks have one each). All ranks do, or half of them while the others take part in
the call without data. By turns: MPI-IO on tmpfs, independent and collective; and in memory over each transport with
each mode (DSM_TRANSFER), with hosts that have just been started. Every value that is read is checked.

Prints milliseconds in H5Dwrite and H5Dread of the slowest rank, medians over the rounds and repetitions, and how many
times faster than MPI-IO that is. The first round of each run connects and is not counted. Transports over MPI need
hosts and writers in one MPI job, as they are started here.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import running
from separate_jobs import Failure, SeparateJobs, add_options, in_folder

PATTERNS = {"contiguous": 1024, "apart": 1024, "interleaved": 1024, "thin": 230_000}
TMPFS = "tmpfs"
TRANSPORTS = ["shared-memory", "fabric/tcp", "mpi-rma", "mpi-messages"]
MODES = ["independent", "datatype", "collective", "auto"]
MPI_IO = ["independent", "collective"]
OVER_MPI = ["mpi-rma", "mpi-messages"]
COLUMNS = ["commit", "mpi", "pattern", "bytes", "piece", "ranks", "active", "way", "mode", "direction", "rounds",
           "milliseconds_min", "milliseconds_median", "milliseconds_max", "MB_per_s", "of_independent",
           "of_collective"]
TITLES = [("pattern", "pattern"), ("ranks", "ranks"), ("with data", "active"), ("way", "way"), ("mode", "mode"),
          ("", "direction"), ("ms", "milliseconds_median"), ("MB/s", "MB_per_s"),
          ("x MPI-IO independent", "of_independent"), ("x collective", "of_collective")]


class Bench(SeparateJobs):
    """Runs the program in every way."""

    def program(self, case, mode, name):
        pattern, _, active = case
        return [self.programs / "dsm_selection_program", pattern, mode, active, self.given.side[pattern], name,
                self.given.repeat + 1]

    def measured(self, job):
        """(write, read) for each round but the first."""
        found = [tuple(map(float, line.split()[1:])) for line in job.wait(self.given.limit).split("\n")
                 if line.startswith("milliseconds ")]
        return found[1:]

    def tmpfs(self, case, mode):
        with tempfile.TemporaryDirectory(prefix="dsm-selection-", dir="/dev/shm") as folder:
            return self.measured(self.job(self.program(case, mode, Path(folder) / "run.h5"), ranks=case[1]))

    def dsm(self, case, transport, mode):
        options = ["--memory-per-host", "256 MiB", "--transport", transport,
                   *([] if transport == "shared-memory" else ["--no-node-memory"])]
        self.number += 1
        words = self.program(case, "collective", self.folder / f"run{self.number}.h5")
        if transport in OVER_MPI:
            return self.measured(self.one_job(words, options, case[1], mode))
        return self.served(
            lambda prefix: self.measured(self.job(words, [*prefix, "--transfer", mode], case[1])), options)

    def one_job(self, words, options, ranks, mode):
        """Hosts and writers in one launch: Debian's Open MPI cannot, so a program of ours tells them apart by rank."""
        contact = self.folder / f"run{self.number}.dsm"
        hosts = [self.programs / "dsm-serve", "--contact", contact, *options, "--until-disconnect", "--limit",
                 self.given.limit, *self.given.serve]
        writers = [self.programs / "dsm-run", "--contact", contact, "--wait", 30, "--transfer", mode, *words]
        if self.kind == "openmpi":
            both = [*self.mpiexec(self.given.hosts + ranks), self.programs / "dsm-mpmd", self.given.hosts, *hosts, "::",
                    ranks, *writers]
        else:
            both = [*self.mpiexec(self.given.hosts), *hosts, ":", "-n", ranks, *writers]
        return self.launch(both, OMPI_MPI_THREAD_LEVEL="3", MPIR_CVAR_DEFAULT_THREAD_LEVEL="MPI_THREAD_MULTIPLE")


def cases(given):
    """(pattern, ranks, those that have a part): all of them, or half."""
    return [(pattern, ranks, active) for pattern in given.patterns for ranks in given.ranks
            for active in dict.fromkeys([ranks, max(1, ranks // 2)])]


def ways(given):
    return [*((TMPFS, mode) for mode in MPI_IO),
            *((transport, mode) for transport in given.transports for mode in given.modes)]


def measure(bench, given, failed):
    """{(case, way): [(write, read), …]}, once more after each case. A way that failed or took longer than --limit is
    told at once, and noted."""
    found = {}
    for turn in range(given.rounds):
        for case in cases(given):
            for way, mode in ways(given):
                began = time.monotonic()
                try:
                    run = bench.tmpfs(case, mode) if way == TMPFS else bench.dsm(case, way, mode)
                except Failure as failure:
                    if way == TMPFS:
                        raise  # what all else is compared with
                    failed.append(f"{' '.join(map(str, case))} {way} {mode}")
                    print(f"{failed[-1]}: {failure}", file=sys.stderr, flush=True)
                    continue
                found.setdefault((case, (way, mode)), []).extend(run)
                write, read = (statistics.median(one) for one in zip(*run, strict=True))
                print(f"{turn} {' '.join(map(str, case))} {way} {mode}: {write:.2f} {read:.2f} "
                      f"({time.monotonic() - began:.1f} s)", file=sys.stderr, flush=True)
            yield found


def table(found, given):
    """Rows for the CSV file."""
    rows = []
    commit, mpi = running.commit(), running.flavour(given.build)
    for (case, (way, mode)), runs in found.items():
        pattern, ranks, active = case
        side = given.side[pattern]
        piece = {"contiguous": side * side, "thin": 8}.get(pattern, side)
        moved = 6 * 8 * side if pattern == "thin" else active * side * side
        for place, direction in enumerate(("write", "read")):
            times = [run[place] for run in runs]
            median = statistics.median(times)
            beside = [statistics.median(run[place] for run in found[case, (TMPFS, name)]) / median for name in MPI_IO]
            rows.append(dict(zip(COLUMNS, [
                commit, mpi, pattern, moved, piece, ranks, active, way, mode, direction, len(times),
                f"{min(times):.3f}", f"{median:.3f}", f"{max(times):.3f}", f"{moved / median / 1e3:.1f}",
                *(f"{times_faster:.2f}" for times_faster in beside)], strict=True)))
    return rows


def write(rows, path):
    """The CSV file; what it has of other patterns stays."""
    others = running.rows(path) if path.exists() else []
    others = [row for row in others if row["pattern"] not in {mine["pattern"] for mine in rows}]
    running.write_rows(path, COLUMNS, [*others, *rows])
    return [*others, *rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)

    def names(text):
        return text.split(",")

    parser.add_argument("--ranks", type=lambda text: [int(one) for one in text.split(",")], default=[1, 2, 4, 6])
    parser.add_argument("--patterns", type=names, default=list(PATTERNS))
    parser.add_argument("--transports", type=names, default=TRANSPORTS)
    parser.add_argument("--modes", type=names, default=MODES)
    parser.add_argument("--repeat", type=int, default=5, help="files in a run that count")
    parser.add_argument("--scale", type=int, default=1, help="divides the rows, for a short look")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a run")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw what --csv has, also of other patterns")
    parser.set_defaults(rounds=1)
    given = parser.parse_args()
    given.side = {pattern: side // given.scale for pattern, side in PATTERNS.items()}
    os.environ.setdefault("DSM_DEFAULTS", "off")

    def run(folder):
        failed = []
        for found in measure(Bench(given, folder), given, failed):
            rows = table(found, given)
            every = write(rows, given.csv) if given.csv else rows
        print("\n".join(running.lines(rows, TITLES)))
        if given.plots:
            import plots  # needs matplotlib

            plots.draw_selections(every, given.plots)
        if failed:
            sys.exit(f"failed, and not in the table: {', '.join(failed)}")

    in_folder("dsm-selection-", run)


if __name__ == "__main__":
    main()

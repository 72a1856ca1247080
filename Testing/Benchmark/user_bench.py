#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a user meets: how long an ordinary parallel HDF5 program is held up by each of its files, the first included.

    ./dev shell python3 Testing/Benchmark/user_bench.py --build build/openmpi [--rounds 3] [--work] [--no-sst]

The hosts are a job of their own (dsm-serve, new for each round), the writers another, which knows nothing of us. In
turns with it: memcpy by as many ranks into shared memory that they have touched before, the same program on tmpfs,
and ADIOS2's SST, where it can be compiled (Debian: libadios2-mpi-c++11-dev), with a reader that takes the steps. For
small files `core` is HDF5's own in-memory driver, with which each rank makes the same calls: what HDF5 itself needs.
`met` is the same with the collective calls that a parallel HDF5 makes by itself: what a parallel HDF5 needs.
Files of 128 MiB with 300 ms between them and with none, and of 1 MiB; prints milliseconds for which the slowest rank
is held up from the beginning of H5Fcreate to the end of H5Fclose: the median over all files and rounds, that of the
first files, and the longest; and the medians' ratio to the others'. In a full ring the hosts have memory for five
files, as many are kept on tmpfs, and the first six do not count; else all files of a run are kept, and have new
memory. All files have their names on tmpfs: to create one on a disk takes as long as to write 1 MiB on some machines
(--names FOLDER shows it). Between files the program sleeps, or works (--work), so that what hosts do ahead has no
core of its own. Then it prints what it takes to write an attribute and flush it, in microseconds, and how many files
of 1 MiB a second 1 and 8 processes write, each process its own ones.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from separate_jobs import SeparateJobs, add_options, add_touch_option, in_folder

HERE = Path(__file__).resolve().parent
MIB = 1 << 20
SST_HEADERS = Path("/usr/include/adios2/build/mpi")
FILES_IN_FULL_RING = 5
RATE = "files of 1 MiB, each process its own, "


def cases(large):
    """Returns (name, bytes, milliseconds between files) of each case; large files have so many MiB."""
    return [(f"{large} MiB, 300 ms apart", large * MIB, 300), (f"{large} MiB, back to back", large * MIB, 0),
            (f"{large} MiB, back to back, full ring", large * MIB, 0),
            ("1 MiB, 100 ms apart", MIB, 100), ("1 MiB, back to back", MIB, 0)]


def why_no_sst(kind):
    """Returns why SST cannot be measured beside a build for this MPI library, or an empty text."""
    if kind != "openmpi":
        return "Debian's ADIOS2 is built for Open MPI. Use a build for Open MPI."
    if not SST_HEADERS.exists():
        return f"{SST_HEADERS} is missing. Install libadios2-mpi-c++11-dev."
    return ""


class Bench(SeparateJobs):
    """Every way to get a program's files to others."""

    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.sst_program = None if given.no_sst else self.compiled_sst()

    def compiled_sst(self):
        """Compiles SST's program. If that is impossible, says so and returns None."""
        if reason := why_no_sst(self.kind):
            print(f"user_bench: cannot measure ADIOS2's SST: {reason}", file=sys.stderr)
            return None
        made = self.folder / "sst"
        subprocess.run(["mpicxx.openmpi", "-std=c++17", "-O2", "-DADIOS2_USE_MPI=1", f"-I{SST_HEADERS}", "-w",
                        HERE / "user_bench" / "sst.cxx", "-o", made, "-ladios2_mpi_cxx11_mpi", "-ladios2_mpi_cxx11",
                        "-ladios2_mpi_core_mpi", "-ladios2_mpi_core"], check=True)
        return made

    def files(self, way, size, pause, base, prefix=(), keep=None):
        count = self.given.files if size > MIB else self.given.small_files
        kept = [keep or count] if way == "hdf5" else []
        return self.told([self.programs / "dsm_user_program", way, base, count, size, pause,
                          "work" if self.given.work else "sleep", *kept], prefix)

    def memcpy(self, size, pause):
        with self.on_tmpfs() as folder:
            return self.files("memcpy", size, pause, Path(folder) / "memory")

    def tmpfs(self, size, pause, keep=None):
        with self.on_tmpfs() as folder:
            return self.files("hdf5", size, pause, Path(folder) / "run", keep=keep)

    @staticmethod
    def on_tmpfs():
        """A folder there, for one run."""
        return tempfile.TemporaryDirectory(prefix="dsm-user-", dir="/dev/shm")

    def dsm(self, size, pause, more=()):
        with tempfile.TemporaryDirectory(prefix="dsm-user-", dir=self.given.names) as folder:
            return self.served(lambda prefix: self.files("hdf5", size, pause, Path(folder) / "run", prefix), more)

    def full_ring(self, size, pause):
        """Those files that find the ring full: they have memory that others had before."""
        lent = FILES_IN_FULL_RING * size // self.given.hosts + size // 4
        return self.dsm(size, pause, ["--memory-per-host", f"{lent // MIB} MiB"])[FILES_IN_FULL_RING + 1:]

    def full_tmpfs(self, size, pause):
        """The same on tmpfs, where as many files are kept."""
        return self.tmpfs(size, pause, FILES_IN_FULL_RING)[FILES_IN_FULL_RING + 1:]

    def sst(self, size, pause):
        self.number += 1
        name = self.folder / f"steps{self.number}"
        count = self.given.files if size > MIB else self.given.small_files
        reader = self.job([self.sst_program, "read", name], ranks=self.given.hosts)
        try:
            return self.told([self.sst_program, "write", name, count, size, pause,
                              "work" if self.given.work else "sleep"])
        finally:
            reader.stop()

    def core(self, size, pause):
        return self.files("core", size, pause, self.folder / "core")

    def met(self, size, pause):
        return self.files("met", size, pause, self.folder / "met")

    def rate(self, processes, prefix=()):
        """Returns how many files of 1 MiB a second so many processes write, each its own ones."""
        with self.on_tmpfs() as folder:
            return self.told([self.programs / "dsm_user_program", "own", Path(folder) / "run", self.given.small_files,
                              MIB, 0, "sleep"], prefix, processes)

    def attribute(self, prefix=()):
        with self.on_tmpfs() as folder:
            return self.told([self.programs / "dsm_user_program", "attribute", Path(folder) / "attribute.h5", "10000"],
                             prefix, 1)


def measure(bench, given):
    """Milliseconds by case and way: a list for each round."""
    ways = {"memcpy": bench.memcpy, "tmpfs": bench.tmpfs, "DSM": bench.dsm}
    if bench.sst_program:
        ways["SST"] = bench.sst
    found = {}
    chosen = [case for case in cases(given.large) if not given.only or given.only in case[0]]
    for _ in range(given.rounds):
        for name, size, pause in chosen:
            now = {**ways, **({"core": bench.core, "met": bench.met} if size <= MIB else {})}
            if name.endswith("full ring"):
                now |= {"tmpfs": bench.full_tmpfs, "DSM": bench.full_ring}
            for way, run in now.items():
                if given.ways and way not in given.ways.split(","):
                    continue
                bench.touch()
                found.setdefault(name, {}).setdefault(way, []).append(run(size, pause))
    return found


def table(found):
    """Lines of what was measured."""
    lines = []
    for name, ways in found.items():
        medians = {way: statistics.median(time for times in rounds for time in times) for way, rounds in ways.items()}
        others = [way for way in medians if way != "DSM"]
        lines += [f"{name}, ms", f"|  | median | first | longest | {' | '.join('of ' + way for way in others)} |",
                  "| --- |" + " --- |" * (3 + len(others))]
        for way, rounds in ways.items():
            cells = [medians[way], statistics.median(times[0] for times in rounds), max(map(max, rounds)),
                     *(medians[way] / medians[other] for other in others)]
            lines.append(f"| {way} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
        lines.append("")
    return lines


def rates(bench, given):
    """Returns lines of how many small files a second are written."""
    lines = []
    for processes in (1, 8):
        found = {"DSM": [], "tmpfs": []}
        for _ in range(given.rounds):
            found["DSM"] += bench.served(lambda prefix, count=processes: bench.rate(count, prefix))
            found["tmpfs"] += bench.rate(processes)
        lines += ["", f"{RATE}{processes} process{'es' * (processes > 1)}, files/s", "|  | median |", "| --- | --- |",
                  *(f"| {way} | {statistics.median(numbers):.0f} |" for way, numbers in found.items())]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    add_touch_option(parser)
    parser.add_argument("--large", type=int, default=128, metavar="MIB", help="size of a large file")
    parser.add_argument("--files", type=int, default=12, help="large files in a round, more than 6")
    parser.add_argument("--small-files", type=int, default=40, help="files of 1 MiB in a round")
    parser.add_argument("--work", action="store_true", help="the program works between its files")
    parser.add_argument("--no-sst", action="store_true", help="leave ADIOS2's SST out")
    parser.add_argument("--only", help="cases whose names have this in them")
    parser.add_argument("--ways", help="such as memcpy,DSM: these alone")
    parser.add_argument("--names", default="/dev/shm", help="folder in which the files of DSM have their names")
    given = parser.parse_args()

    def run(folder):
        bench = Bench(given, folder)
        print("\n".join(table(measure(bench, given))))
        if not given.only:
            print("an attribute written and flushed, µs\n|  | median |\n| --- | --- |\n"
                  f"| DSM | {statistics.median(bench.served(bench.attribute)):.2f} |\n"
                  f"| tmpfs | {statistics.median(bench.attribute()):.2f} |")
        if not given.only or given.only in RATE:
            print("\n".join(rates(bench, given)))

    in_folder("dsm-user-", run)


if __name__ == "__main__":
    main()

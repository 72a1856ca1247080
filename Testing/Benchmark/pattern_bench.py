#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The access patterns of h5bench's write benchmark: how long a parallel HDF5 program is held up, here and on tmpfs.

    ./dev shell python3 Testing/Benchmark/pattern_bench.py --build build/openmpi [--rounds 3] [--csv FILE]
    ./dev shell python3 Testing/Benchmark/pattern_bench.py --build build/openmpi --h5bench FOLDER

Particles of eight variables of 4 bytes, in memory as eight arrays or as one of structs, in the file as eight datasets
or as one of structs, in 1, 2 or 3 dimensions, or strided; several steps in a file; transfers collective or independent,
datasets contiguous or chunked. In turns: the program on tmpfs, and behind dsm-run with hosts of its own that have just
been started. And with HDF5's own in-memory driver (core), each rank by itself: what HDF5 needs for the pattern,
wherever the bytes go. Prints milliseconds from H5Fcreate to the end of H5Fclose, without the pauses between steps:
medians over the rounds of the first file and of the later ones, and how many times tmpfs's that is; at last what the
core driver takes.

--h5bench names a folder with h5bench_write and measures with that instead of our own program: one file in a run, as it
writes it. It takes neither the core driver nor chunked datasets.

--favour has the scheduler prefer these programs to what else runs on the machine.
"""

import argparse
import csv
import statistics
import sys
import tempfile
from pathlib import Path

from separate_jobs import SeparateJobs, add_options, add_touch_option, in_folder

MIB = 1 << 20
COLLECTIVE, INDEPENDENT, CONTIGUOUS, CHUNKED = "collective", "independent", "contiguous", "chunked"
# In memory, in the file, dimensions; how it is transferred; the layout of datasets.
CASES = [("arrays-arrays-1d", COLLECTIVE, CONTIGUOUS), ("arrays-arrays-2d", COLLECTIVE, CONTIGUOUS),
         ("arrays-arrays-3d", COLLECTIVE, CONTIGUOUS), ("arrays-arrays-1d", INDEPENDENT, CONTIGUOUS),
         ("arrays-arrays-1d", COLLECTIVE, CHUNKED), ("arrays-arrays-3d", INDEPENDENT, CHUNKED),
         ("structs-structs-1d", COLLECTIVE, CONTIGUOUS), ("structs-structs-2d", INDEPENDENT, CONTIGUOUS),
         ("structs-arrays-1d", COLLECTIVE, CONTIGUOUS), ("structs-arrays-2d", INDEPENDENT, CONTIGUOUS),
         ("arrays-structs-1d", COLLECTIVE, CONTIGUOUS), ("arrays-structs-2d", INDEPENDENT, CONTIGUOUS),
         ("arrays-strided-1d", COLLECTIVE, CONTIGUOUS), ("arrays-strided-1d", INDEPENDENT, CONTIGUOUS)]
# MPI-IO takes minutes for a file of as many particles as others have.
STRIDED_SHARE = 32
# Our words and h5bench's.
THEIRS = {"arrays": "CONTIG", "structs": "INTERLEAVED", "strided": "STRIDED"}
FAVOURED = ["sh", "-c", 'echo -20 > /proc/self/autogroup; exec "$@"', "sh"]
COLUMNS = ["pattern", "mode", "layout", "way", "round", "file", "milliseconds"]


class Bench(SeparateJobs):
    """Writes files of a pattern in every way."""

    def mpiexec(self, ranks):
        return [*super().mpiexec(ranks), *(FAVOURED if self.given.favour else [])]

    def written(self, case, way, base, prefix=()):
        """Milliseconds for each file."""
        if self.given.h5bench:
            return self.written_by_h5bench(case, base, prefix)
        given = self.given
        pause = given.pause if way == "hdf5" else 0
        particles = given.particles // (STRIDED_SHARE if "strided" in case[0] else 1)
        return self.told([self.programs / "dsm_pattern_program", way, *case, base, given.files, given.steps, particles,
                          pause], prefix)

    def written_by_h5bench(self, case, base, prefix):
        words, mode, _ = case
        memory, file, dimensions = words.split("-")
        sizes = {"1d": [self.given.particles, 1, 1], "2d": [self.given.particles // 1024, 1024, 1],
                 "3d": [self.given.particles // 4096, 64, 64]}[dimensions]
        collective = "YES" if mode == COLLECTIVE else "NO"
        settings = {"IO_OPERATION": "WRITE", "MEM_PATTERN": THEIRS[memory], "FILE_PATTERN": THEIRS[file],
                    "TIMESTEPS": self.given.steps, "COLLECTIVE_DATA": collective, "COLLECTIVE_METADATA": "YES",
                    "EMULATED_COMPUTE_TIME_PER_TIMESTEP": f"{self.given.pause} ms", "NUM_DIMS": dimensions[0],
                    "DIM_1": sizes[0], "DIM_2": sizes[1], "DIM_3": sizes[2]}
        if file == "strided":
            settings.update(STRIDE_SIZE=4, BLOCK_SIZE=2, BLOCK_CNT=self.given.particles // 8 // STRIDED_SHARE)
        told = self.folder / "h5bench.cfg"
        told.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
        job = self.job([self.given.h5bench.resolve() / "h5bench_write", told, f"{base}.0000.h5"], prefix)
        found = {}
        for line in job.wait(300).split("\n"):
            name, _, value = line.partition(":")
            if value.endswith(" s"):
                found[name] = 1000 * float(value.split()[0])
        return [found["Observed completion time"] - found.get("Total emulated compute time", 0)]

    def tmpfs(self, case):
        with tempfile.TemporaryDirectory(prefix="dsm-pattern-", dir="/dev/shm") as folder:
            return self.written(case, "hdf5", Path(folder) / "run")

    def dsm(self, case):
        return self.served(lambda prefix: self.written(case, "hdf5", self.folder / f"run{self.number}", prefix))

    def core(self, case):
        return self.written(case, "core", self.folder / "core")


def measure(bench, given):
    """Rows for the CSV file."""
    ways = {"tmpfs": bench.tmpfs, "DSM": bench.dsm, "core": bench.core}
    cases = [case for case in CASES if not given.only or given.only in " ".join(case)]
    if given.h5bench:
        del ways["core"]
        cases = [case for case in cases if case[2] == CONTIGUOUS]
    rows = []
    for turn in range(given.rounds):
        for case in cases:
            for way, run in ways.items():
                bench.touch()
                found = run(case)
                print(*case, way, *(f"{one:.1f}" for one in found), file=sys.stderr, flush=True)
                rows += [dict(zip(COLUMNS, [*case, way, turn, file, f"{one:.1f}"], strict=True))
                         for file, one in enumerate(found)]
    return rows


def table(rows):
    """Lines of what was measured."""
    lines = ["| pattern |  |  | tmpfs: first | later | DSM: first | later | first, times tmpfs | later | core |",
             "| --- | --- | --- |" + " --- |" * 7]
    for case in dict.fromkeys((row["pattern"], row["mode"], row["layout"]) for row in rows):
        def median(way, later, case=case):
            times = [float(row["milliseconds"]) for row in rows
                     if (row["pattern"], row["mode"], row["layout"], row["way"]) == (*case, way)
                     and (row["file"] > 0) == later]
            return statistics.median(times) if times else float("nan")

        cells = [median(way, later) for way in ("tmpfs", "DSM") for later in (False, True)]
        ratios = [cells[0] / cells[2], cells[1] / cells[3]]
        core = median("core", True)
        lines.append(f"| {' | '.join(case)} | {' | '.join(f'{cell:.0f}' for cell in cells)} | "
                     f"{' | '.join(f'{ratio:.2f}' for ratio in ratios)} | {core:.0f} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    add_touch_option(parser)
    parser.add_argument("--files", type=int, default=2, help="files in a run")
    parser.add_argument("--steps", type=int, default=5, help="steps in a file")
    parser.add_argument("--particles", type=int, default=1 << 20, help="of a rank; a multiple of 4096")
    parser.add_argument("--pause", type=int, default=1000, help="milliseconds between steps and before files")
    parser.add_argument("--only", help="cases that have this in them, such as 'structs-arrays' or 'chunked'")
    parser.add_argument("--favour", action="store_true", help="prefer these programs to the machine's others")
    parser.add_argument("--h5bench", type=Path, metavar="FOLDER", help="where h5bench_write is: measure with that")
    parser.add_argument("--csv", type=Path, help="write each file's milliseconds there")
    given = parser.parse_args()

    def run(folder):
        rows = measure(Bench(given, folder), given)
        print("\n".join(["milliseconds", *table(rows)]))
        if given.csv:
            with open(given.csv, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS)
                writer.writeheader()
                writer.writerows(rows)

    in_folder("dsm-pattern-", run)


if __name__ == "__main__":
    main()

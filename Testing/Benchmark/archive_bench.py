#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of the study of HDF5's subfiling (Byna et al. 2017): VPIC-IO writes, BD-CATS-IO reads with other numbers
of ranks; in one file, and in subfiles with all factors.

    ./dev shell python3 Testing/Benchmark/archive_bench.py --build build/openmpi [--csv FILE] [--plots FOLDER]
                                                           [--disk FOLDER] [--subfiling FOLDER]

N processes write 8 million particles each, of eight variables (256 MB). By turns, to tmpfs and to a folder on disk:

    plain      each process by write(2) into a file of its own: what the file system gives N processes
    MPI-IO     VPIC-IO with HDF5's own driver, into one file
    subfiling  the same with HDF5's Subfiling driver, where --subfiling names an HDF5 that has it
    memory     the same behind dsm-run: what the simulation waits for
    archive    what dsm-archive takes then, as one file and in subfiles; N hosts
    restore    what dsm-archive --restore takes to bring them back into memory
    start      what dsm-archive takes to start, connect and ask (--list), which is not in the two before, as the start
               of the other programs is not in theirs

then BD-CATS-IO by each number of --readers: MPI-IO's file, the archived file, subfiles (where --subfiling is given),
and memory. On disk, files are written when write(2) has returned; "on the disk" is until syncfs has, and what is read
is dropped from the system's cache before. Each way's rate is told also as a part of plain's in the same round.
"""

import argparse
import ctypes
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import running
from separate_jobs import SeparateJobs, add_options, in_folder

PARTICLES = 8 << 20  # of a process
BYTES = 32           # of a particle
PLAIN, MPI_IO, SUBFILING, MEMORY = "plain", "MPI-IO", "subfiling", "memory"
COLUMNS = ["commit", "mpi", "place", "processes", "bytes", "kernel", "way", "readers", "rounds", "seconds_min",
           "seconds_median", "seconds_max", "GB_per_s", "of_plain", "on_disk_seconds_median", "on_disk_of_plain"]
TITLES = [("place", "place"), ("processes", "processes"), ("kernel", "kernel"), ("way", "way"), ("readers", "readers"),
          ("s", "seconds_median"), ("GB/s", "GB_per_s"), ("of plain", "of_plain"),
          ("on the disk: s", "on_disk_seconds_median"), ("of plain", "on_disk_of_plain")]
TMPFS, DISK = "tmpfs", "disk"


def synchronise(folder):
    """Until all of the folder's file system is on its disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor) != 0:
            raise OSError(ctypes.get_errno(), f"syncfs of {folder} failed")
    finally:
        os.close(descriptor)


def forget(folder):
    """What the system has in its cache of a folder's files."""
    for path in folder.iterdir():
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def archived(form):
    return f"archive, {form}"


class Bench(SeparateJobs):
    """One number of processes, one place."""

    def __init__(self, given, folder, name, processes):
        super().__init__(given, folder)
        self.name = name
        self.processes = processes
        self.writing = {}  # way: [(seconds, seconds until it is on the disk)]
        self.starting = []
        self.restoring = {}
        self.reading = {}  # (way, readers): [seconds]

    def forms(self):
        """One file, and as many subfiles as there can be, each with the least factor."""
        hosts = self.processes
        least = {-(-hosts // factor): factor for factor in range(hosts, 0, -1)}
        return ["single", *(f"subfiles {factor}" for factor in sorted(least.values()))]

    def program(self, *words, prefix=(), ranks=None, other=None, **more):
        """The seconds that a kernel has told."""
        words = [*prefix, *self.mpiexec(ranks or self.processes), other or self.programs / "dsm_particles_program",
                 *words]
        said = self.launch(words, **more).wait(self.given.limit)
        return float(next(line for line in said.split("\n") if line[:1].isdigit()))

    def subfiling(self, *words, ranks=None):
        return self.program(words[0], "subfiling", *words[1:], ranks=ranks, other=self.given.subfiling_program,
                            H5FD_SUBFILING_IOC_SELECTION_CRITERIA="1")

    def command(self, prefix, *words):
        """The seconds that dsm-archive takes."""
        contact = prefix[prefix.index("--contact") + 1]
        began = time.perf_counter()
        # With a pipe its end is seen at once; without one Python looks every 50 ms.
        subprocess.run(list(map(str, [self.programs / "dsm-archive", "--contact", contact, *words])), check=True,
                       stdout=subprocess.PIPE, env=self.environment(), timeout=self.given.limit)
        return time.perf_counter() - began

    def work(self, prefix, *words):
        """The same without its start."""
        return self.command(prefix, *words) - self.starting[-1]

    def writes(self, place, way, write):
        """Notes what writing took; the file system has nothing else to do meanwhile. The files are in a folder of
        their own."""
        folder = place / way.replace(" ", "-").replace(",", "")
        folder.mkdir()
        synchronise(place)
        seconds = write(folder)
        written = time.perf_counter()
        synchronise(place)
        self.writing.setdefault(way, []).append((seconds, seconds + time.perf_counter() - written))
        self.tell(f"{way}: {seconds:.3f} s, {self.writing[way][-1][1]:.3f} s until it is on the disk")
        return folder

    def reads(self, folder, way, read):
        for readers in self.given.readers:
            if folder:
                forget(folder)
            seconds = read(readers)
            self.reading.setdefault((way, readers), []).append(seconds)
            self.tell(f"{way}, read by {readers}: {seconds:.3f} s")

    def tell(self, text):
        print(f"{self.name} {self.processes}: {text}", file=sys.stderr, flush=True)

    def round(self, place):
        particles = self.given.particles
        shutil.rmtree(self.writes(place, PLAIN, lambda folder: self.program("plain", folder / "plain", particles)))
        folder = self.writes(place, MPI_IO,
                             lambda folder: self.program("write", "mpio", folder / "vpic.h5", particles))
        self.reads(folder, MPI_IO, lambda readers: self.program("read", "mpio", folder / "vpic.h5", ranks=readers))
        shutil.rmtree(folder)
        if self.given.subfiling:
            folder = self.writes(place, SUBFILING,
                                 lambda folder: self.subfiling("write", folder / "vpic.h5", particles))
            self.reads(folder, SUBFILING, lambda readers: self.subfiling("read", folder / "vpic.h5", ranks=readers))
            shutil.rmtree(folder)
        memory = 2 * particles * BYTES + (64 << 20)
        self.given.hosts = self.processes
        # The file stays, whatever is brought back beside it.
        self.served(lambda prefix: self.coupled(place, prefix),
                    ["--memory-per-host", memory, "--checkpoints", "*/vpic.h5"])

    def coupled(self, place, prefix):
        # Its name, and all that is of it on disk, is on the same file system.
        folder = self.writes(
            place, MEMORY,
            lambda folder: self.program("write", "mpio", folder / "vpic.h5", self.given.particles, prefix=prefix))
        in_memory = folder / "vpic.h5"
        # The least: what else runs must not make the work look short.
        self.starting.append(min(self.command(prefix, "--list") for _ in range(5)))
        self.reads(None, MEMORY,
                   lambda readers: self.program("read", "mpio", in_memory, prefix=prefix, ranks=readers))
        for form in self.forms():
            self.archive(place, prefix, form)

    def archive(self, place, prefix, form):
        way = archived(form)
        folder = self.writes(
            place, way, lambda folder: self.work(prefix, "--number", 1, "--to", folder / "vpic.h5", "--form", form))
        file = folder / "vpic.h5"
        if form == "single":
            self.reads(folder, way, lambda readers: self.program("read", "mpio", file, ranks=readers))
        elif self.given.subfiling:
            self.reads(folder, way, lambda readers: self.subfiling("read", file, ranks=readers))
        forget(folder)
        back = place / f"back-{folder.name}.h5"
        self.restoring.setdefault(way, []).append(self.work(prefix, "--restore", file, "--as", back))
        self.tell(f"{way}, brought back: {self.restoring[way][-1]:.3f} s")
        shutil.rmtree(folder)

    def rows(self, commit):
        size = self.processes * self.given.particles * BYTES
        known = {"commit": commit, "mpi": self.kind, "place": self.name, "processes": self.processes, "bytes": size}

        def row(kernel, way, readers, runs, more=()):
            median = statistics.median(runs)
            return {**dict.fromkeys(COLUMNS, ""), **known, "kernel": kernel, "way": way, "readers": readers,
                    "rounds": len(runs), "seconds_min": f"{min(runs):.4f}", "seconds_median": f"{median:.4f}",
                    "seconds_max": f"{max(runs):.4f}", "GB_per_s": f"{size / median / 1e9:.3f}", **dict(more)}

        def of_plain(way, which):
            pairs = zip(self.writing[PLAIN], self.writing[way], strict=True)
            return f"{statistics.median(plain[which] / mine[which] for plain, mine in pairs):.3f}"

        for way, runs in self.writing.items():
            written, there = zip(*runs, strict=True)
            more = {"of_plain": of_plain(way, 0)}
            if self.name == DISK and way != MEMORY:
                more.update(on_disk_seconds_median=f"{statistics.median(there):.4f}", on_disk_of_plain=of_plain(way, 1))
            yield row("VPIC-IO", way, "", written, more)
        for way, runs in self.restoring.items():
            yield row("restore", way, "", runs)
        yield row("start", "dsm-archive", "", self.starting, {"GB_per_s": ""})
        for (way, readers), runs in self.reading.items():
            yield row("BD-CATS-IO", way, readers, runs)


def compile_for_subfiling(given, folder):
    """The same program, for the other HDF5."""
    library = next(given.subfiling.glob("lib*/libhdf5.so"))
    source = Path(__file__).resolve().parent / "archive_bench" / "dsm_particles_program.c"
    program = folder / "particles_subfiling"
    subprocess.run([f"mpicc.{running.flavour(given.build)}", "-O2", source, f"-I{source.parents[2]}",
                    f"-I{given.subfiling / 'include'}", library, f"-Wl,-rpath,{library.parent}", "-o", program],
                   check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)

    def numbers(text):
        return [int(one) for one in text.split(",")]

    parser.add_argument("--processes", type=numbers, default=[1, 2, 4], help="which write, and as many hosts")
    parser.add_argument("--readers", type=numbers, default=[1, 2, 3])
    parser.add_argument("--particles", type=int, default=PARTICLES, help="of each process")
    parser.add_argument("--disk", type=Path, default=Path(tempfile.gettempdir()), help="a folder on a disk")
    parser.add_argument("--places", type=lambda text: text.split(","), default=[TMPFS, DISK])
    parser.add_argument("--subfiling", type=Path, metavar="FOLDER",
                        help="where an HDF5 with the Subfiling driver is installed, as test_subfiling.py makes one")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a run")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--plots", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    folders = {TMPFS: Path("/dev/shm"), DISK: given.disk}

    def run(folder):
        if given.subfiling:
            given.subfiling_program = compile_for_subfiling(given, folder)
        benches = [Bench(given, folder, name, processes) for name in given.places for processes in given.processes]
        for _ in range(given.rounds):
            for bench in benches:
                with tempfile.TemporaryDirectory(prefix="dsm-archive-", dir=folders[bench.name]) as place:
                    bench.round(Path(place))
        commit = running.commit()
        rows = [row for bench in benches for row in bench.rows(commit)]
        if given.csv:
            running.write_rows(given.csv, COLUMNS, rows)
        print("\n".join(running.lines(rows, TITLES)))
        if given.plots:
            import plots  # needs matplotlib

            plots.draw_archive([{name: str(value) for name, value in row.items()} for row in rows], given.plots)

    in_folder("dsm-archive-", run)


if __name__ == "__main__":
    main()

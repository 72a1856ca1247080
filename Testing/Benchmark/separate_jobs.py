# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks as users run things: the hosts are a job, the program that writes another."""

import argparse
import contextlib
import mmap
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import Failure, Job, adopt_orphans, end_everything
from running import ALONE, flavour, launcher

__all__ = ["Failure", "SeparateJobs", "add_options", "add_touch_option", "in_folder", "one_host"]

MIB = 1 << 20


class SeparateJobs:
    """Starts the jobs of one run. `given` are the command line's options, of add_options at least; `folder` is the
    run's own."""

    def __init__(self, given, folder):
        self.given = given
        self.folder = folder
        self.programs = given.build.resolve() / "bin"
        self.kind = flavour(given.build)
        self.number = 0

    def mpiexec(self, ranks):
        return [*launcher(self.given.build), "-n", ranks]

    def environment(self):
        mine = {**ALONE, **os.environ}
        if self.kind == "openmpi":
            mine.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return mine

    def launch(self, words, **more):
        """Starts a launcher with all its words; `more` is for the environment."""
        return Job(words, {**self.environment(), **more}, folder=self.folder)

    def job(self, words, prefix=(), ranks=None):
        """A job of the writers, or of so many ranks."""
        return self.launch([*prefix, *self.mpiexec(ranks or self.given.writers), *words])

    def touch(self):
        """This machine has so much memory (--touch), for the next seconds."""
        if self.given.touch:
            with mmap.mmap(-1, self.given.touch * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
                memory.madvise(mmap.MADV_HUGEPAGE)
                for begin in range(0, len(memory), 4096):
                    memory[begin] = 1

    def told(self, words, prefix=(), ranks=None):
        """The numbers that a job has printed, one in a line."""
        said = self.job(words, prefix, ranks).wait(300)
        return [float(line) for line in said.split("\n") if line and line[0].isdigit()]

    def served(self, run, more=(), before=()):
        """What `run` measures behind dsm-run, of which it gets the words, with hosts that have just been started. The
        words of `before`, such as taskset's, stand before theirs."""
        self.number += 1
        contact = self.folder / f"run{self.number}.dsm"
        server = Job([*self.mpiexec(self.given.hosts), *before, self.programs / "dsm-serve", "--contact", contact,
                      *more, *self.given.serve], self.environment())
        try:
            server.wait_for_line("ready")
            time.sleep(self.given.head_start)
            return run([self.programs / "dsm-run", "--contact", contact])
        finally:
            server.stop()


@contextlib.contextmanager
def one_host(programs, *options, place=None):
    """dsm-serve on one process, which needs no launcher, while it is ready: yields it, dsm-run's words for a program
    of one process, and a folder, which goes with it, for their files."""
    with tempfile.TemporaryDirectory(prefix="dsm-bench-", dir=place) as folder:
        contact = Path(folder) / "run.dsm"
        server = Job([programs / "dsm-serve", "--contact", contact, *options])
        try:
            server.wait_for_line("ready")
            yield server, [programs / "dsm-run", "--contact", contact], Path(folder)
        finally:
            server.stop()


def add_options(parser):
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--head-start", type=float, default=2, help="seconds from the server's start to the program's")
    parser.add_argument("--serve", nargs=argparse.REMAINDER, default=[], help="options of dsm-serve, last")


def add_touch_option(parser):
    """For benchmarks that call SeparateJobs.touch before each run."""
    parser.add_argument("--touch", type=int, default=0, metavar="MIB",
                        help="have this machine have so much memory before each run: a virtual machine's hypervisor "
                        "may take free memory back, and to get it again costs ten times what it costs elsewhere")


def in_folder(prefix, measure):
    """Calls `measure` with a folder for the run. No file and no process is left, however the run ends."""
    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        measure(folder)
    finally:
        end_everything()
        shutil.rmtree(folder, ignore_errors=True)

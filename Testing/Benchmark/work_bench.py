#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how much longer a simulation on all cores computes because of the hosts' background work.

    ./dev shell python3 Testing/Benchmark/work_bench.py --build build/openmpi [--rounds 3] [--seconds 2] [--size 128]
                                                        [--kernels compute,memory] [--ways "full ring;tmpfs"]

A program with a rank on each core computes the same again and again, and writes a file before each time. One kernel is
bound by the cores (sums in registers), the other by memory (STREAM's triad). Only the computing is timed, not the
files. Each way runs by turns with the program alone, which has no output:

    no output, again         the program alone, which shows what the machine's noise is
    new memory               hosts beside it, each file in memory that no file had before, the first files included
    full ring                files in memory that others had before, as in a long run
    full ring, one core      the same with hosts that are bound to one of the cores
    also on disk             in a full ring, and each file goes to disk (--also-on-disk all)
    also on disk, one core   the same with hosts that are bound to one of the cores
    archive                  in a full ring, and each file goes to an archive (dsm-archive --each all)
    tmpfs                    no hosts, and the files are on tmpfs

Prints for each way, as medians of the rounds' ratios, how much longer the slowest rank computes than with no output,
and how much more processor time the ranks need for it. Neither says much beside other work. What follows hardly depends
on other work: the processor time that the hosts use while the program computes, by file, and as a part of the time in
which it computes. If all of it comes from one core, and all ranks wait for that one, the program takes so much longer.
The table also has the time that the ranks' threads beside the program's use more than they do with no output, and how
long a file holds up the program.

Then it prints how often hosts without anything to do wake up, and what processor time that takes.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from separate_jobs import MIB, SeparateJobs, add_options, in_folder

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import running

KERNELS = ("compute", "memory")
ALONE, AGAIN = "no output", "no output, again"
# Each way with hosts: whether its ring is full, whether its hosts are bound to a core, and what becomes of its files.
HOSTED = {
    "new memory": (False, False, "memory"),
    "full ring": (True, False, "memory"),
    "full ring, one core": (True, True, "memory"),
    "also on disk": (True, False, "also on disk"),
    "also on disk, one core": (True, True, "also on disk"),
    "archive": (True, False, "archive"),
}
WAYS = (AGAIN, *HOSTED, "tmpfs")
IN_RING = 3  # files that a full ring holds
LIMIT = 120  # seconds


class Phases:
    """The sums over the phases of computing that the program has printed."""

    def __init__(self, text):
        rows = [[float(word) for word in line.split()] for line in text.splitlines() if re.match(r"[\d. ]+$", line)]
        assert rows and all(len(row) == 5 for row in rows), text
        self.count = len(rows)
        self.seconds, self.ranks, self.threads, self.hosts, _ = map(sum, zip(*rows, strict=True))
        self.blocked = statistics.median(row[4] for row in rows)


def clock(process):
    """Returns the processor time that a process has used, in seconds."""
    return time.clock_gettime(~process << 3 | 2)  # CPUCLOCK_SCHED, as clock_getcpuclockid has it


def wakeups(process):
    """Returns how often the threads of a process have slept."""
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read_text(encoding="utf-8"), re.MULTILINE)[1])
               for file in Path(f"/proc/{process}/task").glob("*/status"))


class Bench(SeparateJobs):
    def __init__(self, given, folder):
        super().__init__(given, folder)
        self.program = self.programs / "dsm_work_program"
        self.size = given.size * MIB
        self.loops = {}
        self.core = max(os.sched_getaffinity(0))

    def calibrated(self, kernel):
        """Returns how many loops of a kernel take as long as is asked for."""
        if kernel not in self.loops:
            words = [self.program, kernel, "calibrate", self.given.seconds, self.given.arrays]
            self.loops[kernel] = int(self.told(words)[0])
        return self.loops[kernel]

    def run(self, kernel, place, prefix=(), first=0, keep=IN_RING, processes=()):
        """Runs the program once and returns what it printed."""
        words = [self.program, kernel, "run", self.calibrated(kernel), self.given.arrays, place or "-", first,
                 self.given.files, self.size if place else 0, keep, *processes]
        return Phases(self.job(words, prefix).wait(300))

    def contact(self, prefix):
        return prefix[prefix.index("--contact") + 1]

    def hosts(self, prefix):
        """Returns the numbers of the hosts' processes."""
        found = running("dsm-serve", self.contact(prefix))
        assert len(found) == self.given.hosts, found
        return found

    def archive(self, prefix, *words):
        done = subprocess.run([str(word) for word in (self.programs / "dsm-archive", "--contact", self.contact(prefix),
                                                      *words)],
                              check=True, stdout=subprocess.PIPE, text=True, env=self.environment(), timeout=LIMIT)
        return done.stdout

    def hosted(self, kernel, way, place):
        """Runs the program behind dsm-run."""
        full, bound, goal = HOSTED[way]
        options = ["--also-on-disk", "all"] if goal == "also on disk" else []
        if full:
            options += ["--memory-per-host", f"{IN_RING * self.given.size // self.given.hosts + self.given.size // 4} "
                        "MiB"]

        def simulate(prefix):
            if goal == "archive":
                self.archive(prefix, "--each", "all", "--to", place / "archive")
            first = IN_RING + 1 if full else 0
            return self.run(kernel, place / "out", prefix, first, self.given.files + first, self.hosts(prefix))

        return self.served(simulate, options, ["taskset", "-c", self.core] if bound else [])

    def measured(self, kernel, way):
        """Runs the program once in a way and returns what it printed."""
        if way in (ALONE, AGAIN):
            return self.run(kernel, None)
        disk = way in HOSTED and HOSTED[way][2] != "memory"
        with tempfile.TemporaryDirectory(prefix="dsm-work-", dir=self.given.folder if disk else "/dev/shm") as place:
            if way == "tmpfs":
                return self.run(kernel, Path(place) / "out")
            return self.hosted(kernel, way, Path(place))

    def idle(self, seconds):
        """Returns how often the hosts together wake up each second, and the milliseconds of processor time."""
        def watch(prefix):
            hosts = self.hosts(prefix)
            before = [(wakeups(host), clock(host)) for host in hosts]
            time.sleep(seconds)
            after = [(wakeups(host), clock(host)) for host in hosts]
            number, spent = (sum(late[i] - early[i] for early, late in zip(before, after, strict=True)) for i in (0, 1))
            return number / seconds, 1000 * spent / seconds

        return self.served(watch, ["--memory-per-host", f"{self.given.size} MiB"])


def table(kernel, pairs, given):
    """Yields the lines of a kernel's table. `pairs` has (with no output, in this way) of each round, by way."""
    yield (f"{kernel}-bound kernel, {given.writers} ranks, {given.seconds:g} s between files of {given.size} MiB, "
           f"{given.hosts} hosts")
    yield ("| way | longer, % | least, % | most, % | ranks' CPU, % | hosts' CPU, ms per file | of computing, % | "
           "threads' CPU, ms per file | held up, ms |")
    yield "| --- |" + " --- |" * 8
    for way, rounds in pairs.items():
        longer = [100 * (now.seconds / alone.seconds - 1) for alone, now in rounds]
        ranks = [100 * (now.ranks / alone.ranks - 1) for alone, now in rounds]
        threads = [1000 * (now.threads / now.count - alone.threads / alone.count) for alone, now in rounds]
        cells = [f"{statistics.median(longer):.2f}", f"{min(longer):.2f}", f"{max(longer):.2f}",
                 f"{statistics.median(ranks):.2f}",
                 f"{statistics.median(1000 * now.hosts / now.count for _, now in rounds):.2f}",
                 f"{statistics.median(100 * now.hosts / (given.seconds * now.count) for _, now in rounds):.3f}",
                 f"{statistics.median(threads):.2f}",
                 f"{statistics.median(1000 * now.blocked for _, now in rounds):.1f}"]
        yield f"| {way} | {' | '.join(cells)} |"
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--kernels", type=lambda text: text.split(","), default=list(KERNELS), metavar="NAMES")
    parser.add_argument("--ways", type=lambda text: text.split(";"), default=list(WAYS), metavar="NAMES",
                        help=f"some of these, with ';' between them: {';'.join(WAYS)}")
    parser.add_argument("--seconds", type=float, default=2, help="computing between two files")
    parser.add_argument("--files", type=int, default=4, help="that are measured in a run")
    parser.add_argument("--size", type=int, default=128, metavar="MIB", help="of a file")
    parser.add_argument("--arrays", type=int, default=192, metavar="MIB", help="of the triad, for each rank")
    parser.add_argument("--idle", type=float, default=10, metavar="SECONDS", help="to watch hosts with nothing to do")
    parser.add_argument("--folder", help="where files go to disk (default: the folder for temporary files)")
    parser.set_defaults(writers=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    for chosen, every in ((given.kernels, KERNELS), (given.ways, WAYS)):
        if unknown := [name for name in chosen if name not in every]:
            parser.error(f"unknown {unknown[0]} (available: {'; '.join(every)})")

    def measure(folder):
        bench = Bench(given, folder)
        pairs = {kernel: {way: [] for way in given.ways} for kernel in given.kernels}
        for number in range(given.rounds):
            for kernel, ways in pairs.items():
                for way, rounds in ways.items():
                    # By turns which of the two is first.
                    order = (ALONE, way) if number % 2 == 0 else (way, ALONE)
                    found = {each: bench.measured(kernel, each) for each in order}
                    rounds.append((found[ALONE], found[way]))
                    alone, now = rounds[-1]
                    print(f"{kernel}, {way}: {alone.seconds:.3f} s, {now.seconds:.3f} s, hosts {now.hosts:.4f} s",
                          file=sys.stderr, flush=True)
        for kernel, ways in pairs.items():
            print("\n".join(table(kernel, ways, given)))
        number, spent = bench.idle(given.idle)
        print("hosts with nothing to do\n| hosts | wakeups, per s | CPU, ms per s |\n| --- | --- | --- |\n"
              f"| {given.hosts} | {number:.1f} | {spent:.2f} |")

    in_folder("dsm-work-", measure)


if __name__ == "__main__":
    main()

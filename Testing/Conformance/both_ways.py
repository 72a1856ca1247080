# SPDX-License-Identifier: BSD-3-Clause
"""Runs a library's test programs on disk and behind dsm-run, and compares what becomes of their checks."""

import argparse
import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import Failure, Job, adopt_orphans, end_everything, environ
from readme_part import ReadmePart

SKIPPED = 77
START_LIMIT = 30  # seconds
SOON = 10
README = Path(__file__).with_name("README.md")
ENDS_WELL = "ends with 0"
# What finds no room is not waited for: some tests open more files at once than a server has room for.
SERVER = ["--memory-per-host", "2 GiB", "--longest-wait", "0.1"]


class Case:
    """A program, as it is run: `after` are run before it, in the same folder; `makes_none`: its files never become
    snapshots, for a reason; `options`: dsm-run's; `long`: only run with --all."""

    def __init__(self, program, *words, ranks=0, limit=120, after=(), makes_none=None, options=(), long=False):
        self.name = " ".join([program, *words]) + (f", {ranks} rank{'s' * (ranks > 1)}" if ranks else "")
        self.commands = [*([name] for name in after), [program, *words]]
        self.ranks = ranks
        self.limit = limit
        self.makes_none = makes_none
        self.options = options
        self.long = long


class Bench:
    """One way to run programs, each in a folder of its own: on disk, or with a server (of `programs_of_ours`). `checks`
    finds in what a program said, and the status that it ended with, {check: whether it passed}. `variables`: more of
    the environment that they run in."""

    def __init__(self, folder, programs, mpiexec, checks, programs_of_ours=None, variables=None):
        self.folder = folder
        self.programs = programs
        self.mpiexec = mpiexec
        self.checks = checks
        self.environment = environ(**variables or {})
        self.prefix = []
        self.server = None
        folder.mkdir(parents=True)
        if programs_of_ours:
            contact = folder / "run.dsm"
            self.server = Job([programs_of_ours / "dsm-serve", "--contact", contact, *SERVER],
                              dict(os.environ), folder / "server.log", folder)
            self.server.wait_for_line("ready", START_LIMIT)
            self.prefix = [programs_of_ours / "dsm-run", "--contact", contact]

    @property
    def snapshots(self):
        return self.server.text.count("\nsnapshot ") if self.server else 0

    def made(self, before, some):
        """How many there are more. Where there are to be `some`, the server may speak of them behind the program's end,
        since files are closed in that, and it tells of several at once."""
        time.sleep(0.1)
        end = time.monotonic() + SOON
        while some and self.snapshots == before and time.monotonic() < end:
            time.sleep(0.05)
        return self.snapshots - before

    def run(self, case):
        """Of a case: {check: whether it passed}, with one that it ended as it should."""
        folder = self.folder / case.name.replace(" ", "_").replace("/", "_")
        folder.mkdir()
        prefix = [*self.prefix, *case.options] if self.prefix else []
        ranks = [*self.mpiexec, "-n", case.ranks] if case.ranks else []
        for number, (program, *words) in enumerate(case.commands):
            log = self.folder / f"{folder.name}.{number}.log"
            job = Job([*prefix, *ranks, self.programs / program, *words], self.environment, log, folder)
            status = job.status(case.limit)
            # Where a check fails, children may be left that wait for their parent.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.process.pid, signal.SIGKILL)
        found = numbered(self.checks(job.text, status))
        # A program that says what failed ends accordingly.
        said = status > 0 and not all(found.values())
        shutil.rmtree(folder)
        return {**found, ENDS_WELL: status == 0 or said}


def numbered(pairs):
    """{name: value} of pairs whose names may come again: the second is "name #2"."""
    seen, found = Counter(), {}
    for name, value in pairs:
        seen[name] += 1
        found[name if seen[name] == 1 else f"{name} #{seen[name]}"] = value
    return found


class Different:
    """Checks of a case that may pass on disk and not with us: those that a pattern matches, and why."""

    def __init__(self, case, pattern, reason):
        self.case = case
        self.pattern = re.compile(pattern)
        self.reason = reason


class Comparison:
    """What became of all cases, both ways, where some may be `different`."""

    def __init__(self, name, different):
        self.name = name
        self.different = different
        self.wrong = []
        self.passed = [0, 0]
        self.cases = 0
        self.snapshots = 0
        self.lost = 0

    def add(self, case, disk, ours, snapshots):
        self.cases += 1
        self.snapshots += snapshots
        self.passed[0] += sum(disk.values())
        self.passed[1] += sum(ours.values())
        lost = [check for check, passed in disk.items() if passed and not ours.get(check)]
        self.lost += len(lost)
        named = [one for one in self.different if one.case == case.name]
        self.wrong += [f"{self.name}: {case.name}: \"{check}\" passes on disk, and not behind dsm-run"
                       for check in lost if not any(one.pattern.match(check) for one in named)]
        self.wrong += [f"{self.name}: {case.name}: \"{one.pattern.pattern}\" is said to be different, and is not"
                       for one in named if not any(one.pattern.match(check) for check in lost)]
        if bool(snapshots) == bool(case.makes_none):
            self.wrong.append(f"{self.name}: {case.name} made {snapshots} snapshots")

    @property
    def row(self):
        return (f"| {self.name} | {self.cases} | {self.passed[0]} | {self.passed[1]} | {self.lost} | "
                f"{self.snapshots} |")

    @staticmethod
    def head():
        return ["| | programs | checks that pass on disk | that pass behind `dsm-run` | different | snapshots |",
                "| --- | --- | --- | --- | --- | --- |"]


def compare(comparison, cases, disk, ours, with_long=True):
    """Runs one after the other: snapshots are counted for each."""
    for case in cases:
        if case.long and not with_long:
            continue
        before = ours.snapshots
        try:
            began = time.monotonic()
            outcomes = disk.run(case), ours.run(case)
            comparison.add(case, *outcomes, ours.made(before, not case.makes_none))
            print(f"{comparison.name}: {case.name}: {time.monotonic() - began:.1f} s", flush=True)
        except Failure as failure:
            comparison.wrong.append(f"{comparison.name}: {failure}")
    return comparison


def parser(text):
    result = argparse.ArgumentParser(description=text.splitlines()[0])
    result.add_argument("--bin", type=lambda path: Path(path).resolve(), required=True,
                        help="folder of dsm-serve and dsm-run")
    result.add_argument("--keep", type=Path, help="folder to keep logs in")
    result.add_argument("--all", action="store_true", help="also what takes long")
    result.add_argument("--write", action="store_true", help="all, and the table into README.md")
    return result


def report(suite, given, writer):
    """Runs a suite, with a folder; it returns lines of a table and what is wrong. Returns the status to end with."""
    folder = Path(tempfile.mkdtemp(prefix="dsm-both-ways-"))
    adopt_orphans()
    # ctest ends a test that is late with SIGTERM before SIGKILL: clean up then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        lines, wrong = suite(folder)
    except Failure as failure:
        lines, wrong = [], [str(failure)]
    finally:
        end_everything()
        if given.keep:
            shutil.rmtree(given.keep, ignore_errors=True)
            shutil.copytree(folder, given.keep, ignore=lambda place, names: {
                name for name in names if not name.endswith(".log") and not (Path(place) / name).is_dir()})
        shutil.rmtree(folder, ignore_errors=True)
    print(*lines, *wrong, sep="\n")
    if given.write and not wrong:
        ReadmePart(README, writer).write("\n".join(lines))
    return 1 if wrong else 0

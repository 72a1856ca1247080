# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy on the translation units of a build that it did not find good before.

    tidy.py BUILD                   all of them
    tidy.py BUILD --all             all there are
    tidy.py BUILD --only FILE…      those among these files
    tidy.py BUILD --recent SECONDS  those that changed lately, and none is begun later than that

A unit that was found good leaves a stamp in BUILD/clang-tidy, whose name is made from all that the verdict depends on:
the rules, the compile command, and the contents of every file of ours (or written by the build) that the unit includes.

A new machine has no stamps, and all there are take half an hour there. So a test runs with --recent: a file changed
lately when it differs from HEAD or one of the last commits touched it. Each such source is checked, and for each such
header one unit that includes it. The last change is looked at first, for time may run out. Where no history tells what
changed (a shallow clone, a worktree whose repository is out of sight), any units are checked for as long as there is
time, others for other contents. What is left is counted; it waits for the complete check.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
COMMITS = 50  # how far back "lately" reaches
LIMIT = 300  # seconds for one unit
CLANG_TIDY = "clang-tidy-19"
MISSING = 77  # for ctest: skipped


def dependencies(build):
    """Object file -> the files it was compiled from, as ninja noted them."""
    found, current = {}, None
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if line.startswith(" "):
            current.append(os.path.normpath(build / line.strip()))
        elif ": #deps" in line:
            current = found[line.split(": #deps")[0]] = []
    return found


class Contents:
    """The hash of a file, read once."""

    def __init__(self):
        self.known = {}

    def __call__(self, path):
        if path not in self.known:
            self.known[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).digest() if os.path.exists(path) else b""
        return self.known[path]


class Unit:
    """A translation unit: its name, the files of the checkout that it consists of, and the stamp of its verdict."""

    def __init__(self, name, files, stamp):
        self.name = name
        self.files = files
        self.stamp = stamp


def units(build):
    """All translation units of ours; one that several programs share is compiled by the same rules in each."""
    stamps = build / "clang-tidy"
    stamps.mkdir(exist_ok=True)
    rules = b"".join(path.read_bytes() for path in sorted([CHECKOUT / ".clang-tidy", *CHECKOUT.glob("*/.clang-tidy")]))
    included, content, found = dependencies(build), Contents(), {}
    for command in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = os.path.normpath(os.path.join(command["directory"], command["file"]))
        name = os.path.relpath(source, CHECKOUT)
        # Fortran is compiled by the same build, and none of clang-tidy's.
        if name.startswith(("../", "build")) or name in found or not name.endswith((".c", ".cxx")):
            continue
        key = hashlib.sha256(rules + command["command"].encode())
        files = {name}
        for path in sorted({source, *included.get(command.get("output", ""), [])}):
            if path.startswith(f"{CHECKOUT}{os.sep}"):
                key.update(path.encode() + content(path))
                files.add(os.path.relpath(path, CHECKOUT))
        found[name] = Unit(name, files, stamps / key.hexdigest())
    return list(found.values())


def git(*words):
    """What git prints, or None: there is no repository, or none that can be seen here."""
    # The checkout may belong to another user than this one.
    settings = ["-c", "safe.directory=*", "-c", "core.quotePath=false"]
    command = ["git", "--no-optional-locks", *settings, "-C", str(CHECKOUT), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def changed_lately():
    """File -> how many commits ago it changed, 0 being not committed yet; None where no history tells."""
    status = git("status", "--porcelain", "--untracked-files=all", "--no-renames")
    log = git("log", f"-{COMMITS}", "--name-only", "--no-renames", "--format=%x00%H %P")
    boundary = git("rev-parse", "--git-path", "shallow")
    if status is None or log is None or boundary is None:
        return None
    shallow = CHECKOUT / boundary.strip()
    ends = shallow.read_text(encoding="utf-8").split() if shallow.exists() else []
    found, told = {line[3:]: 0 for line in status.splitlines()}, False
    for ago, entry in enumerate(log.split("\0")[1:], 1):
        commit, *files = entry.split("\n")
        name, *parents = commit.split()
        # A commit without a parent here seems to have made all that there is.
        if parents and name not in ends:
            told = True
            for file in filter(None, files):
                found.setdefault(file, ago)
    return found if told else None


def chosen(everything, changed):
    """Which of the units that have no stamp to check, the most recent change first."""
    candidates = [unit for unit in everything if not unit.stamp.exists()]
    if changed is None:
        state = "".join(sorted(unit.stamp.name for unit in candidates))
        return sorted(candidates, key=lambda unit: hashlib.sha256((state + unit.name).encode()).digest())
    ago = {unit: changed[unit.name] for unit in candidates if unit.name in changed}
    seen = set().union(*(unit.files for unit in everything if unit.stamp.exists()))
    files = {file for unit in candidates for file in unit.files if file in changed and file not in seen}
    for header in sorted(file for file in files if not file.endswith((".c", ".cxx"))):
        stem = os.path.splitext(header)[0]
        having = [unit for unit in candidates if header in unit.files]
        # One that is checked anyway; its own; or the one that includes least besides.
        unit = min(having, key=lambda unit: (unit not in ago, not unit.name.startswith(stem + "."), len(unit.files)))
        ago[unit] = min(changed[header], ago.get(unit, COMMITS))
    return sorted(ago, key=lambda unit: (ago[unit], unit.name))


def good(build, unit):
    """Checks one, and says what is wrong with it."""
    command = [CLANG_TIDY, "--quiet", "-p", str(build), "--extra-arg=-Wno-error", unit.name]
    try:
        done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        print(f"{unit.name}: not done within {LIMIT} s", flush=True)
        return False
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if "warnings generated" not in line]
        print(f"{unit.name}:", *said, sep="\n", flush=True)
        return False
    unit.stamp.touch()
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="also what was found good before")
    parser.add_argument("--only", nargs="*", help="none but these files")
    parser.add_argument("--recent", type=float, help="what changed lately, for so many seconds")
    asked = parser.parse_args()
    build = asked.build.resolve()
    if not shutil.which(CLANG_TIDY):
        print(f"{CLANG_TIDY} is missing")
        sys.exit(MISSING)
    if not (build / ".ninja_deps").exists() or not (build / "compile_commands.json").exists():
        print(f"{build} is no build by ninja with compile commands: ./dev build makes one")
        sys.exit(MISSING)
    began = time.monotonic()
    everything = units(build)
    todo = [unit for unit in everything if asked.all or not unit.stamp.exists()]
    without_stamp = len(todo)
    if asked.only is not None:
        todo = [unit for unit in todo if unit.name in asked.only]
    if asked.recent:
        changed = changed_lately()
        todo = chosen(everything, changed)
        os.nice(10)  # beside tests whose time is limited

    def verdict(unit):
        if asked.recent and time.monotonic() - began > asked.recent:
            return None
        return good(build, unit)

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        verdicts = list(pool.map(verdict, todo))
    late, bad = verdicts.count(None), verdicts.count(False)
    print(f"clang-tidy: {len(todo) - late} of {len(everything)} units in {time.monotonic() - began:.0f} s, {bad} bad")
    if asked.recent and changed is None:
        print(f"No history is here that tells what changed; {late} units are left, and ./dev lint checks them.")
    elif asked.recent:
        print(f"{len(todo)} have what the last {COMMITS} commits changed: {late} of these are left for want of time, "
              f"and {without_stamp - len(todo)} others have not been checked here. ./dev lint checks all.")
    sys.exit(1 if bad else 0)


main()

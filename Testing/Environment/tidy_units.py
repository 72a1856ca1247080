#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tidy_units.py BUILD CHECKOUT [--all]: the translation units that clang-tidy has to look at.

Prints a line "UNIT<TAB>STAMP" for each unit whose stamp is not there. The stamp's name is made from all
that the verdict depends on: the rules, the compile command, and the contents of every file of ours (or
written by the build) that the unit includes. Whoever finds the unit good makes the stamp.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys


def dependencies(build):
    """Object file -> the files it was compiled from, as ninja noted them."""
    found, current = {}, None
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if line.startswith(" "):
            current.append(os.path.normpath(os.path.join(build, line.strip())))
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


def main():
    build, checkout = (os.path.abspath(word) for word in sys.argv[1:3])
    everything = "--all" in sys.argv[3:]
    stamps = pathlib.Path(build, "clang-tidy")
    stamps.mkdir(exist_ok=True)
    rules = pathlib.Path(checkout, ".clang-tidy").read_bytes()
    included, content, seen = dependencies(build), Contents(), set()
    for command in json.loads(pathlib.Path(build, "compile_commands.json").read_text(encoding="utf-8")):
        source = os.path.normpath(os.path.join(command["directory"], command["file"]))
        unit = os.path.relpath(source, checkout)
        # Fortran is compiled by the same build, and none of clang-tidy's.
        if unit.startswith(("../", "build")) or unit in seen or not unit.endswith((".c", ".cxx")):
            continue
        seen.add(unit)  # one that several programs share is compiled with the same rules in each
        key = hashlib.sha256(rules + command["command"].encode())
        for path in sorted({source, *included.get(command.get("output", ""), [])}):
            if path.startswith(checkout + os.sep):
                key.update(path.encode() + content(path))
        stamp = stamps / key.hexdigest()
        if everything:
            stamp.unlink(missing_ok=True)
        if not stamp.exists():
            print(f"{unit}\t{stamp}")


main()

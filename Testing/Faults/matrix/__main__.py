# SPDX-License-Identifier: BSD-3-Clause
"""Runs the matrix of faults, or a part of it, and prints a table."""

import argparse
import pathlib
import shutil
import sys
import tempfile
import time

from . import axes, place, pool, soak, table

FEW = 12  # lines of a problem; the log has all


def arguments():
    parser = argparse.ArgumentParser(prog="dev faults", description=__doc__)
    parser.add_argument("--library", choices=axes.LIBRARIES, action="append", help="only this MPI library")
    parser.add_argument("--match", default="", help="only those in whose name this text is")
    parser.add_argument("--short", action="store_true", help="each fault, victim, phase and path once")
    parser.add_argument("--list", action="store_true", help="only say what would be run")
    parser.add_argument("-j", type=int, default=3, metavar="N", help="so many at once (default %(default)s)")
    parser.add_argument("--write", action="store_true",
                        help="put the table into Testing/Faults/README.md, as without arguments when all is good")
    parser.add_argument("--keep", metavar="DIR", help="keep all logs in this folder")
    parser.add_argument("--soak", type=float, metavar="MINUTES",
                        help="instead: one server for so long, with what comes and goes: does what it uses grow?")
    return parser.parse_args()


def main():
    asked = arguments()
    chosen = axes.injections(asked.library or axes.LIBRARIES)
    if asked.short:
        chosen = axes.short(chosen)
    chosen = [injection for injection in chosen if asked.match in str(injection)]
    if asked.soak:
        return soak.run(asked.soak, (asked.library or axes.LIBRARIES)[0])
    if asked.list:
        print(*map(str, chosen), f"{len(chosen)} injections", sep="\n")
        return 0
    reason = place.why_not()
    if reason:
        print(f"dev faults: {reason}", file=sys.stderr)
        return 2
    folder = pathlib.Path(asked.keep or tempfile.mkdtemp(prefix="dsm-faults-"))
    begin, outcomes = time.monotonic(), []
    for injection, outcome in pool.run_all(chosen, folder, asked.j, bool(asked.keep)):
        outcomes.append((injection, outcome))
        print(table.line(injection, outcome), flush=True)
        for problem in outcome.problems[:3] if outcome else []:
            print(*(f"    {line}" for line in problem.splitlines()[:FEW]), sep="\n", flush=True)
    seconds = time.monotonic() - begin
    bad = any(outcome is None or not outcome.good for _, outcome in outcomes)
    if not bad and (asked.write or chosen == axes.injections()):
        table.write(outcomes, seconds)
    print(table.summary(outcomes, seconds) + (f"; see {folder}" if bad else ""))
    if not bad and not asked.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random histories of files, names and kills by several processes, checked for linearizability.

    ./dev shell python3 Testing/Histories/histories.py --build build/openmpi [--seed N] [--count N]
    … --seed N --repeat 100 [--rules NAME]         one plan many times: the moments differ, so that it fails again
    … --on-disk                                    the same plans on plain disk, without us: checks the model
    … --check FILE [--on-disk | --rules NAME]      a history that was kept is checked again

A seed gives the plan, and the rules of the server. The first history of a server that cannot be explained is printed,
kept and ends the run with status 1, unless --go-on is given.
"""

import argparse
import concurrent.futures
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import linearize
import plans
from history import by_names, from_text, to_text
from model import DiskModel
from rules import RULES, rules_of
from runner import Place

MOST_SAID = 40  # lines of the server's log
AT_ONE_SERVER = 50  # histories


def judged(operations, model):
    """What is wrong with a history. Nothing if it can be explained."""
    for part in by_names(operations):
        verdict = linearize.check(part, model)
        if not verdict.explained:
            return verdict.text
    return ""


def replay(given, seed, rules):
    words = ["./dev shell python3 Testing/Histories/histories.py", f"--build {os.path.relpath(given.build)}"]
    words += ["--on-disk"] if given.on_disk else [f'--rules "{rules}"']
    for name in ("length", "features"):
        if getattr(given, name) != getattr(given.defaults, name):
            words.append(f'--{name} "{getattr(given, name)}"')
    return " ".join([*words, f"--seed {seed} --repeat 100"])


class Batch:
    """Histories of one server, and what was found wrong with them."""

    def __init__(self, given, rules, seeds):
        self.given = given
        self.rules = rules
        self.seeds = seeds
        self.troubles = []
        self.operations = 0
        self.histories = 0

    def run(self):
        if self.given.stopped.is_set():
            return self
        with tempfile.TemporaryDirectory(prefix="dsm-histories-", dir=self.given.folder) as folder:
            place = Path(folder) / "place"
            if self.given.on_disk:
                with Place(place) as ours:
                    self.judge(self.recorded(ours), DiskModel())
            else:
                rules = RULES[self.rules]
                with Place(place, self.given.build.resolve() / "bin", rules.command_line(place)) as ours:
                    recorded = self.recorded(ours)
                    if not self.troubles:
                        self.look_at_the_end(ours, recorded)
                        self.judge(recorded, rules.model(), ours.said)
        if self.troubles and not self.given.go_on:
            self.given.stopped.set()
        return self

    def recorded(self, place):
        """(seed, plan, operations) of all, by their folders' names."""
        found = {}
        splits = not self.given.on_disk and RULES[self.rules].puts
        for number, seed in enumerate(self.seeds):
            plan = plans.draw(seed, self.given.switched_on, length=self.given.length, splits_links=splits)
            name = f"{seed}.{number}"
            try:
                found[name] = (seed, plan, place.run(plan, name))
            except AssertionError as error:  # a hang, or a process that ended: the others are in no known state
                self.note(seed, plan, [], str(error))
                break
        return found

    def look_at_the_end(self, place, recorded):
        """Adds the content of each name when all processes have ended, and when the server has ended."""
        for name, (_, _, operations) in recorded.items():
            operations.extend(place.last(name))
        place.end_server()
        for name, (_, _, operations) in recorded.items():
            operations.extend(place.final(name))

    def judge(self, recorded, model, said=""):
        """`said`: the server's log."""
        for name, (seed, plan, operations) in recorded.items():
            self.operations += len(operations)
            self.histories += 1
            trouble = judged(operations, model)
            if trouble:
                self.note(seed, plan, operations, trouble, [line for line in said.splitlines() if f"/{name}/" in line])
                if not self.given.go_on:
                    break

    def note(self, seed, plan, operations, trouble, said=()):
        kept = "\n".join(["", "The server said of its files:", *said[-MOST_SAID:]]) if said else ""
        if operations:
            file = self.given.keep / f"history-{seed}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(to_text(operations))
            kept += f"\nThe history is in {file}."
        self.troubles.append(f"seed {seed}, {self.rules or 'on disk'} ({', '.join(plan.features)})\n{trouble}{kept}\n"
                             f"Again: {replay(self.given, seed, self.rules)}")


def batches(given):
    """The seeds by their rules, in pieces that can run side by side."""
    seeds = [given.seed] * given.repeat if given.repeat else range(given.seed, given.seed + given.count)
    if given.on_disk:
        return [Batch(given, "", list(seeds[place:place + AT_ONE_SERVER]))
                for place in range(0, len(seeds), AT_ONE_SERVER)]
    names = [given.rules] if given.rules else list(RULES)
    by_rules = {}
    for seed in seeds:
        by_rules.setdefault(rules_of(seed, names), []).append(seed)
    return [Batch(given, name, mine[place:place + AT_ONE_SERVER])
            for name, mine in by_rules.items() for place in range(0, len(mine), AT_ONE_SERVER)]


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--seed", type=int, default=1, help="the first")
    parser.add_argument("--count", type=int, default=200, help="of histories")
    parser.add_argument("--repeat", type=int, default=0, metavar="TIMES", help="one seed so many times")
    parser.add_argument("--length", type=int, default=20, help="operations of each process")
    parser.add_argument("--rules", choices=RULES, help="of the server; otherwise the seed says")
    parser.add_argument("--features", default="", help="with commas between them: these only; -NAME: without this one")
    parser.add_argument("--on-disk", action="store_true", help="without us")
    parser.add_argument("--check", type=Path, metavar="FILE", help="check a history that was kept")
    parser.add_argument("--jobs", type=int, default=2, help="servers at a time")
    parser.add_argument("--go-on", action="store_true", help="after the first history that is wrong")
    parser.add_argument("--keep", type=Path, default=Path("histories"), help="folder for histories that are wrong")
    parser.add_argument("--folder", type=Path, help="for the files of the histories (default: that of temporary files)")
    given = parser.parse_args(words)
    given.defaults = parser.parse_args(["--build", ""])
    given.switched_on = chosen(given.features, given.on_disk, parser)
    if given.check:
        model = DiskModel() if given.on_disk else RULES[given.rules or "roomy"].model()
        print(judged(from_text(given.check.read_text()), model) or "explained")
        return
    given.stopped = threading.Event()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        done = list(pool.map(Batch.run, batches(given)))
    troubles = [trouble for batch in done for trouble in batch.troubles]
    for trouble in troubles:
        print(trouble, end="\n\n")
    print(f"{sum(batch.histories for batch in done)} histories, {sum(batch.operations for batch in done)} operations, "
          f"{time.monotonic() - begin:.0f} s, {len(troubles)} wrong")
    sys.exit(bool(troubles))


def chosen(features, on_disk, parser):
    """Which features plans may have."""
    words = [word.strip() for word in features.split(",") if word.strip()]
    unknown = {word.lstrip("-") for word in words} - set(plans.FEATURES)
    if unknown:
        parser.error(f"there is no feature {', '.join(sorted(unknown))}; there are {', '.join(plans.FEATURES)}")
    named = {word for word in words if not word.startswith("-")}
    found = named or set(plans.FEATURES)
    if on_disk:
        found.discard("uncoupled")  # nobody is coupled there
    return found - {word[1:] for word in words if word.startswith("-")}


if __name__ == "__main__":
    main()

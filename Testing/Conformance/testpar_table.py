# SPDX-License-Identifier: BSD-3-Clause
"""Runs HDF5's own parallel test programs: programs x ranks x maps x MPI libraries.

A cell is a program with a number of ranks, a map and a library. What became of it last is kept in results.json beside
the logs, with the commit of the driver: a run that was interrupted goes on where it was, and what another commit's
driver did is run anew. Another machine begins with what --write has left in testpar.json. A program that fails, or
that ends because it has too few ranks, is run on disk as well, without us. With --write the table goes into README.md,
with what is known by then, of whatever commits, which it names.

Ends with 0 when no program failed with us only, 77 when the programs could not be built here, 1 otherwise.
"""
import argparse
import re
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from debian_source import package_of
from run_program import ON_DISK, PASS_THROUGH, Build, Case, run

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from kept_results import CHECKOUT, LIBRARIES, Results, driver_commit
from processes import adopt_orphans, end_everything, offered
from readme_part import ReadmePart

SKIPPED = 77
HERE = Path(__file__).resolve().parent
RANKS = [1, 2, 4, 6]
USUAL_RANKS, USUAL_MAP = 4, "block cyclic"
PASSED, FAILED, REFUSED = "passed", "failed", "refused"
# Some look at a file that is still being written, behind a flush.
FLUSHES = ("--publish", "flush")
ON_DISK_AS_WELL = ("--also-on-disk", "all")
# What is quick comes first.
CASES = [
    # It has an end of its own for programs that are not HDF5's Subfiling driver's: see REFUSES.
    Case([["t_subfiling_vfd"]]),
    Case([["t_init_term"]]),
    Case([["t_pshutdown"], ["t_prestart"]]),
    # Uses MPI alone.
    Case([["t_mpi"]], least_snapshots=0, one_map=True),
    # The first ends without closing its files, and with 1 in any case.
    Case([["t_pflush1"], ["t_pflush2"]], server=FLUSHES, ignore_status=True),
    # Writes into a file's user block behind HDF5.
    Case([["t_pread"]], server=ON_DISK_AS_WELL),
    # Writes through HDF5's driver interface, and so makes no HDF5 file that could be sealed.
    Case([["t_vfd"]], least_snapshots=0),
    Case([["t_shapesame"]], limit=300),
    Case([["t_select_io_dset"]], limit=300),
    Case([["testphdf5"]], limit=600, server=FLUSHES, memory="5 GiB", least_snapshots=60),
    Case([["t_filters_parallel"]], limit=900, least_snapshots=1000),
    Case([["t_cache_image"]], limit=900),
    Case([["t_pmulti_dset"]], limit=900),
    # One rank keeps what the others' caches write; the file has a superblock.
    Case([["t_cache"]], limit=900, least_snapshots=0, one_map=True),
    # Ranks from the third on wait for the first two.
    Case([["t_2Gio"]], limit=900, memory="5 GiB", most_ranks=2),
    Case([["t_bigio"]], limit=900, memory="5 GiB"),
]


class Cell:
    """One cell. `way` is a map, or how run_program.py runs it otherwise."""

    def __init__(self, case, ranks, build, way):
        self.case = case
        self.ranks = ranks
        self.build = build
        self.way = way

    @property
    def key(self):
        return f"{self.case.name}; {self.ranks} ranks; {self.build.flavour}; {self.way}"

    @property
    def on_disk(self):
        return Cell(self.case, self.ranks, self.build, ON_DISK)


def cells_of(case, ranks, builds, maps):
    """Those that are worth running."""
    if case.most_ranks and ranks > case.most_ranks:
        return []
    ways = [USUAL_MAP] if case.one_map and USUAL_MAP in maps else maps
    return [Cell(case, ranks, build, way) for way in ways for build in builds]


# What says most of a failure first.
COMPLAINTS = [r"H5FDdsm line", r"\*FAILED\*|VRFY", r"ERROR|[Ee]rror|failed"]


def told(failure):
    """A failure in a line: how the program ended, and the line in which it complained."""
    first, *said = failure.splitlines()
    complaint = next((line.strip() for words in COMPLAINTS for line in said if re.search(words, line)), "")
    return first + (f" {complaint[:120]}" if complaint else "")


class Runner:
    """Runs cells."""

    def __init__(self, results, logs):
        self.results = results
        self.logs = logs

    def run(self, cell, anew=False):
        """One that has no result yet, or `anew`; also on disk where it did not pass: whether it does there."""
        found = self.results.of(cell)
        if anew or not found:
            found = self.run_one(cell)
        if found["outcome"] != PASSED and cell.way != ON_DISK and not self.results.of(cell.on_disk):
            self.run_one(cell.on_disk)

    def run_one(self, cell):
        outcome = run(cell.build, cell.case, cell.ranks, cell.way, self.logs / cell.key.replace(" ", "_"))
        verdict = FAILED if outcome.failure else REFUSED if outcome.refusal else PASSED
        why = told(outcome.failure) if outcome.failure else outcome.refusal
        found = {"outcome": verdict, "why": why, "seconds": round(outcome.seconds, 1), "snapshots": outcome.snapshots}
        self.results.keep(cell, found)
        print(f"{cell.key}: {verdict}, {outcome.seconds:.1f} s, {outcome.snapshots} snapshots {why}", flush=True)
        if outcome.failure:
            print(outcome.failure, flush=True)
        for trouble in outcome.troubles:
            print(f"  the server reported {trouble}", flush=True)
        return found


def in_order(cells):
    """Every program once as it is usually run, then the rest."""
    return sorted(cells, key=lambda cell: (cell.ranks, cell.way) != (USUAL_RANKS, USUAL_MAP))


class Table:
    """The results, for the README."""

    def __init__(self, results, builds, maps):
        self.results = results
        self.builds = builds
        self.maps = maps

    def found(self, case, ranks):
        """(cell, result), of those that were run."""
        return [(cell, self.results.last(cell)) for cell in cells_of(case, ranks, self.builds, self.maps)
                if self.results.last(cell)]

    def entry(self, case, ranks):
        all_of_them = len(cells_of(case, ranks, self.builds, self.maps))
        if not all_of_them:
            return f"as {case.most_ranks}"
        found = [result["outcome"] for _, result in self.found(case, ranks)]
        if not found:
            return ""
        rest = f" of {all_of_them}" if len(found) < all_of_them else ""
        if found.count(REFUSED) == len(found):
            return "-" + rest
        return f"{found.count(PASSED)}/{len(found)}" + rest

    def differences(self):
        """What did not pass, those with one reason together."""
        groups = defaultdict(list)
        for case in CASES:
            for ranks in RANKS:
                for cell, result in self.found(case, ranks):
                    if result["outcome"] != PASSED:
                        disk = self.results.last(cell.on_disk)
                        why = result["why"] or result["outcome"]
                        groups[case.name, why, disk["outcome"] if disk else "not run"].append(cell)
        for (name, why, disk), cells in groups.items():
            yield f"| `{name}` | {self.where(cells)} | {why.replace('|', ' ')} | {disk} |"

    def where(self, cells):
        """Together where they are all that there are of some ranks, libraries and maps; else one by one."""
        ranks = sorted({cell.ranks for cell in cells})
        builds = [build for build in self.builds if any(cell.build is build for cell in cells)]
        maps = [way for way in self.maps if way in {cell.way for cell in cells}]
        if len(cells) < len(ranks) * len(builds) * len(maps):
            return "; ".join(self.where([cell]) for cell in cells)
        words = [f"{', '.join(map(str, ranks))} rank{'s' * (ranks != [1])}"]
        words += [LIBRARIES[build.flavour] for build in builds] if len(builds) < len(self.builds) else []
        words += maps if len(maps) < len(self.maps) else []
        return ", ".join(words)

    def commits(self):
        """Which driver it was; of several, with how many cells each, most first."""
        cells = Counter(result["commit"] for case in CASES for ranks in RANKS for _, result in self.found(case, ranks))
        if len(cells) < 2:
            return f"the driver of commit {next(iter(cells), self.results.commit)}"
        each = ", ".join(f"{commit} ({count})" for commit, count in cells.most_common())
        return f"the driver of commits (and so many of {cells.total()} cells) {each}"

    def lines(self):
        head = " | ".join(f"{ranks} rank{'s' * (ranks > 1)}" for ranks in RANKS)
        yield f"| | `dsm-serve` with | {head} |"
        yield "| --- " * (2 + len(RANKS)) + "|"
        for case in CASES:
            options = f"`{' '.join(case.server)}`" if case.server else ""
            yield f"| `{case.name}` | {options} | " + " | ".join(self.entry(case, ranks) for ranks in RANKS) + " |"
        yield ""
        yield f"{versions(self.builds)}; {self.commits()}."
        rest = list(self.differences())
        if rest:
            yield from ["", "| not passed | where | what it says | on disk |", "| --- | --- | --- | --- |", *rest]


def versions(builds):
    """Of HDF5 and of the MPI libraries."""
    linked = subprocess.run(["ldd", builds[0].programs / "testphdf5"], capture_output=True, text=True, check=True)
    library = re.search(r"=> (\S*libhdf5_\S*)", linked.stdout).group(1)
    words = [f"HDF5 {package_of(library)[1]}"]
    for build in builds:
        said = subprocess.run([build.mpiexec[0], "--version"], capture_output=True, text=True, check=True).stdout
        words.append(f"{LIBRARIES[build.flavour]} {re.search(r'(?:Open MPI.|Version:) +([0-9.]+)', said).group(1)}")
    return ", ".join(words)


def missing(builds):
    """Why the programs cannot be run, or nothing."""
    for build in builds:
        if not build.programs.exists():
            return (f"there is no {build.programs}: HDF5's test programs were not built; the test Conformance.Programs "
                    "builds them, or says why not")
        known = {command[0] for case in CASES for command in case.commands}
        there = {path.name for path in build.programs.iterdir() if path.is_file()}
        assert there == known, f"HDF5's list of programs and this one differ in {sorted(there ^ known)}"
    return ""


def arguments():
    builds = [folder for folder in (CHECKOUT / "build" / flavour for flavour in LIBRARIES) if folder.is_dir()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--builds", nargs="+", type=Path, default=builds, help="folders of builds")
    parser.add_argument("--programs", nargs="+", help="cases with one of these programs; default: all")
    parser.add_argument("--ranks", nargs="+", type=int, default=RANKS)
    parser.add_argument("--maps", nargs="+", help=f"also \"{ON_DISK}\" and {PASS_THROUGH}; default: all maps")
    parser.add_argument("--keep", type=Path, default=CHECKOUT / "build/testpar", help="folder of results and logs")
    parser.add_argument("--seconds", type=float, help="begin no cell after that")
    parser.add_argument("--limit", type=float, help="seconds for each program, in place of its own limit")
    parser.add_argument("--retry", action="store_true", help="run what failed once more")
    parser.add_argument("--again", action="store_true", help="run all once more")
    parser.add_argument("--write", action="store_true", help="the table into README.md")
    return parser.parse_args()


def is_wanted_anew(result, given):
    return bool(given.again or (given.retry and result and result["outcome"] == FAILED))


def main():
    given = arguments()
    builds = [Build(folder) for folder in given.builds]
    why = missing(builds)
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    maps = list(offered(builds[0].bin)["strategies"])
    results = Results(given.keep.resolve() / "results.json", driver_commit(), HERE / "testpar.json")
    runner = Runner(results, given.keep.resolve() / "logs")
    cells = [cell for case in CASES
             if not given.programs or any(command[0] in given.programs for command in case.commands)
             for ranks in given.ranks
             for cell in cells_of(case._replace(limit=given.limit or case.limit), ranks, builds, given.maps or maps)]
    if not cells:
        sys.exit("there is nothing to run: these programs use fewer ranks, or are not known")
    adopt_orphans()
    # ctest ends a test that is late with SIGTERM before SIGKILL: clean up then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    began = time.monotonic()
    try:
        for cell in in_order(cells):
            if given.seconds is not None and time.monotonic() - began > given.seconds:
                break
            runner.run(cell, is_wanted_anew(results.of(cell), given))
    finally:
        end_everything()
    if given.write:
        lines = Table(results, builds, maps).lines()
        ReadmePart(HERE / "README.md", "testpar_table.py --write").write("\n".join(lines))
        results.copy(HERE / "testpar.json")
    failed = [cell.key for cell in cells if fails_with_us_only(results, cell)]
    print(*(f"fails, and not on disk: {key}" for key in failed), sep="\n")
    return 1 if failed else 0


def fails_with_us_only(results, cell):
    found, disk = results.of(cell), results.of(cell.on_disk)
    return bool(found) and found["outcome"] != PASSED and (not disk or disk["outcome"] != found["outcome"])


if __name__ == "__main__":
    sys.exit(main())

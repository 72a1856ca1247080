# SPDX-License-Identifier: BSD-3-Clause
"""Runs HDF5's own tests of SWMR, one writer and several readers at once, on disk and behind dsm-run.

They are those of test_swmr.sh, test_use_cases.sh and test_vds_swmr.sh in HDF5's source, with fewer records. Ends with 0
if what passes on disk passes with us, 77 if HDF5's source is not to be had, 1 otherwise.
"""

import sys
import time
from pathlib import Path

import hdf5_source
from both_ways import SKIPPED, Bench, Comparison, Failure, Job, compare, parser, report
from compiled import Programs
from debian_source import Unavailable, package_of

MESSAGE = "SWMR_WRITER_MESSAGE"  # the file by which a writer says that readers may come
SEED = ["-r", 2026]
SUPPORT = [f"test/{name}.c" for name in ("h5test", "testframe", "swmr_common")]
PROGRAMS = {name: [f"test/{name}.c"] for name in """
    swmr_generator swmr_start_write swmr_writer swmr_reader swmr_remove_writer swmr_remove_reader swmr_addrem_writer
    swmr_sparse_writer swmr_sparse_reader vds_swmr_gen vds_swmr_writer vds_swmr_reader
    """.split()} | {
        name: [f"test/{name}.c", "test/use_common.c"] for name in ("use_append_chunk", "use_append_mchunks")}


class Scenario:
    """Programs that run at the same time: `before` have ended then. `waits`: readers come when a writer says so."""

    makes_none = None

    def __init__(self, name, before, writers, readers, waits=True, long=False):
        self.name = name
        self.long = long
        self.before = before
        self.writers = writers
        self.readers = readers
        self.waits = waits


def scenarios(records, seconds):
    """`records`: how many are written and removed. `seconds`: how long most readers read."""
    few = records // 10
    # Their defaults flush too seldom for so few records.
    writing, some = ["-q", "-f", records // 10, *SEED], ["-q", "-f", few // 10]
    readers = [["swmr_reader", "-q", *SEED, seconds]] * 5
    removing = [["swmr_remove_reader", "-q", *SEED, seconds]] * 5
    generated = ["swmr_generator", "-q"]
    filled = [generated, ["swmr_writer", *some, *SEED, few]]
    for options in ([], ["-i", "ea"], ["-i", "b2", "-c", 5]):
        name = " ".join(["started", *map(str, options)])
        yield Scenario(name, [[*generated, *options]],
                       [["swmr_start_write", *options, *writing, records]], readers)
    yield Scenario("reopened", [[*generated, "-s"]], [["swmr_writer", "-o", *writing, records]], readers)
    yield Scenario("removing", filled, [["swmr_remove_writer", "-o", *some, *SEED, few // 2]], removing)
    yield Scenario("adding and removing", filled, [["swmr_addrem_writer", *some, *SEED, few]], removing)
    yield Scenario("sparse", [[*generated, *SEED]], [["swmr_sparse_writer", *some, few]],
                   [["swmr_sparse_reader", "-q", few]] * 3)
    yield Scenario("use case: chunks", [], [["use_append_chunk", "-n", 200, "-z", 64]], [], waits=False)
    yield Scenario("use case: several chunks", [], [["use_append_mchunks", "-n", 20, "-z", 64]], [], waits=False)
    yield Scenario("virtual dataset", [["vds_swmr_gen"]], [["vds_swmr_writer", number] for number in range(6)],
                   [["vds_swmr_reader"]], waits=False, long=True)


class SwmrBench(Bench):
    """What became of each program."""

    def run(self, case):
        folder = self.folder / case.name.replace(" ", "_").replace(":", "")
        folder.mkdir()

        def start(words, number=0):
            log = self.folder / f"{folder.name}.{words[0]}.{number}.log"
            return Job([*self.prefix, self.programs / words[0], *words[1:]], self.environment, log, folder)

        for words in case.before:
            if (status := (job := start(words)).status(120)) != 0:
                raise Failure(f"{case.name}: {words} ended with {status}:\n{job.text}")
        jobs = {f"{words[0]} {number}": start(words, number) for number, words in enumerate(case.writers)}
        if case.waits:
            end = time.monotonic() + 60
            while not (folder / MESSAGE).exists() and time.monotonic() < end:
                time.sleep(0.02)
        jobs |= {f"{words[0]} {number}": start(words, number) for number, words in enumerate(case.readers)}
        return {name: job.status(120) == 0 for name, job in jobs.items()}


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--hdf5", nargs=3, metavar=("COMPILER", "INCLUDE", "LIBRARY"), required=True)
    given = arguments.parse_args()
    compiler, include, library = given.hdf5
    if not (Path(include) / "hdf5.h").exists() or not Path(library).exists():
        print("skipped: there is no HDF5 with its headers")
        return SKIPPED
    try:
        source = hdf5_source.fetch(library, include)
    except Unavailable as why:
        print(f"skipped: HDF5's test programs need HDF5's source, which is not to be had here: {why}")
        return SKIPPED
    programs = Programs("swmr", [compiler], source, PROGRAMS, library, SUPPORT, hdf5_source.flags(source, include),
                        ["-lz", "-lpthread"], hdf5_source.headers(source)).build()
    variables = {"HDF5_TEST_DRIVER": " "}

    def suite(folder):
        comparison = Comparison(f"HDF5 {package_of(library)[1]}", [])
        disk = SwmrBench(folder / "disk", programs, [], None, variables=variables)
        ours = SwmrBench(folder / "ours", programs, [], None, given.bin, variables)
        compare(comparison, scenarios(20000, 2) if given.all else scenarios(2000, 1), disk, ours)
        return [*comparison.head(), comparison.row], comparison.wrong

    return report(suite, given, "swmr_suite.py --write")


if __name__ == "__main__":
    sys.exit(main())

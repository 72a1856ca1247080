# SPDX-License-Identifier: BSD-3-Clause
"""Random selections over each transport with each map, with each MPI library; the table in README.md says how many.

It goes in rounds: some cases of each transport and map, then the next ones of each, up to --cases. What was compared is
kept in build/selections/, with the commit of the driver: the same command goes on where it was interrupted, and begins
anew with another driver. What fails is told, and no more cases of it are run but with --retry.

    ./dev shell python3 Testing/Selections/matrix_table.py --cases 60 --write

Ends with 0 when all that was compared was the same.
"""
import argparse
import re
import signal
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Parallel"))
from kept_results import CHECKOUT, LIBRARIES, Results, driver_commit
from processes import Failure, Job, adopt_orphans, end_everything, environ
from readme_part import ReadmePart
from transport_table import ENVIRONMENT, MPIEXEC

HERE = Path(__file__).resolve().parent
HOSTS, RANKS = 2, 5
# In the order of CMakeLists.txt, so that the seeds are the same.
TRANSPORTS = ["shared-memory", "mpi-rma", "mpi-messages", "fabric/tcp", "fabric/shm"]
STRATEGIES = ["block cyclic", "random block", "contiguous", "mask"]
CASE_LIMIT = 3600  # seconds: others may compute on this machine, and all of this stand still meanwhile
# MPI-IO by ROMIO (README.md says why), and hosts that are waited for as long.
HERE_ONLY = {"OMPI_MCA_io": "^ompio", "HWLOC_COMPONENTS": "-gl", "DSM_TIMEOUT": CASE_LIMIT,
             "DSM_PEER_TIMEOUT": CASE_LIMIT}


class Cell(NamedTuple):
    """A transport with a map."""

    transport: str
    strategy: str

    @property
    def key(self):
        return f"{self.transport}; {self.strategy}"

    @property
    def seed(self):
        return 2 + TRANSPORTS.index(self.transport) * len(STRATEGIES) + STRATEGIES.index(self.strategy)


def all_cells(transports=TRANSPORTS):
    return [Cell(transport, strategy) for transport in transports for strategy in STRATEGIES]


class Matrix:
    """What one MPI library's programs compare."""

    def __init__(self, flavour, folder, commit):
        self.flavour = flavour
        self.folder = folder
        self.results = Results(folder / f"{flavour}.json", commit)

    def compared(self, cell):
        """(cases that were the same, what failed)."""
        found = self.results.of(cell) or {}
        return found.get("same", 0), found.get("failure", "")

    def compare(self, cell, cases):
        """So many more cases of a cell."""
        same, _ = self.compared(cell)
        began = time.monotonic()
        words = [*MPIEXEC[self.flavour], "-n", RANKS, CHECKOUT / "build" / self.flavour / "bin/dsm_selections", HOSTS,
                 "--first", same, "--cases", cases, "--seed", cell.seed, "--transport", cell.transport,
                 "--strategy", cell.strategy, "--limit", CASE_LIMIT]
        job = Job(words, environ(**ENVIRONMENT, **HERE_ONLY))
        failure = ""
        try:
            status = job.status(CASE_LIMIT + 60 * cases)
            if status != 0 or not re.search(rf"(?m)^0 of {cases} cases failed", job.text):
                failure = f"ended with status {status}"
        except Failure as late:
            failure = str(late).splitlines()[0]
        if failure:
            log = self.folder / "logs" / f"{self.flavour}.{cell.key}.{same}.log".replace("/", "-").replace(" ", "_")
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(job.text)
        self.results.keep(cell, {"same": same + (0 if failure else cases), "failure": failure})
        print(f"{self.flavour}, {cell.key}, seed {cell.seed}, cases {same} to {same + cases - 1}: "
              f"{failure or 'the same'}, {time.monotonic() - began:.0f} s", flush=True)


def table(matrices):
    """Lines of Markdown."""
    names = " and ".join(LIBRARIES[matrix.flavour] for matrix in matrices)
    yield f"Cases in which all was the same, with {names}:"
    yield ""
    yield f"| | seeds | {' | '.join(STRATEGIES)} |"
    yield "| --- " * (2 + len(STRATEGIES)) + "|"
    for transport in TRANSPORTS:
        cells = all_cells([transport])
        entries = [", ".join(entry(matrix.results.last(cell)) for matrix in matrices) for cell in cells]
        yield f"| `{transport}` | {cells[0].seed} to {cells[-1].seed} | {' | '.join(entries)} |"
    found = [result for matrix in matrices for cell in all_cells() if (result := matrix.results.last(cell))]
    total = sum(result["same"] for result in found)
    commits = sorted({result["commit"] for result in found})
    yield ""
    yield f"{total:,} cases; the driver of commit{'s' * (len(commits) > 1)} {', '.join(commits)}."


def entry(result):
    """One library's of a cell."""
    if not result:
        return "0"
    return f"{result['same']} and a failure" if result["failure"] else str(result["same"])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", nargs="+", choices=MPIEXEC, default=list(MPIEXEC))
    parser.add_argument("--transports", nargs="+", choices=TRANSPORTS, default=TRANSPORTS)
    parser.add_argument("--cases", type=int, default=60, help="of each transport and map")
    parser.add_argument("--round", type=int, default=10, help="so many at a time")
    parser.add_argument("--seconds", type=float, help="begin nothing after that")
    parser.add_argument("--retry", action="store_true", help="go on with what failed")
    parser.add_argument("--keep", type=Path, default=CHECKOUT / "build/selections", help="folder of results and logs")
    parser.add_argument("--write", action="store_true", help="the table into README.md")
    return parser.parse_args()


def rounds(matrices, given):
    """(matrix, cell, cases), until all have as many cases as are asked for."""
    for done in range(0, given.cases, given.round):
        for cell in all_cells(given.transports):
            for matrix in matrices:
                same, failure = matrix.compared(cell)
                if same <= done and (given.retry or not failure):
                    yield matrix, cell, min(given.round, given.cases - same)


def main():
    given = arguments()
    commit = driver_commit()
    folder = given.keep.resolve()
    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    began = time.monotonic()
    chosen = [Matrix(flavour, folder, commit) for flavour in given.libraries]
    try:
        for matrix, cell, cases in rounds(chosen, given):
            if given.seconds is not None and time.monotonic() - began > given.seconds:
                break
            matrix.compare(cell, cases)
    finally:
        end_everything()
    if given.write:
        lines = table([Matrix(flavour, folder, commit) for flavour in MPIEXEC])
        ReadmePart(HERE / "README.md", "matrix_table.py --write").write("\n".join(lines))
    failed = [f"{matrix.flavour}, {cell.key}" for matrix in chosen for cell in all_cells(given.transports)
              if matrix.compared(cell)[1]]
    print(*(f"failed: {name}" for name in failed), sep="\n", end="\n" if failed else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

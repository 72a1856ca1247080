# SPDX-License-Identifier: BSD-3-Clause
"""What became of runs that take hours, in a file, so that they go on where they were interrupted."""

import json
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def driver_commit():
    """The last that changed what is tested, with a mark where there are changes besides."""
    def git(*words):
        done = subprocess.run(["git", "-c", "safe.directory=*", *words, "--", "DSMCore"], cwd=CHECKOUT,
                              capture_output=True, text=True, check=False)
        return done.stdout.strip()

    return (git("log", "-1", "--format=%h") or "unknown") + ("-dirty" if git("status", "--porcelain") else "")


class Results:
    """What became of cells, each of which has a `key`: of each the last run, with the driver's commit."""

    def __init__(self, path, commit):
        self.path = path
        self.commit = commit
        self.all = json.loads(path.read_text()) if path.exists() else {}

    def of(self, cell):
        """With this driver."""
        found = self.last(cell)
        return found if found and found["commit"] == self.commit else None

    def last(self, cell):
        """With whatever driver."""
        return self.all.get(cell.key)

    def keep(self, cell, outcome):
        self.all[cell.key] = {**outcome, "commit": self.commit}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.all, indent=1, sort_keys=True))
        new.rename(self.path)

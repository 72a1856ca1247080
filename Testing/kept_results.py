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
    """What became of cells, each of which has a `key`: of each the last run, with the driver's commit. `before`: a
    file of results that a new machine begins with."""

    def __init__(self, path, commit, before=None):
        self.path = path
        self.commit = commit
        there = next((file for file in (path, before) if file and file.exists()), None)
        self.all = json.loads(there.read_text()) if there else {}

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
        self.copy(self.path)

    def copy(self, path):
        """All of them, into a file."""
        new = path.with_suffix(".new")
        lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(found, sort_keys=True)}"
                           for key, found in sorted(self.all.items()))
        new.write_text("{\n" + lines + "\n}\n")
        new.rename(path)

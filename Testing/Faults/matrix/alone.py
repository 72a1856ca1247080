# SPDX-License-Identifier: BSD-3-Clause
"""The bytes that a file has when a simulation writes it without us."""

import hashlib
import os
import pathlib
import subprocess
import tempfile

from processes import LIMIT, environ


class Alone:
    """Made once for all injections, in a folder that their processes share."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def bytes(self, library, ranks, commands):
        """Of the file that these commands write."""
        name = hashlib.sha256(repr((library, ranks, commands)).encode()).hexdigest()
        known = self.folder / name
        if not known.exists():
            self._make(known, ranks, commands)
        return known.read_bytes()

    def _make(self, known, ranks, commands):
        from conftest import BIN, MPIEXEC  # which library's is decided when a process begins an injection

        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            done = subprocess.run(
                [str(word) for word in (*MPIEXEC, "-n", ranks, BIN / "dsmObedient", "parallel", f"{folder}/sim")],
                input="".join(f"{command}\n" for command in commands), env=environ(), capture_output=True, text=True,
                timeout=LIMIT, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            os.rename(f"{folder}/sim.1.h5", known)

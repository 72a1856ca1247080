# SPDX-License-Identifier: BSD-3-Clause
"""mesh_bench.py measures every step of each kind of data; never how fast."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent / "mesh_bench.py"


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="Debian's pvbatch has Open MPI")
@pytest.mark.parametrize("form", ["grid", "collection", "surface"])
def test_every_step_is_measured(form):
    done = subprocess.run(
        [sys.executable, BENCH, "--build", os.environ["DSM_TEST_BUILD"], "--side", "16", "--files", "3",
         "--forms", form],
        capture_output=True, text=True, timeout=240, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()
            if line.startswith("| 1 ")]
    assert [row[1:4] for row in rows] == [
        [form, mesh, file] for mesh in ("stays", "changes") for file in ("first file", "later")], done.stdout
    for row in rows:
        assert float(row[4]) > 0, done.stdout

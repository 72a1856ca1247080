# SPDX-License-Identifier: BSD-3-Clause
"""FEniCSx as Debian packages it, unchanged, on 2 ranks behind dsm-run: each step of its one file, which stays open and
is never flushed, is drawn by its description in XDMF 3."""

import os
import subprocess
import sys

import pytest

from conftest import BIN, HERE, MPIEXEC


def test_fenics(bench):
    if os.environ["DSM_TEST_FLAVOUR"] != "openmpi":
        pytest.skip("Debian's FEniCSx is on Open MPI")
    if subprocess.run([sys.executable, "-c", "import dolfinx"], capture_output=True, check=False).returncode != 0:
        pytest.skip("there is no FEniCSx (Debian's python3-dolfinx-real, which ./dev test --all installs)")
    folder = bench.folder / "live"
    folder.mkdir()
    viewer = bench.pvbatch("live_fenics.py", 2)
    viewer.wait_for_file(bench.folder / "run.dsm")
    bench.start([BIN / "dsm-run", "--contact", bench.folder / "run.dsm", "--publish", "0.05", *MPIEXEC, "-n", "2",
                 sys.executable, HERE / "scripts" / "fenics_writer.py", folder, bench.folder], "fenics").wait()
    viewer.wait()
    reports = bench.reports()
    states = reports[0]["told"]
    last = states[-1]
    assert last[0] == "XDMF" and last[2] in ("", []) and last[3] == [0, 0.5, 1, 1.5], states
    views = list(zip(*(one["seen"] for one in reports), strict=True))
    assert {parts[0]["step"] for parts in views} == {0, 1, 2, 3}
    for parts in views:
        step = parts[0]["step"]
        # With one step in it the file has none, and the time is the snapshot's.
        assert step == 0 or [part["time"] for part in parts] == [step / 2] * 2
        # Tetrahedra are shared out; some points are on both ranks.
        assert [part["cells"] for part in parts] == [180, 180]
        values = {tuple(at): value for part in parts for at, value in zip(part["points"], part["f"], strict=True)}
        assert len(values) == 120
        for (x, y, z), value in values.items():
            assert value == pytest.approx(x + 10 * y + 100 * z + 1000 * step), (step, x, y, z)
    for part in views[-1]:
        for (x, y, z), vector in zip(part["points"], part["v"], strict=True):
            assert vector == pytest.approx([x, 3 * y, z])

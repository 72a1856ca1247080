# SPDX-License-Identifier: BSD-3-Clause
"""A mesh whose bytes stay is the same objects of VTK's, with the same modification times, in every snapshot."""

import sys

import pytest

from conftest import HERE

sys.path.insert(0, str(HERE / "scripts"))
from kept_mesh_writer import MOVED, SIDE, STEPS, TURNED

ALL = ["points", "cells", "types", "mesh"]


@pytest.mark.parametrize("kind", ["vtkhdf", "described"])
@pytest.mark.parametrize(("ranks", "symmetric"), [(1, False), (2, True)])
def test_kept_mesh(bench, kind, ranks, symmetric):
    folder = bench.folder
    viewer = bench.pvbatch("kept_mesh.py", ranks, symmetric)
    viewer.wait_for_file(folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "kept_mesh_writer.py", folder, kind]
    bench.simulation(folder / "run.dsm", 1, None, program=program).wait()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == ranks
    assert sum(found["sizes"][0] for found in reports) == (SIDE - 1)**3
    for rank, found in enumerate(reports):
        assert found["wrong"] == []
        expected = [list(ALL) for _ in range(STEPS - 1)]
        # The last rank has the point that moves and the cell that turns.
        if rank == ranks - 1:
            expected[MOVED - 1] = expected[TURNED - 1] = []
        assert found["stayed"] == expected, rank

# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that follow a simulation which is faster than they are, with the smallest ring: no read
fails, no rank reads another snapshot than the others, and none is torn."""

import sys

import pytest

from conftest import HERE


@pytest.mark.parametrize(("ranks", "symmetric"), [(2, False), (3, True)])
def test_follow(bench, ranks, symmetric):
    folder = bench.folder
    viewer = bench.pvbatch("live_follow.py", ranks, symmetric)
    viewer.wait_for_file(folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "fast_writer.py", folder]
    writer = bench.simulation(folder / "run.dsm", 2, None, program=program)
    viewer.wait()
    writer.wait()
    reports = bench.reports()
    assert len(reports) == ranks
    first = reports[0]
    assert first["errors"] == [] and first["trouble"] == ""
    # It had to skip some, and what it was about to show did leave the ring whenever it waited for that.
    assert first["sealed"] >= first["shown"][-1] > len(first["shown"]) and first["dropped"] > 0, first
    assert first["instead"] >= first["waited"] == 6, first
    for found in reports:
        # One step in all the numbers that a rank has, the same on all ranks: that of the snapshot shown.
        assert found["seen"] == [[number] for number in first["shown"]]

# SPDX-License-Identifier: BSD-3-Clause
"""A file that grows by a step at a time: each snapshot has the time and the values of its last step."""

import sys

import pytest

from conftest import HERE, built


@pytest.mark.parametrize("kind", ["blocks", "series"])
@pytest.mark.parametrize(("first", "between"), [(1, 1), (10, 10), (0.5, 0.25)],
                         ids=["counted", "tens", "quarters"])
def test_shows_the_last_step(bench, kind, first, between):
    """Times that look like the numbers of snapshots are still those in the file."""
    viewer = bench.pvbatch("growing.py", 1)
    viewer.wait_for_file(bench.folder / "run.dsm")
    build, _ = built("openmpi")  # Debian's h5py without MPI, or for Open MPI
    writer = bench.start([build / "bin/dsm-run", "--contact", bench.folder / "run.dsm", sys.executable,
                          HERE / "scripts/growing_writer.py", kind, bench.folder, first, between], "writer")
    viewer.wait()
    writer.wait()
    (found,) = bench.reports()
    times = [first + between * step for step in range(5)]
    assert found["each"] == [[time, time, time] for time in times], found
    assert found["whole"] == [[time, time, time, time] for time in times], found
    assert found["newest"] == times[-1], found

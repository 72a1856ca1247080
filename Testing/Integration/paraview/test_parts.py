# SPDX-License-Identifier: BSD-3-Clause
"""A simulation that writes one file per process: the files of a step are one snapshot, of as many parts."""

import sys

import h5py
import pytest

from conftest import HERE

STEPS = 4


@pytest.mark.parametrize(("ranks", "viewers"), [(4, 1), (4, 3), (2, 3)])
def test_parts(bench, ranks, viewers):
    folder = bench.folder
    viewer = bench.pvbatch("parts.py", viewers, True)
    viewer.wait_for_file(folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "parts_writer.py", folder, STEPS]
    bench.simulation(folder / "run.dsm", ranks, None, program=program).wait()
    viewer.wait()
    found = bench.reports()
    assert len(found) == viewers
    saved = sorted((folder / "saved").iterdir())
    assert [file.name for file in saved] == [f"out.{step:03d}.p{rank}.h5" for step in range(1, STEPS + 1)
                                             for rank in range(ranks)]
    for one in found:
        assert one["sealed"] == STEPS * ranks and one["error"] == "", one
        assert len(one["listed"]) == 2, "of many files each, of which two were to be kept"
        for step, (file, files, number, time, size) in enumerate(one["seen"], 1):
            assert (file, files) == (f"{folder}/out.{step:03d}.p*.h5", ranks)
            assert (number, time) == (step, 0.5 * step)
            assert size == sum(each.stat().st_size for each in saved if f".{step:03d}." in each.name)
        assert len(one["seen"]) == STEPS
    # Each part is read by one rank, and is the file that its process wrote.
    for step in range(STEPS):
        parts = [part for one in found for part in one["data"][step]]
        assert len(parts) == ranks
        for rank, (ids, u, x) in enumerate(parts):
            assert ids == [1000 * rank + index for index in range(100 + rank)]
            assert (u, x) == ([10.0 * (step + 1) + rank], [rank, rank + 1])
        if step == STEPS - 1:
            assert all(one["data"][-1] == one["data"][step] for one in found), "by its number"
        most = -(-ranks // viewers)
        assert max(len(one["data"][step]) for one in found) <= most
    with h5py.File(saved[-1]) as file:
        assert file["u"][0] == 10.0 * STEPS + ranks - 1

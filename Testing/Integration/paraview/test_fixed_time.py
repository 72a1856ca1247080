# SPDX-License-Identifier: BSD-3-Clause
"""A reader that shows one snapshot, which it knows by its stream and time."""

import pytest

GRID = ("--size", 12, 10, 9, "--every", 10)


@pytest.mark.parametrize(("ranks", "symmetric"), [(1, False), (2, True)])
def test_one_snapshot_by_stream_and_time(bench, ranks, symmetric):
    folder = bench.folder
    viewer = bench.pvbatch("fixed_time.py", ranks, symmetric)
    contact = folder / "run.dsm"
    for name, steps in (("first", 20), ("second", 30)):
        viewer.wait_for_file(folder / f"ready for the {name}")
        bench.simulation(contact, 1, folder / name, *GRID, "--steps", steps).wait()
        (folder / f"{name} is done").touch()
    output = viewer.wait()
    reports = bench.reports()
    assert len(reports) == (ranks if symmetric else 1)
    for found in reports:
        check(found)
    # One message, however often the reader looks for the snapshot.
    assert output.count("does not have this snapshot, or not yet") == 1, output
    assert output.count("is not a number") == 1, output


def check(found):
    # The first run writes 0, 10 and 20, and the second one also 30: the snapshots 4 to 7.
    assert "cannot show gray_scott.#.vtkhdf of time 10" in found["early"] and found["earlyPoints"] == 0
    assert found["arrived"] == [2, 10, ""] and found["arrivedPoints"] > 0
    assert found["steps"] == []
    assert found["atAnyTime"] == [2, 10, ""]
    # It keeps its snapshot; another reader gets that of the last run, or the one that its number tells.
    assert found["kept"] == [2, 10, ""]
    assert found["ofLastRun"] == [5, 10, ""]
    assert found["numbered"] == [2, 10, ""]
    # The numbers are those of snapshots of another time or stream.
    assert found["ofOtherTime"] == [5, 10, ""]
    assert found["ofRun"] == [2, 10, ""]
    assert 'cannot use "soon" as Fixed Time' in found["wrong"]

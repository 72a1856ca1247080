# SPDX-License-Identifier: BSD-3-Clause
"""A simulation that creates each file, closes it and opens it again to write the data: nobody is shown what the first
close leaves, neither who goes from one snapshot to the next nor who looks which there are."""

import json
import os
import sys

from conftest import HERE

STEPS = 3


def test_shells(bench):
    folder = bench.folder
    viewer = bench.pvbatch("shells.py", 2, True)
    viewer.wait_for_file(folder / "run.dsm")
    watcher = bench.start(
        [os.environ["DSM_TEST_PVPYTHON"], HERE / "scripts" / "watch_list.py"], "watcher", DSM_TEST_FOLDER=folder
    )
    watcher.wait_for_file(folder / "watching")
    program = [sys.executable, HERE / "scripts" / "shells_writer.py", folder, STEPS]
    bench.simulation(folder / "run.dsm", 3, None, program=program).wait()
    (folder / "written").touch()
    watcher.wait()
    viewer.wait()
    # Each file was closed twice. The first shell may be seen where this machine is slow: nothing is known of the
    # stream then, and its second opening is waited for only a little.
    whole = [2 * step for step in range(1, STEPS + 1)]
    for found in bench.reports():
        assert [number for number in found["numbers"] if number > 1] == whole, found
        assert found["times"][-STEPS:] == [0.5 * step for step in range(1, STEPS + 1)]
        assert found["values"][-STEPS:] == [[step, step] for step in range(1, STEPS + 1)]
        assert [number for number in found["listed"] if number > 1] == whole and found["sealed"] == 2 * STEPS
        assert found["error"] == ""
    seen = json.loads((folder / "seen.json").read_text())
    assert set(seen) <= {1, *whole} and whole[0] in seen, seen

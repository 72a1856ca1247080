# SPDX-License-Identifier: BSD-3-Clause
"""A program that writes plain datasets, in lock step with the viewer."""

import re
import subprocess
import sys
import time

from conftest import HERE, some_ways
from processes import on_disk


@some_ways
def test_plain(bench, ranks, symmetric):
    folder = bench.folder
    viewer = bench.pvbatch("live_plain.py", ranks, symmetric)
    viewer.wait_for_file(folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "plain_writer.py", folder, 6]
    bench.simulation(folder / "run.dsm", 3, None, program=program).wait()
    viewer.wait()
    reports = bench.reports()
    assert not [found for found in reports if "wrong" in found]
    for found in reports:
        assert found["steps"] == [n + 0.5 for n in range(1, 7)]
        # Odd steps state a time, the others have only their number.
        assert found["times"] == [0.25, 2.5, 0.75, 4.5, 1.25, 6.5]
        assert (found["sealed"], found["dropped"]) == (7, 0)
        assert found["error"] in ("", [])
    assert not any(map(on_disk, folder.glob("*.h5")))


def test_flushed(bench):
    """One file for the whole run, seen at each flush; files of other names go to disk."""
    folder = bench.folder
    viewer = bench.pvbatch("live_flush.py", 2, True)
    end = time.monotonic() + 60
    while not list(folder.glob("declared.*")):
        assert viewer.process.poll() is None and time.monotonic() < end, viewer.text
        time.sleep(0.05)
    program = [sys.executable, HERE / "scripts" / "flush_writer.py", folder, 5]
    bench.simulation(folder / "run.dsm", 3, None, program=program).wait()
    viewer.wait()
    for found in bench.reports():
        assert "wrong" not in found
        assert found["steps"] == [0, 1, 2, 3, 4]
        assert found["times"] == [0.25, 0.5, 0.75, 1.0, 1.25]
        assert (found["abandoned"], found["error"], found["told"]) == (0, "", "applied")
        assert "maximum is 10" in found["reason"]
        assert found["saved"] == str(folder / "saved.hdf")
    shown = subprocess.run(
        ["h5dump", folder / "saved.hdf"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    # The newest when the third was looked at, and one state of the file as a whole.
    step = int(4 * float(re.search(r"\(0\): ([0-9.]+)", shown)[1]))
    assert step in (3, 4, 5) and f"{step}007, {step}008" in shown, shown[:1000]
    assert [file.name for file in folder.glob("*.h5") if on_disk(file)] == ["restart.h5"]

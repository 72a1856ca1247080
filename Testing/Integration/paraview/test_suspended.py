# SPDX-License-Identifier: BSD-3-Clause
"""A viewer that is suspended for longer than the hosts wait for it, while simulations go on."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from conftest import BIN, HERE


def listed(folder):
    """The numbers of the snapshots in memory."""
    command = [BIN / "dsm-archive", "--contact", folder / "run.dsm", "--list"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return [int(number) for number in re.findall(r"^snapshot (\d+)", told.stdout, re.MULTILINE)]


@pytest.mark.parametrize("when", ["shown", "given"])
def test_suspended(bench, when):
    folder = bench.folder
    viewer = bench.pvbatch("suspended.py", 1, DSM_TEST_WHEN=when, DSM_PEER_TIMEOUT=2)
    viewer.wait_for_file(folder / "run.dsm")

    def write(name):
        program = [sys.executable, HERE / "scripts" / "kinds_writer.py", folder / name, 2]
        (folder / name).mkdir()
        bench.simulation(folder / "run.dsm", 1, None, program=program).wait()

    write("first")
    viewer.wait_for_line("suspend me")
    (report,) = bench.reportFolder.glob("report.*.json")
    process = json.loads(report.read_text())["process"]
    os.kill(process, signal.SIGSTOP)
    with contextlib.ExitStack() as stack:
        stack.callback(os.kill, process, signal.SIGCONT)
        (folder / "suspended").touch()
        runs = iter(range(100))

        def is_gone():
            write(f"run{next(runs)}")
            return 1 not in listed(folder)

        viewer.wait_until(is_gone, "end of the first snapshot")
    viewer.wait()
    (found,) = bench.reports()
    assert found["before"] == ([1] if when == "shown" else []), found
    assert found["error"] and "it was suspended" in found["error"], found
    assert "cannot be reached" not in found["error"]
    # What comes is shown as ever.
    assert found["after"] and all(points == 64 for number, time, points in found["after"]), found
    assert found["after"][0][0] > 1 and found["state"] != "hosts lost"

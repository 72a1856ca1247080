# SPDX-License-Identifier: BSD-3-Clause
"""A viewer that is slower than the ring, or was suspended: it never shows a snapshot that is gone, nor a time that no
file has."""

import itertools
import os
import signal
import sys
import time

import pytest

from conftest import HERE

PEER_TIMEOUT = 2  # seconds


def start(bench, how, separate):
    viewer = bench.pvbatch("slow_viewer.py", 1, DSM_TEST_HOW=how, DSM_TEST_SEPARATE=separate,
                           DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    viewer.wait_for_file(bench.folder / "run.dsm")
    return viewer


def write(bench):
    return bench.simulation(bench.folder / "run.dsm", 1, None,
                            program=[sys.executable, HERE / "scripts" / "fast_writer.py", bench.folder])


def check(found):
    assert found["wrong"] == [] and found["error"] is None, found
    assert found["seen"] == sorted(set(found["seen"])), found


def watched(bench, how, separate):
    """Returns what a viewer reports that looks on until the simulation has ended."""
    viewer = start(bench, how, separate)
    simulation = write(bench)
    viewer.wait()
    simulation.wait()
    (found,) = bench.reports()
    check(found)
    return found


separately = pytest.mark.parametrize("separate", ["", "yes"])


@separately
def test_slower_than_the_ring(bench, separate):
    """It sees those that are in memory when it looks, each with its own values and time, and says how many it has
    missed: at the first, and at the end in all."""
    found = watched(bench, "slow", separate)
    steps = [later - earlier for earlier, later in itertools.pairwise(found["seen"])]
    assert found["missed"] == [0, *(step - 1 for step in steps)], found
    said = [one for one in found["warnings"] if "before the loop came to them" in one]
    assert [one.split(")")[0] for one in said] == [
        f"{steps[0] - 1} snapshots (before snapshot {found['seen'][1]}", f"{sum(found['missed'])} snapshots (in all",
    ], found
    assert len(found["seen"]) >= 6, found
    # Others were evicted meanwhile. When nine more have come, the ring of four has the last three at most besides the
    # one that is shown.
    assert found["seen"][5] - found["seen"][0] > 5 * 6 and found["dropped"] > 5 * 4, found


@separately
def test_gone_before_it_is_shown(bench, separate):
    """A snapshot that was found and then evicted is skipped, and a warning names it."""
    found = watched(bench, "gone", separate)
    assert found["evicted"] not in found["seen"], found
    assert [one for one in found["warnings"] if f"snapshot {found['evicted']} " in one and "is skipped" in one], found
    assert len(found["seen"]) >= 6, found


@separately
@pytest.mark.parametrize("how", ["idle", "waiting"])
def test_suspended(bench, how, separate):
    """For longer than its time limit: it goes on with what is in memory, or says that it was suspended."""
    folder = bench.folder
    (folder / "slow").touch()
    viewer = start(bench, how, separate)
    simulation = write(bench) if how == "idle" else None
    viewer.wait_for_line("suspend me")
    process = bench.reports()[0]["process"]
    if how == "idle":
        (folder / "enough").touch()
        simulation.wait()
        (folder / "enough").unlink()
    os.kill(process, signal.SIGSTOP)
    (folder / "suspended").touch()
    try:
        if how == "waiting" and separate:
            simulation = write(bench)
        time.sleep(3 * PEER_TIMEOUT)  # the fault itself: nothing to wait for
    finally:
        os.kill(process, signal.SIGCONT)
    if how == "waiting" and not separate:
        simulation = write(bench)
    viewer.wait(40)
    simulation.wait()
    (found,) = bench.reports()
    # A loop that is begun again shows those that are still in memory once more.
    assert found["wrong"] == [], found
    assert found["error"] is None or "it was suspended" in found["error"], found
    assert len(found["seen"]) >= (3 if how == "waiting" else 1), found

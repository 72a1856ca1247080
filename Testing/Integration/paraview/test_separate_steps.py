# SPDX-License-Identifier: BSD-3-Clause
"""A simulation of two hundred steps whose ParaView is killed and restarted five times: every step is seen, and each is
byte for byte what the simulation writes alone."""

import os
import random
import signal

from test_separate import check_same, have_ended, simulate

from processes import on_disk

STEPS = 200
KILLS = 5


def test_two_hundred_steps(bench):
    folder = bench.folder
    simulation = None
    seen = []
    chance = random.Random(13)
    for restart in range(KILLS + 1):
        last = restart == KILLS
        viewer = bench.pvbatch("separate.py", 1, DSM_TEST_LEAVE="leave")
        viewer.wait_for_file(folder / "run.dsm")
        simulation = simulation or simulate(bench, folder / "run.dsm", folder / "live", STEPS)
        if last:
            viewer.wait()
        else:
            # Somewhere in the middle of showing or saving one.
            count = len(seen) + chance.randint(3, STEPS // KILLS - 3)
            viewer.wait_until(lambda count=count: len(list((folder / "saved").glob("*.vtkhdf"))) >= count, "snapshots")
            os.kill(bench.reports()[0]["process"], signal.SIGKILL)
            viewer.status()
        (found,) = bench.reports()
        # Of what nobody had seen, nothing is missing. What had been seen and is still there comes again: also one
        # that a viewer held when it was killed, until the hosts have noticed that.
        assert found["seen"] == sorted(set(found["seen"]))
        fresh = [number for number in found["seen"] if number > len(seen)]
        assert fresh == list(range(len(seen) + 1, found["seen"][-1] + 1))
        seen = list(range(1, found["seen"][-1] + 1))
        assert found["attached"] == (restart > 0)
    simulation.wait()
    bench.pvbatch("separate.py", 1).wait()
    assert have_ended(folder)

    assert len(seen) == STEPS + 1, "that of the beginning too"
    assert not any(map(on_disk, (folder / "live").glob("*.vtkhdf"))), "nothing went to disk"
    simulate(bench, None, folder / "alone", STEPS).wait()
    check_same(folder / "saved", folder / "alone")

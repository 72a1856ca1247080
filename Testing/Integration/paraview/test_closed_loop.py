# SPDX-License-Identifier: BSD-3-Clause
"""The example that closes a loop: it measures in ParaView and steers the simulation until the amount is held."""

import os
import pathlib
import re

from conftest import MPIEXEC

SCRIPT = pathlib.Path(__file__).parents[3] / "Examples/pipelines/closed_loop.py"
TARGET = 0.07


def test_the_amount_is_held(bench):
    contact = bench.folder / "run.dsm"
    viewer = bench.start(
        [*MPIEXEC, "-n", 2, os.environ["DSM_TEST_PVBATCH"], SCRIPT, "--contact", contact, "--target", TARGET], "pvbatch"
    )
    viewer.wait_for_file(contact)
    simulation = bench.simulation(contact, 2, bench.folder / "out", "--size", 24, "--steps", 4000, "--every", 5)
    told = viewer.wait()
    text = simulation.wait()
    means = [float(mean) for mean in re.findall(r"mean of v (\S+)", told)]
    # It was away from the target, and then stayed there, with which the script was content and silent, whatever
    # the simulation wrote until it had read that it was to end.
    assert min(means) < 0.5 * TARGET and max(means) > 1.1 * TARGET, told
    assert all(abs(mean / TARGET - 1) < 0.05 for mean in means[-10:]), told
    held, count = re.findall(r"(not held|held) after (\d+) snapshots", told)[0]
    assert held == "held" and len(means) <= int(count) < 400, told
    assert "ERR" not in told
    assert "step  4000" not in text and "step 4000" not in text
    # What took effect is what was said, in that order, and in no step twice.
    rows = [
        line.split("\t")
        for line in (bench.folder / "run.dsm.steering.log").read_text().splitlines()
        if '"kill"' in line
    ]
    said = [float(kill) for kill in re.findall(r"kill = (\S+)", told)]
    assert len(rows) >= len(said) - 3
    assert all(re.fullmatch(r"\S+@\S+ \(ParaView\)", row[2]) for row in rows), rows[0]
    assert [f"{float(row[9]):.4f}" for row in rows] == [f"{kill:.4f}" for kill in said[:len(rows)]]

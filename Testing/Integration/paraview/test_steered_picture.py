# SPDX-License-Identifier: BSD-3-Clause
"""What a steered simulation looks like: the picture changes where and how it should, and the log of the
run makes the same data again, bit by bit."""

import os
import subprocess

import numpy
import PIL.Image
from conftest import BIN, MPIEXEC

SIZE, STEPS, PLACE, RADIUS = 24, 60, (17, 6, 9), 3


def simulate(workshop, ranks, folder, **environment):
    options = ["--size", SIZE, "--steps", STEPS, "--every", STEPS]
    return workshop.simulation(environment["DSM_CONTACT"], ranks, workshop.folder / folder, *options, **environment)


def picture(workshop, name):
    """Rows from below, as the grid has them; 0 to 255."""
    colours = numpy.asarray(PIL.Image.open(workshop.folder / f"{name}.png").convert("RGB"), dtype=int)
    assert (colours[:, :, 0] == colours[:, :, 1])[10:-10, 10:-10].all(), "the background shines through"
    return colours[::-1, :, 1]


def equal(first, second):
    return subprocess.run(["h5diff", "--verbose", first, second], capture_output=True, timeout=60).returncode == 0


def test_the_picture_and_the_replay(workshop):
    folder, simulating = workshop.folder, 5
    simulate(workshop, 3, "disk", DSM_CONTACT="").wait()
    contact = folder / "steer.dsm"
    viewer = workshop.pvbatch(
        "steered_picture.py", 2, DSM_TEST_SIZE=SIZE, DSM_TEST_STEPS=STEPS, DSM_TEST_RADIUS=RADIUS,
        DSM_TEST_PLACE=",".join(map(str, PLACE)), DISPLAY=workshop.screen())
    viewer.wait_for_file(contact)
    simulation = simulate(workshop, simulating, "live", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    viewer.wait()
    simulation.wait()
    assert all(found["applied"] == ["applied", 1] for found in workshop.reports())

    # Nobody had steered yet: the same picture as of the file on disk, and the same file.
    before = picture(workshop, "steered.0")
    assert (before == picture(workshop, "disk.0")).all()
    assert equal(folder / "steered.00000.vtkhdf", folder / "disk/gray_scott.00000.vtkhdf")

    # Pixel (10 x + 5, 10 y + 5) is point (x, y): u fell to 0.25 in a disc there, and hardly anywhere
    # else: in one step what was planted at the start moves its edges a little.
    dropped = picture(workshop, "steered.1")
    y, x = numpy.mgrid[0:10 * SIZE, 0:10 * SIZE] / 10 - 0.45
    distance = numpy.hypot(x - PLACE[0], y - PLACE[1])
    assert (before[distance < RADIUS] > 200).all(), "something is there already: choose another place"
    assert (abs(dropped[distance < RADIUS - 1] - 0.25 * 255) < 2).all()
    darkened = (dropped < 128) & (before >= 128)
    assert darkened[distance < RADIUS + 1].sum() > 0.97 * darkened.sum()

    # No feed any more: what is eaten of u does not come back, as it does in the run nobody steered. Seen
    # where the reagent does not reach.
    late, unsteered = picture(workshop, f"steered.{STEPS}"), picture(workshop, f"disk.{STEPS}")
    away = distance > 10
    assert late[away].mean() < unsteered[away].mean() - 5
    assert not equal(folder / f"steered.{STEPS:05d}.vtkhdf", folder / f"disk/gray_scott.{STEPS:05d}.vtkhdf")

    # The log makes the same run again: to disk, on other ranks, without a viewer.
    log = folder / "steer.dsm.steering.log"
    again = subprocess.run(
        [BIN / "dsm-run", "--without-server", "disk", "--replay", log, *MPIEXEC, "-n", str(simulating + 1), BIN / "gray_scott", "--size", str(SIZE),
         "--steps", str(STEPS), "--every", str(STEPS), "--output", folder / "again"],
        capture_output=True, text=True, timeout=60, env={**os.environ, "DSM_CONTACT": ""}, check=False)
    assert again.returncode == 0, again.stdout + again.stderr
    assert sorted(file.name for file in (folder / "again").iterdir()) == [
        f"gray_scott.{step:05d}.vtkhdf" for step in (0, 1, STEPS)]
    for step in (0, 1, STEPS):
        assert equal(folder / f"steered.{step:05d}.vtkhdf", folder / f"again/gray_scott.{step:05d}.vtkhdf"), step

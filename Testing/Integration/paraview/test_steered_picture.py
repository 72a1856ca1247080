# SPDX-License-Identifier: BSD-3-Clause
"""What steered simulations look like, the examples in C++, Fortran and Python: the picture changes where and how
it should. The log of a run makes the same data again, bit by bit."""

import os
import pathlib
import subprocess
import sys

import numpy
import PIL.Image
import pytest

from conftest import BIN, FLAVOUR, MPIEXEC
from processes import on_disk

SIZE, STEPS, PLACE, RADIUS = 24, 60, (17, 6, 9), 3


def simulate(bench, ranks, folder, **environment):
    options = ["--size", SIZE, "--steps", STEPS, "--every", STEPS]
    return bench.simulation(environment["DSM_CONTACT"], ranks, bench.folder / folder, *options, **environment)


def picture(bench, name):
    """Rows from below, as the grid has them; 0 to 255."""
    colours = pixels(bench, name)
    assert (colours[:, :, 0] == colours[:, :, 1])[10:-10, 10:-10].all(), "the background shines through"
    return colours[:, :, 1]


def pixels(bench, name):
    return numpy.asarray(PIL.Image.open(bench.folder / f"{name}.png").convert("RGB"), dtype=int)[::-1]


def equal(first, second):
    return (
        subprocess.run(["h5diff", "--verbose", first, second], capture_output=True, timeout=60, check=False).returncode
        == 0
    )


def test_the_picture_and_the_replay(bench):
    folder, simulating = bench.folder, 5
    simulate(bench, 3, "disk", DSM_CONTACT="").wait()
    contact = folder / "steer.dsm"
    viewer = bench.pvbatch(
        "steered_picture.py", 2, DSM_TEST_SIZE=SIZE, DSM_TEST_STEPS=STEPS, DSM_TEST_RADIUS=RADIUS,
        DSM_TEST_PLACE=",".join(map(str, PLACE)), DISPLAY=bench.screen())
    viewer.wait_for_file(contact)
    simulation = simulate(bench, simulating, "live", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    viewer.wait()
    simulation.wait()
    assert all(found["applied"] == ["applied", 1] for found in bench.reports())

    # Nobody had steered yet: the same picture as of the file on disk, and the same file.
    before = picture(bench, "steered.0")
    assert (before == picture(bench, "disk.0")).all()
    assert equal(folder / "steered.00000.vtkhdf", folder / "disk/gray_scott.00000.vtkhdf")

    # Pixel (10 x + 5, 10 y + 5) is point (x, y): u fell to 0.25 in a disc there, and hardly anywhere
    # else: in one step what was planted at the start moves its edges a little.
    dropped = picture(bench, "steered.1")
    y, x = numpy.mgrid[0:10 * SIZE, 0:10 * SIZE] / 10 - 0.45
    distance = numpy.hypot(x - PLACE[0], y - PLACE[1])
    assert (before[distance < RADIUS] > 200).all(), "something is there already: choose another place"
    assert (abs(dropped[distance < RADIUS - 1] - 0.25 * 255) < 2).all()
    darkened = (dropped < 128) & (before >= 128)
    assert darkened[distance < RADIUS + 1].sum() > 0.97 * darkened.sum()

    # No feed any more: what is eaten of u does not come back, as it does in the run nobody steered. Seen
    # where the reagent does not reach.
    late, unsteered = picture(bench, f"steered.{STEPS}"), picture(bench, f"disk.{STEPS}")
    away = distance > 10
    assert late[away].mean() < unsteered[away].mean() - 5
    assert not equal(folder / f"steered.{STEPS:05d}.vtkhdf", folder / f"disk/gray_scott.{STEPS:05d}.vtkhdf")

    # The log makes the same run again: to disk, on other ranks, without a viewer.
    log = folder / "steer.dsm.steering.log"
    again = subprocess.run(
        [BIN / "dsm-run", "--without-server", "disk", "--replay", log, *MPIEXEC, "-n", str(simulating + 1),
         BIN / "gray_scott", "--size", str(SIZE), "--steps", str(STEPS), "--every", str(STEPS),
         "--output", folder / "again"],
        capture_output=True, text=True, timeout=60, env={**os.environ, "DSM_CONTACT": ""}, check=False)
    assert again.returncode == 0, again.stdout + again.stderr
    assert sorted(file.name for file in (folder / "again").iterdir()) == [
        f"gray_scott.{step:05d}.vtkhdf" for step in (0, 1, STEPS)]
    for step in (0, 1, STEPS):
        assert equal(folder / f"steered.{step:05d}.vtkhdf", folder / f"again/gray_scott.{step:05d}.vtkhdf"), step


def steered_example(bench, which, ranks, program, **environment):
    """A script of two ranks that steers one of the examples, and takes pictures before and after."""
    contact = bench.folder / "steer.dsm"
    viewer = bench.pvbatch("steered_examples.py", 2, DSM_TEST_EXAMPLE=which, DISPLAY=bench.screen())
    viewer.wait_for_file(contact)
    simulation = bench.simulation(
        contact, ranks, None, program=[*program, "--output", bench.folder / "live"], DSM_START_PAUSED=1,
        **environment)
    viewer.wait()
    simulation.wait()


def test_water(bench):
    """In Fortran on one rank: a drop has the place, the height and the width that it should."""
    if not (BIN / "shallow_water").exists():
        pytest.skip("there is no Fortran compiler")
    steered_example(bench, "water", 1, [BIN / "shallow_water", "--size", 48, 32])
    before, after = (heights(picture(bench, name)) for name in ("water.0", "water.1"))
    assert before.shape == (30, 46)
    # As it was at the start, and a step later with the new drop; the first one has begun to sink by then.
    assert abs(before - 1 - drop(14.4, 12.8, 0.4)).max() < 0.03
    assert abs(after - before - drop(36, 22, 0.7))[:, 24:].max() < 0.03
    assert abs(after - before)[:, :24].max() < 0.05
    # The last step went to disk as well, though it was the last.
    (file,) = [found for found in bench.folder.rglob("shallow_water.00002*") if found.is_file() and on_disk(found)]
    assert file.read_bytes()[:4] == b"\x89HDF", file


def heights(colours):
    """Of cell (x, y), which is pixel (10 x + 5, 10 y + 5) from below; 0.5 to 2 are 0 to 255. The edge lies half
    outside of the picture, and is left out."""
    across = (colours[4::10] + colours[5::10]) / 2
    return ((across[:, 4::10] + across[:, 5::10]) / 2 / 170 + 0.5)[1:-1, 1:-1]


def drop(x, y, height):
    rows, columns = numpy.mgrid[1:31, 1:47]
    return height * numpy.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (0.03 * 48) ** 2)


def test_particles(bench):
    """In Python on two ranks: wind carries all of them as far as drag lets it."""
    if FLAVOUR != "openmpi" or not os.environ["DSM_TEST_MPI4PY"]:
        pytest.skip("Debian's mpi4py and parallel h5py are for Open MPI")
    source = pathlib.Path(__file__).parents[3] / "Examples/particles/particles.py"
    steered_example(bench, "particles", 2, [sys.executable, source, "--count", 4000])
    # 100 pixels are 1; all lies within a circle of radius 0.78 around the middle, and then around the new one.
    place, speed = 0.0, 0.0
    for _ in range(100):
        speed -= 0.01 * 2 * (speed - 1.5)
        place += 0.01 * speed
    still = pixels(bench, "particles.0")
    for name, where in (("particles.0", 0.0), ("particles.100", place)):
        found = pixels(bench, name)
        y, x = (found != [255, 0, 0]).any(axis=2).nonzero()
        assert len(x) > 4000, "there is hardly anything"
        assert [x.mean() / 100 - 2.5, y.mean() / 100 - 1.5] == pytest.approx([where, 0], abs=0.08)
    assert (found != still).any()

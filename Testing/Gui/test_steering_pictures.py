# SPDX-License-Identifier: BSD-3-Clause
"""The examples in C++, Fortran and Python on two, five and one ranks, steered from the window: the view shows the
effect."""

import os
import pathlib

import numpy

from steering_page import (
    applied,
    command,
    difference,
    drag,
    enter,
    has_ended,
    in_view,
    listen,
    look_from_above,
    stop,
    view,
    wait_for_pause,
    write,
)
from window import BIN, MPIEXEC, STEERING


def check_changed(window, before, after, place, radius):
    """That the picture has changed around a point, and hardly anywhere else."""
    difference = abs(pixels(after) - pixels(before)).max(axis=2)
    rows, columns = numpy.nonzero(difference > 25)
    assert len(rows) > 50, f"{len(rows)} pixels have changed"
    width, height = before.size
    (x, y), (edge, _) = in_view(window, [list(place), [place[0] + radius, *place[1:]]])
    reach = (edge - x) * width
    away = numpy.hypot(columns - x * width, rows - y * height)
    middle = numpy.hypot(columns.mean() - x * width, rows.mean() - y * height)
    what = (f"{len(rows)} pixels, with their centre {middle:.1f} from the point, and as far from it as "
            f"{away.max():.1f}, not {reach:.1f}")
    assert middle < 0.2 * reach and (away < 1.2 * reach).mean() > 0.98, what
    assert len(rows) > 0.3 * numpy.pi * reach**2, what


def centre(picture):
    """Of the pixels that are not background."""
    colours = pixels(picture)
    rows, columns = numpy.nonzero(abs(colours - colours[1, 1]).max(axis=2) > 12)
    assert len(rows) > 1000, "there is hardly anything"
    return columns.mean(), rows.mean()


def pixels(picture):
    return numpy.asarray(picture, dtype=int)


def begin_example(window, programs, ranks, program, **environment):
    """Starts the server, and an example that is paused at its first step."""
    contact = programs.folder / "run.dsm"
    listen(window, contact)
    simulation = programs.start(
        [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", ranks, *program, "--steps", 100000,
         "--output", programs.folder / "live"],
        "simulation", DSM_CONTACT=contact, DSM_START_PAUSED=1, **environment)
    wait_for_pause(window, 0)
    return simulation


def test_shallow_water(window, programs):
    """In Fortran on five ranks: a drop falls where the handle was moved to."""
    simulation = begin_example(window, programs, 5, [BIN / "shallow_water", "--size", 60, 40])
    window.enter("rain", False)
    window.enter("output interval", 0)
    applied(window)
    write(window)
    look_from_above(window, "height", (0.5, 2))
    before = view(window, "view-water-before")
    enter(window, {"drop position": (30, 20, 0), "drop height": 0.8})
    window.click(STEERING + "show drop position")
    drag(window, [30, 20, 0], [45, 30, 0])
    window.until(lambda: window.get(STEERING + "parameter drop position/x") != "30", "the handle's new place")
    window.screenshot("steering-water-handle")
    applied(window)
    command(window, "drop")
    window.click(STEERING + "show drop position")
    write(window)
    window.screenshot("steering-water")
    # 0.8 exp(-(d / 1.8)^2) is visible within a radius of about 3.
    check_changed(window, before, view(window, "view-water-after"), (45, 30, 0), 3)
    # Written to disk, while it is paused: the example has an output action. The page shows the path.
    command(window, "write to disk")
    window.until(lambda: "written to" in window.steering("outcome"), "the file")
    window.screenshot("steering-water-to-disk")
    file = pathlib.Path(window.steering("outcome").split("written to ")[1].splitlines()[0])
    assert file.read_bytes()[:4] == b"\x89HDF", file
    assert window.steering("outcome").count(str(file)) == 1, window.steering("outcome")
    assert window.panel("errorText") == ""
    stop(window)
    simulation.wait()
    has_ended(window)


def test_particles(window, programs):
    """In Python on one rank: the wind moves all particles, as far as the drag lets it."""
    example = pathlib.Path(__file__).parents[2] / "Examples/particles/particles.py"
    simulation = begin_example(window, programs, 1, [os.environ["DSM_TEST_PYTHON"], example, "--count", 4000])
    enter(window, {"output interval": 0, "mass": 0, "drag": 2, "wind": (1.5, 0, 0)})
    applied(window)
    write(window, 100)
    look_from_above(window, "speed", (0, 4))
    window.python("view.CameraParallelScale *= 2\nRender()")
    window.screenshot("steering-particles")
    before = view(window, "view-particles-before")
    write(window)
    window.screenshot("steering-particles-blown")
    after = view(window, "view-particles-after")
    # As Particles.advance computes it, for a particle at rest in the middle.
    place, speed = 0.0, 0.0
    for _ in range(100):
        speed -= 0.01 * 2 * (speed - 1.5)
        place += 0.01 * speed
    for picture, where in ((before, 0), (after, place)):
        ((x, y), (edge, _)) = in_view(window, [[where, 0, 0], [where + 0.08, 0, 0]])
        found = centre(picture)
        off = numpy.hypot(found[0] - x * picture.width, found[1] - y * picture.height)
        assert off < (edge - x) * picture.width, (
            f"at {found} of {picture.size}, not around {where}: {off:.0f} pixels off"
        )
    assert window.panel("errorText") == ""
    stop(window)
    simulation.wait()


def test_gray_scott(connected, programs):
    window = connected
    contact = programs.folder / "run.dsm"
    listen(window, contact)
    simulation = programs.simulation(contact, 2, 1000000, 20, 32, "live")
    window.until(lambda: window.panel("shown") > 2, "pictures")
    window.screenshot("steering-gray-scott")

    # Paused, so that each change is shown by itself.
    command(window, "pause")
    window.until(lambda: window.steering("paused"), "the pause")
    window.enter("output interval", 0)
    window.enter("boundary", "mirror")
    window.enter("feed", 0.035)
    applied(window)
    write(window)
    look_from_above(window, "u", (0, 1))
    before = view(window, "view-before-drop")

    # The handle is moved in the view, and reagent dropped there: at the front face, where it is visible.
    for axis, value in zip("xyz", (16, 16, 28), strict=True):
        window.enter(f"drop position/{axis}", value)
    window.enter("drop radius", 5)
    window.click(STEERING + "show drop position")
    drag(window, [16, 16, 28], [24, 10, 28])
    window.until(lambda: window.get(STEERING + "parameter drop position/x") != "16", "the handle's new place")
    window.screenshot("steering-handle")
    applied(window)
    command(window, "drop reagent")
    window.click(STEERING + "show drop position")
    write(window)
    window.screenshot("steering-dropped")
    after = view(window, "view-after-drop")
    assert difference(before, after) > 0.5
    # Radius 5 around the place where the handle was let go.
    check_changed(window, before, after, (24, 10, 28), 5)

    # In the log: all at one step.
    log = [
        line.split("\t")
        for line in (programs.folder / "run.dsm.steering.log").read_text().splitlines()
        if not line.startswith("#")
    ]
    changes = {line[7]: line for line in log}
    assert changes['"feed"'][9] == "0.035" and changes['"boundary"'][9] == '"mirror"' and '"drop reagent"' in changes
    assert changes['"feed"'][:5] == changes['"boundary"'][:5] == changes['"output interval"'][:5]

    # A dataset that is switched off.
    command(window, "resume")
    window.enter("|VTKHDF|PointData|v", False)
    window.enter("output interval", 50)
    applied(window)
    shown = window.panel("shown")
    window.until(lambda: window.panel("shown") > shown + 2, "pictures again")
    window.until(lambda: window.get(STEERING + "curve reacting volume", "samples") > 10, "the curve")
    arrays = window.evaluate("sorted(list(GetSources().values())[0].PointData.keys())")[0]
    assert arrays == ["u"], arrays
    assert window.panel("errorText") == ""
    window.screenshot("steering-client-server")
    stop(window)
    simulation.wait()
    has_ended(window)
    window.report_times()

# SPDX-License-Identifier: BSD-3-Clause
"""Vectors that are moved with the mouse in the view; numbers of all sizes; two simulations at once."""

import os
import pathlib

import pytest
from PIL import Image, ImageChops

from steering_page import applied, begin, drag, launched, stop
from window import PICTURES, STEERING


def show(window, *names):
    """Shows 3-D widgets in the view, or hides them."""
    for name in names:
        window.click(STEERING + f"show {name}")


def vector(window, name):
    return [float(window.get(STEERING + f"parameter {name}/{axis}")) for axis in "xyz"]


def check_applied(window, program, values):
    """Applies, and waits until the simulation has these values."""
    applied(window)
    for name, value in values.items():
        program.wait_to_say(f"'{name}': ({', '.join(map(str, value))})")


def moved(window, name, before):
    """A vector after it was moved with the mouse."""
    window.until(lambda: vector(window, name) != before, f"{name} to move from {before}")
    return vector(window, name)


def check_plane(window, program):
    show(window, "cut origin")
    window.screenshot("steering-plane")
    origin, normal = [0.5, 0.5, 0.5], [1, 0, 0]
    # VTK moves a widget as far as the mouse moves in the plane of the screen. Dragged at its origin the plane moves
    # within itself,
    drag(window, origin, [0.5, 0.5, 0.7])
    origin = moved(window, "cut origin", origin)
    assert (
        origin == pytest.approx([0.5, 0.5, 0.7], abs=0.1)
        and origin[0] == 0.5
        and vector(window, "cut normal") == normal
    )
    # at its face along its normal,
    drag(window, [0.5, 0.2, 0.2], [0.7, 0.2, 0.2])
    before = origin
    origin = moved(window, "cut origin", before)
    assert 0.6 < origin[0] < 0.8 and origin[1:] == before[1:] and vector(window, "cut normal") == normal
    # and at the arrow's tip it turns.
    tip = [origin[0] + 0.3 * 3**0.5, *origin[1:]]
    drag(window, tip, [tip[0], tip[1], tip[2] + 0.2])
    normal = moved(window, "cut normal", normal)
    assert normal[2] > 0.1 and sum(number**2 for number in normal) == pytest.approx(1, abs=1e-3)
    window.screenshot("steering-plane-moved")
    check_applied(window, program, {"cut origin": vector(window, "cut origin"), "cut normal": normal})
    show(window, "cut origin")


def check_box(window, program):
    show(window, "low")
    window.screenshot("steering-box")
    # A face at its handle,
    low, high = [0.25] * 3, [0.75] * 3
    drag(window, [0.75, 0.5, 0.5], [0.95, 0.5, 0.5])
    high = moved(window, "high", high)
    assert 0.85 < high[0] < 1 and high[1:] == [0.75, 0.75] and vector(window, "low") == low
    # and all of it at the handle in the middle.
    size = [high[axis] - low[axis] for axis in range(3)]
    middle = [(high[axis] + low[axis]) / 2 for axis in range(3)]
    drag(window, middle, [*middle[:2], middle[2] - 0.2])
    low = moved(window, "low", low)
    high = vector(window, "high")
    assert low == pytest.approx([0.25, 0.25, 0.05], abs=0.1)
    assert [high[axis] - low[axis] for axis in range(3)] == pytest.approx(size, abs=1e-3)
    window.screenshot("steering-box-moved")
    check_applied(window, program, {"low": low, "high": high})
    show(window, "low")


def check_in_front(window):
    """Inside opaque data, too, a box can be seen and moved."""
    def shot(name):
        window.screenshot(name)
        with Image.open(PICTURES / f"{name}.png") as picture:
            return picture.convert("RGB").crop((360, 200, window.panel("x") - 20, 560))

    display = "GetDisplayProperties(list(GetSources().values())[0])"
    window.python(f"from paraview.simple import *\n{display}.Representation = 'Surface'\nRender()")
    before = shot("steering-opaque")
    show(window, "low")
    after = shot("steering-opaque-box")
    colours = ImageChops.difference(before, after).convert("L").getcolors(256)
    changed = sum(count for count, value in colours if value > 20)
    assert changed > 300, f"{changed} pixels of the box are in sight"
    window.python(f"{display}.Representation = 'Outline'\nRender()")
    show(window, "low")


def test_places(window, programs):
    """Arrow, plane and box in the view; numbers of all sizes; a command in a group."""
    shapes = pathlib.Path(__file__).parent / "steered_shapes.py"
    program, contact = begin(window, programs, [os.environ["DSM_TEST_PYTHON"], shapes])
    window.python("from paraview.simple import *\nCreateRenderView() if not GetActiveView() else None\n"
                  "Show(Box(Center=[0.5, 0.5, 0.5])).Representation = 'Outline'\n"
                  "GetActiveView().ResetActiveCameraToPositiveY()\nResetCamera()\nRender()")
    window.show_page("Steering")
    assert window.get(STEERING + "parameter seed", "text", child="QAbstractSpinBox") == str(2**60)
    window.enter("seed", 2**60 + 1)
    window.enter("tolerance", "2.5e-9")
    applied(window)
    line = program.wait_for_line("step")
    while "2.5e-09" not in line:
        line = program.wait_for_line("step")
    assert f"'seed': {2**60 + 1}" in line
    window.click(STEERING + "command rewind/button")
    window.until(lambda: window.steering("outcome").startswith('Ran "rewind" at step'), "the command")
    show(window, "wind", "cut origin", "low")
    window.screenshot("steering-places")
    # One at a time: they overlap in the middle.
    show(window, "cut origin", "low")
    # The arrow points down from the middle, and is as long as 0.3 of the box's diagonal; its tip is dragged sideways.
    length = 0.3 * 3**0.5
    drag(window, [0.5, 0.5, 0.5 - length], [0.5 + length, 0.5, 0.5])
    window.until(lambda: window.get(STEERING + "steeringApply", "enabled"), "a change by the mouse")
    window.screenshot("steering-dragged")
    wind = vector(window, "wind")
    assert wind[0] == pytest.approx(9.81, rel=0.1) and abs(wind[2]) < 1
    check_applied(window, program, {"wind": wind})
    show(window, "wind")

    # From the side, so that the plane x = 0.5 and the box's face behind it are visible.
    window.python("from paraview.simple import *\nview = GetActiveView()\nview.CameraPosition = [2.5, -3, 1.5]\n"
                  "view.CameraFocalPoint = [0.5, 0.5, 0.5]\nview.CameraViewUp = [0, 0, 1]\nRender()")
    check_plane(window, program)
    check_box(window, program)
    check_in_front(window)
    show(window, "wind", "cut origin", "low")
    window.ask(do="scrollTo", object=STEERING + "curve residual")
    window.until(lambda: window.get(STEERING + "curve residual", "samples") > 20, "the curve")
    window.screenshot("steering-curve")
    # Visible only with their page.

    def shown():
        hidden = "GetActiveView().SMProxy.GetProperty('HiddenRepresentations')"
        return window.evaluate(f"{hidden}.GetNumberOfProxies()")[0]

    before = shown()
    window.show_page("Snapshots")
    assert shown() == before - 3
    window.show_page("Steering")
    assert shown() == before

    # A second simulation: the first one stays selected, and the user can select the other.
    second = programs.start(launched("C", 1), "second", DSM_CONTACT=contact)
    window.until(lambda: window.get(STEERING + "simulation", "count") == 2, "the second simulation")
    assert window.get(STEERING + "simulation", "currentText") == "steered_shapes.py"
    window.ask(do="play", object=STEERING + "simulation", command="set_string", arguments="dsmSteeredProgram")
    window.enter("feed", 0.08)
    applied(window)
    second.wait_to_say("feed 0.08")
    window.ask(do="play", object=STEERING + "simulation", command="set_string", arguments="steered_shapes.py")
    window.enter("tolerance", 0.5)
    applied(window)
    program.wait_to_say("'tolerance': 0.5")
    window.screenshot("steering-two")
    stop(window)
    program.wait()
    window.until(
        lambda: window.get(STEERING + "simulation", "currentText") == "dsmSteeredProgram", "the other simulation"
    )
    second.stop()

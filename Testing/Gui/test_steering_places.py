# SPDX-License-Identifier: BSD-3-Clause
"""Places in the view, moved with the mouse; numbers of all sizes; two simulations beside each other."""

import os
import pathlib

import pytest
from steering_page import applied, begin, drag, launched, stop
from window import STEERING, tab


def test_places(workshop):
    """Arrow, plane and box in the view; numbers of all sizes; a command in a group."""
    shapes = pathlib.Path(__file__).parent / "steered_shapes.py"
    window, program, contact = begin(workshop, [os.environ["DSM_TEST_PYTHON"], shapes])
    window.python("from paraview.simple import *\nCreateRenderView() if not GetActiveView() else None\n"
                  "Show(Box(Center=[0.5, 0.5, 0.5])).Representation = 'Outline'\nGetActiveView().ResetActiveCameraToPositiveY()\nResetCamera()\nRender()")
    tab(window, "Steering")
    assert window.get(STEERING + "parameter seed", "text", child="QAbstractSpinBox") == str(2**60)
    window.enter("seed", 2**60 + 1)
    window.enter("tolerance", "2.5e-9")
    applied(window)
    line = program.wait_for_line("step")
    while "2.5e-09" not in line:
        line = program.wait_for_line("step")
    assert f"'seed': {2**60 + 1}" in line
    window.click(STEERING + "command rewind/button")
    window.until(lambda: window.steering("outcome").startswith('"rewind" at step'), "the command")
    for name in ("wind", "cut origin", "low"):
        window.click(STEERING + f"show {name}")
    window.picture("steering-places")
    # The arrow's tip points down from the middle, 0.3 of the box's diagonal long; it is drawn sideways.
    length = 0.3 * 3**0.5
    drag(window, [0.5, 0.5, 0.5 - length], [0.5 + length, 0.5, 0.5])
    window.until(lambda: window.get(STEERING + "steeringApply", "enabled"), "a change by the mouse")
    window.picture("steering-dragged")
    changed = [float(window.get(STEERING + f"parameter wind/{axis}")) for axis in "xyz"]
    assert changed[0] == pytest.approx(9.81, rel=0.1) and abs(changed[2]) < 1
    applied(window)
    line = program.wait_for_line("step")
    assert str(changed[0]) in line
    window.ask(do="scrollTo", object=STEERING + "curve residual")
    window.until(lambda: window.get(STEERING + "curve residual", "samples") > 20, "the curve")
    window.picture("steering-curve")
    # Gone with their page, and there again with it.
    shown = lambda: window.information("GetActiveView().SMProxy.GetProperty('HiddenRepresentations').GetNumberOfProxies()")[0]
    before = shown()
    tab(window, "Snapshots")
    assert shown() == before - 3
    tab(window, "Steering")
    assert shown() == before

    # A second simulation: who is looking at one stays there, and may go to the other.
    second = workshop.start(launched("C", 1), "second", DSM_CONTACT=contact)
    window.until(lambda: window.get(STEERING + "simulation", "count") == 2, "the second one")
    assert window.get(STEERING + "simulation", "currentText") == "steered_shapes.py"
    window.ask(do="play", object=STEERING + "simulation", command="set_string", arguments="dsmSteeredProgram")
    window.enter("feed", 0.08)
    applied(window)
    second.wait_to_say("feed 0.08")
    window.ask(do="play", object=STEERING + "simulation", command="set_string", arguments="steered_shapes.py")
    window.enter("tolerance", 0.5)
    applied(window)
    program.wait_to_say("'tolerance': 0.5")
    window.picture("steering-two")
    window.click(STEERING + "command stop/button")
    window.click(STEERING + "stopQuestion/yes")
    program.wait()
    window.until(lambda: window.get(STEERING + "simulation", "currentText") == "dsmSteeredProgram", "the one that is left")
    second.stop()
    window.close()

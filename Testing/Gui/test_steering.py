# SPDX-License-Identifier: BSD-3-Clause
"""The page Steering with programs that have every kind of parameter: what it shows, sends, and says of refusals."""

import json
import os
import pathlib
import subprocess

import pytest
from window import BIN, DSM, MPIEXEC, STEERING, tab

FIRST = "flag 0 count 3 feed 0.029999999999999999 mode 0 label first where 0 0 0 again 0 pressure 1 same 1"


def steer(contact, *options):
    """Another viewer."""
    done = subprocess.run([str(BIN / "dsm-steer"), "--contact", str(contact), *options], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def begin(workshop, command, **environment):
    """A window whose server a program has connected to, at the page Steering."""
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    contact = workshop.folder / "run.dsm"
    window.setting("ContactFile", contact)
    window.setting("MemoryPerHost", 64)
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening")
    tab(window, "Steering")
    window.picture("steering-empty")
    program = workshop.start(command, "steered", DSM_CONTACT=contact, **environment)
    window.until(lambda: window.try_("size", STEERING + "steeringForm"), "the form")
    return window, program, contact


def applied(window, what="Applied"):
    window.click(STEERING + "steeringApply")
    window.until(lambda: window.steering("outcome").startswith(what), f"'{what}…', not '{window.steering('outcome')}'")


def test_every_type_command_and_refusal(workshop):
    window, program, contact = begin(workshop, [*MPIEXEC, "-n", 2, os.environ["DSM_TEST_STEERED"]], DSM_START_PAUSED=1)
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.until(lambda: window.steering("paused") and window.steering("step") == 0, "paused at its first step")
    window.until(lambda: window.state() == "Paused", "that it is paused above the pages, too")
    assert "how fast u is fed\nfrom 0 to 0.1 1/s" in window.get(STEERING + "parameter feed", "toolTip")
    assert window.get(STEERING + "parameter feed", "toolTip").endswith("at the start: 0.03")
    assert not window.get(STEERING + "steeringApply", "enabled")
    window.picture("steering")

    # Reset forgets; Apply sends all of it as one change.
    window.enter("count", 9)
    window.until(lambda: window.get(STEERING + "steeringApply", "enabled"), "Apply")
    window.click(STEERING + "steeringReset")
    assert window.get(STEERING + "parameter count", "text", child="QAbstractSpinBox") == "3"
    assert not window.get(STEERING + "steeringApply", "enabled")
    window.enter("flag", True)
    window.enter("count", 7)
    window.enter("feed", 0.05)
    window.enter("mode", "fixed")
    window.enter("label", "second one")
    for axis, value in zip("xyz", (1, 2.5, -3)):
        window.enter(f"where/{axis}", value)
    window.picture("steering-changed")
    applied(window, "Applied at step 0")
    assert not window.get(STEERING + "steeringApply", "enabled")
    # Nothing moves before the simulation goes on.
    window.ask(do="set", object=STEERING + "command advance/count", property="value", value=3)
    window.click(STEERING + "command seed again/button")
    window.until(lambda: window.steering("outcome").startswith('"seed again" at step 0'), "the command")
    window.click(STEERING + "command advance/button")
    want = "flag 1 count 7 feed 0.050000000000000003 mode 2 label second one where 1 2.5 -3 again 1 pressure 1 same 1"
    assert program.wait_for_line("step") == f"step 0 {want}"
    window.until(lambda: window.steering("paused") and window.steering("step") == 3, "three steps more")

    # Refusals stand beside the field, and nothing of the rest is taken.
    for name, value, reason, right in [
        ("feed", 0.2, "must be at most 0.1 1/s, not 0.2", 0.06), ("feed", -1, "must be at least 0", 0.06),
        ("count", 101, "must be at most 100, not 101", 8), ("label", "x" * 40, "has room for 15 bytes of text", "third"),
        ("where/x", "-", "expects three numbers", 1),
    ]:
        field = name.split("/")[0]
        window.enter("flag", False)
        window.enter(name, value)
        applied(window, "Refused")
        assert field in window.steering("outcome") and reason in window.get(STEERING + f"note {field}")
        if name == "feed":
            window.picture("steering-refused")
        assert window.get(STEERING + "steeringApply", "enabled")
        window.enter(name, right)
        assert window.get(STEERING + f"note {field}") == ""
        window.click(STEERING + "steeringReset")

    # Somebody else's change shows; what a person is about to change stays, with a note.
    window.enter("count", 50)
    other = steer(contact, "--set", "feed=0.07", "--set", "count=20", "--set", "mode=mirror")
    assert other["state"] == "applied"
    window.until(lambda: window.get(STEERING + "parameter feed", "value", child="pqDoubleRangeWidget") == 0.07, "the other's value")
    assert window.get(STEERING + "parameter mode", "currentText", child="QComboBox") == "mirror"
    assert window.get(STEERING + "parameter count", "text", child="QAbstractSpinBox") == "50"
    assert "has become 20 in the simulation" in window.get(STEERING + "note count")
    assert f"changed count, feed, mode at step {other['step']}" in window.steering("outcome")
    window.picture("steering-others")
    applied(window)
    # A dataset that was declared late.
    window.enter("|fields|pressure", False)
    applied(window)
    window.click(STEERING + "command write snapshot/button")
    window.until(lambda: window.steering("outcome").startswith('"write snapshot" at step 3'), "the command")
    window.click(STEERING + "command resume/button")
    assert program.wait_for_line("write") == "write at step 3"
    assert program.wait_for_line("step 3") == (
        "step 3 flag 1 count 50 feed 0.070000000000000007 mode 1 label second one where 1 2.5 -3 again 1 pressure 0 same 1")
    window.until(lambda: window.steering("step") > 200, "more steps")
    window.click(STEERING + "command pause/button")
    window.until(lambda: window.steering("paused"), "the pause")
    window.until(lambda: window.get(STEERING + "curve energy", "samples") > 5, "the observable's curve")
    assert window.get(STEERING + "curve energy", "last") > 1
    window.ask(do="scrollTo", object=STEERING + "curve energy")
    window.picture("steering-running")
    window.dark()
    window.picture("steering-dark")
    # Stop asks first.
    window.click(STEERING + "command stop/button")
    window.until(lambda: window.try_("size", STEERING + "stopQuestion"), "the question")
    window.click(STEERING + "stopQuestion/yes")
    assert program.wait_for_line("ended at step")
    assert "same 0" not in program.wait()
    window.until(lambda: "has ended" in window.get(STEERING + "steeringState"), "the end")
    assert not window.get(STEERING + "steeringForm", "enabled")
    trace = workshop.folder / "trace.py"
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")
    text = trace.read_text()
    assert "dsm.parameters['feed'] = 0.05\n" in text and "dsm.parameters['where'] = [1,2.5,-3]\n" in text
    assert "dsm.parameters['flag'] = True\n" in text and "dsm.command('advance', 3)" in text and "dsm.apply()" in text
    window.report()
    window.close()


def drag(window, start, end):
    """With the mouse in the active view, from one place of the world to another."""
    (points,) = window.information(
        "(lambda view, place: [list(place(view, p)) for p in " + json.dumps([start, end]) + "])(GetActiveView(), "
        "lambda view, p: (view.GetRenderer().SetWorldPoint(*p, 1), view.GetRenderer().WorldToDisplay(), "
        "[v / s for v, s in zip(view.GetRenderer().GetDisplayPoint(), view.ViewSize)])[2])")
    (x, y), (toX, toY) = [(point[0], 1 - point[1]) for point in points]
    play = lambda command, x, y, button: window.ask(do="play", object="activeView", command=command, arguments=f"({x},{y},1,{button},0)")
    play("mouseMove", x, y, 0)
    play("mousePress", x, y, 1)
    for part in (0.25, 0.5, 0.75, 1):
        play("mouseMove", x + part * (toX - x), y + part * (toY - y), 1)
    play("mouseRelease", toX, toY, 0)


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
    second = workshop.start([*MPIEXEC, "-n", 1, os.environ["DSM_TEST_STEERED"]], "second", DSM_CONTACT=contact)
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

# SPDX-License-Identifier: BSD-3-Clause
"""The page Steering with a program that has every kind of parameter: what it shows, sends, and reports of refusals."""

import json
import os
import subprocess

import h5py
import numpy
import pytest

import steering_cases as cases
from steering_page import (
    PROGRAMS,
    REFUSED,
    applied,
    begin,
    command,
    has_ended,
    launched,
    press,
    refuse,
    stop,
    tour,
    wait_for_pause,
)
from window import BIN, MPIEXEC, STEERING

# How many things are in the view that are in no list, such as handles.
HANDLES = "GetActiveView().SMProxy.GetProperty('HiddenRepresentations').GetNumberOfProxies()"


def steer(contact, *options):
    """Changes of another viewer."""
    done = subprocess.run([str(BIN / "dsm-steer"), "--contact", str(contact), *options], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def check_layout(window):
    """The curves are in sight below the form, which ends where they begin; components are told apart; what is written
    to memory and what to disk has another picture."""
    def place(name):
        (width, height), y = window.ask(do="size", object=STEERING + name), window.get(STEERING + name, "y")
        assert width > 0
        return y, y + height

    (top, bottom), (begin, end) = place("steeringCurves"), place("curve energy")
    assert bottom <= window.ask(do="size", object="pqDSMPanel/steering")[1]
    assert end - begin >= 60 and end <= bottom - top
    _, form_end = place("steeringScroll")
    assert 0 <= top - form_end < 12, f"{top - form_end} pixels between the form and the curves"
    assert [window.get(STEERING + f"parameter where/axis {axis}") for axis in "xyz"] == ["x", "y", "z"]


def check_another_run(window, programs, contact):
    """What was said of a run is gone when the next one comes, and so are its curves."""
    assert "Stopped at step" in window.steering("outcome")
    program = programs.start(launched("C", 2), "again", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    assert "Stopped" not in window.steering("outcome")
    window.until(lambda: window.get(STEERING + "steeringForm", "enabled"), "the form of the next run")
    assert window.exists(STEERING + "curve energy") is False or window.get(STEERING + "curve energy", "samples") < 3
    window.screenshot("steering-again")
    stop(window)
    program.wait()
    has_ended(window)


def check_cannot_be_steered(window, why):
    """Nothing can be changed, and a line says why."""
    window.until(lambda: why in window.get(STEERING + "steeringOutcome"), why)
    for widget in ("steeringForm", "steeringApply", "steeringReset", "command pause/button", "command advance/button"):
        assert not window.get(STEERING + widget, "enabled"), widget


def check_stop_needs_a_click(window):
    """Enter does not stop the simulation: the button that changes nothing is the default."""
    window.click(STEERING + "command stop/button")
    window.until(lambda: window.exists(STEERING + "stopQuestion"), "the question")
    window.screenshot("question-stop", STEERING + "stopQuestion")
    window.press_enter(STEERING + "stopQuestion")
    window.until(lambda: not window.exists(STEERING + "stopQuestion"), "the end of the question")
    step = window.steering("step")
    command(window, "advance", 2)
    window.until(lambda: window.steering("step") == step + 2, "more steps")


def test_the_page(window, programs):
    program, contact = begin(window, programs, launched("C", 2), DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    window.until(lambda: window.state() == "Paused", "the state above the pages")
    assert "how fast u is fed\nRange: 0 to 0.1 1/s" in window.get(STEERING + "parameter feed", "toolTip")
    assert window.get(STEERING + "parameter feed", "toolTip").endswith("Initial value: 0.03")
    assert not window.get(STEERING + "steeringApply", "enabled")
    window.screenshot("steering")

    # Reset.
    window.enter("count", 9)
    window.until(lambda: window.get(STEERING + "steeringApply", "enabled"), "Apply")
    window.click(STEERING + "steeringReset")
    assert window.get(STEERING + "parameter count", "text", child="QAbstractSpinBox") == "3"
    assert not window.get(STEERING + "steeringApply", "enabled")

    # A reason is shown below its field until that is edited again, one by one.
    for number, (changes, reasons) in enumerate(REFUSED):
        refuse(window, changes, reasons, f"steering-refused-{number}")
    window.enter("feed", 7)
    window.enter("count", 0)
    applied(window, "Not applied: count is out of range; feed is out of range")
    window.enter("feed", 0.06)
    assert window.get(STEERING + "note feed") == "" and "Minimum is 1" in window.get(STEERING + "note count")
    window.enter("count", 8)
    assert window.get(STEERING + "note count") == ""
    applied(window, "Applied at step 0,")

    # Another viewer's change is shown; a field that the user has edited keeps its value, with a note.
    window.enter("count", 50)
    other = steer(contact, "--set", "feed=0.07", "--set", "count=20", "--set", "mode=mirror")
    assert other["state"] == "applied"
    window.until(
        lambda: window.get(STEERING + "parameter feed", "value", child="pqDoubleRangeWidget") == 0.07,
        "the other viewer's value",
    )
    assert window.get(STEERING + "parameter mode", "currentText", child="QComboBox") == "mirror"
    assert window.get(STEERING + "parameter count", "text", child="QAbstractSpinBox") == "50"
    assert "The simulation has since changed it to 20" in window.get(STEERING + "note count")
    assert f"changed count, feed, mode at step {other['step']}" in window.steering("outcome")
    window.screenshot("steering-others")

    def before_apply(step):
        assert window.get(STEERING + "steeringApply", "enabled")
        window.screenshot(f"steering-changed-{step}")

    tour(window, before_apply)
    window.until(lambda: window.steering("step") > 200, "more steps")
    command(window, "pause")
    window.until(lambda: window.steering("paused"), "the pause")
    window.until(lambda: window.get(STEERING + "curve energy", "samples") > 5, "the observable's curve")
    assert window.get(STEERING + "curve energy", "last") > 1
    check_layout(window)
    check_stop_needs_a_click(window)
    for width, height in ((2560, 1440), (1280, 800)):
        window.ask(do="resize", object="", width=width, height=height)
        window.light()
        window.screenshot(f"steering-running-{width}")
        window.dark()
        window.screenshot(f"steering-dark-{width}")
    window.light()
    stop(window)
    cases.check_tour(program.wait())
    has_ended(window)
    check_cannot_be_steered(window, "The simulation has ended.")
    window.screenshot("steering-ended")
    check_another_run(window, programs, contact)
    window.report_times()


def test_a_killed_simulation(window, programs):
    """A simulation that was killed cannot be steered, nor be moved by a handle in the view, until the next connects."""
    program, contact = begin(window, programs, PROGRAMS["C"], DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    before = window.evaluate(HANDLES)
    window.set_checked(STEERING + "show where", True)
    assert window.evaluate(HANDLES) == [before[0] + 1]
    window.enter("count", 9)
    program.stop(kill=True)
    check_cannot_be_steered(window, "The simulation exited unexpectedly")
    window.screenshot("steering-killed")
    assert window.evaluate(HANDLES) == before
    program = programs.start(PROGRAMS["C"], "next", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    window.until(lambda: window.get(STEERING + "steeringForm", "enabled"), "the form of the next one")
    assert "unexpectedly" not in window.get(STEERING + "steeringOutcome")
    stop(window)
    program.wait()
    has_ended(window)


def from_presets(window, action):
    """Chooses from the menu of the button Presets. Returns whether it is there."""
    return window.ask(do="trigger", action=action, menu="presetMenu")


def test_presets_and_a_pause_at_a_step(window, programs):
    """Values are saved under a name, entered again in the next run, and deleted; Pause at."""
    program, contact = begin(window, programs, launched("C", 2), DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    window.enter("feed", 0.08)
    window.enter("mode", "mirror")
    assert from_presets(window, "Save Values…")
    window.until(lambda: window.exists(STEERING + "presetName"), "the question for a name")
    window.set_text(STEERING + "presetName", "fast and mirrored")  # and Enter
    assert not window.exists(STEERING + "presetName")
    window.click(STEERING + "steeringReset")
    assert window.get(STEERING + "parameter feed", "value", child="pqDoubleRangeWidget") == 0.03
    press(window, "pause at", 40)
    window.until(lambda: window.steering("outcome") == "Will pause at step 40", "the outcome")
    command(window, "resume")
    wait_for_pause(window, 40)
    stop(window)
    program.wait()
    has_ended(window)

    program = programs.start(launched("C", 2), "next", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    window.until(lambda: window.get(STEERING + "steeringForm", "enabled"), "the form of the next one")
    wait_for_pause(window, 0)
    assert from_presets(window, "fast and mirrored")
    window.until(lambda: window.get(STEERING + "parameter feed", "value", child="pqDoubleRangeWidget") == 0.08, "feed")
    window.screenshot("steering-preset")
    applied(window, "Applied at step 0")
    assert window.get(STEERING + "parameter mode", "currentText", child="QComboBox") == "mirror"
    assert from_presets(window, "delete fast and mirrored")
    window.wait_for_polls()
    assert not from_presets(window, "fast and mirrored")
    stop(window)
    program.wait()
    has_ended(window)


SEND = """
import sys, dsm, numpy
with dsm.Viewer(sys.argv[1]) as viewer:
    outcome = viewer.send("rise", numpy.full((31, 40), 0.25))
assert outcome["state"] == "applied", outcome
"""


def test_an_array(window, programs):
    """The field of an array shows its shape, and which one was sent."""
    example = [*MPIEXEC, "-n", 2, BIN / "shallow_water", "--size", 40, 31, "--steps", 1000000, "--output",
               programs.folder / "out"]
    begin(window, programs, example, DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    label = STEERING + "parameter rise"
    assert window.get(label, "text", "QLabel") == "float64 [31, 40], not sent yet"
    window.screenshot("steering-array")
    programs.start([os.environ["DSM_TEST_PYTHON"], "-c", SEND, programs.folder / "run.dsm"], "sender",
                   PYTHONPATH=BIN.parent / "lib" / "paraview-dsm").wait()
    window.until(lambda: "sent (" in window.get(label, "text", "QLabel"), "the array")
    assert not window.get(STEERING + "steeringApply", "enabled")
    window.screenshot("steering-array-sent")
    stop(window)
    has_ended(window)


DIALOG = STEERING + "sendDialog/"
# A drop, drawn on the grid of the simulation, and the same on a finer plane.
DRAWN = """
from paraview.simple import *
DROP = "0.3*exp(-((coordsX-20)^2 + (coordsY-15)^2)/9)"
water = next(source for (name, _), source in GetSources().items() if source.SMProxy.GetXMLName() == "DSMReader")
plane = Plane(registrationName="Plane", Origin=[10, 5, 0], Point1=[30, 5, 0], Point2=[10, 25, 0], XResolution=200,
              YResolution=200)
Calculator(registrationName="fine drop", Input=plane, Function=DROP, ResultArrayName="drawn").UpdatePipeline()
drop = Calculator(registrationName="drop", Input=water, Function=DROP, ResultArrayName="rise")
drop.UpdatePipeline()
SetActiveSource(drop)
"""


def shown_in_dialog(window):
    """How the values were taken, their range and that of the difference, and what is wrong."""
    window.until(lambda: window.get(DIALOG, "shown"), "the values")
    return [window.get(DIALOG + name) for name in ("how", "values/range", "difference/range", "message")]


def sent_array(folder):
    """The elements of the newest array that the server has saved beside its log."""
    newest = max(folder.glob("dsm-array-*.h5"), key=lambda file: file.stat().st_mtime_ns)
    with h5py.File(newest) as file:
        return file["rise"][...]


def test_sending_from_the_pipeline(window, programs):
    """The dialog of an array: any source, as it is or resampled; what it shows, sends and refuses; its trace."""
    example = [BIN / "dsm-run", "--contact", programs.folder / "run.dsm", *MPIEXEC, "-n", 2, BIN / "shallow_water",
               "--size", 40, 31, "--steps", 1000000, "--output", programs.folder / "live"]
    _, contact = begin(window, programs, example, DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    command(window, "write snapshot")
    command(window, "advance", 1)
    window.until(window.rows, "the snapshot")
    window.until(lambda: window.panel("shown") > 0, "the reader")
    window.show_page("Steering")
    window.python(DRAWN)
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    label = STEERING + "parameter rise"

    # The source has the simulation's grid: its values are sent as they are.
    window.click(label + "/send")
    window.until(lambda: window.exists(DIALOG + "send"), "the dialog")
    how, values, difference, message = shown_in_dialog(window)
    assert [window.get(DIALOG + name, "currentText") for name in ("source", "array")] == ["drop", "rise (points)"]
    assert how == "The values are those of the source's points." and message == "" and difference == ""
    assert "to 0.3, mean" in values and window.get(DIALOG + "difference/picture") == "nothing was sent yet"
    window.screenshot("steering-send", DIALOG)
    window.click(DIALOG + "send")
    window.until(lambda: "Applied at step" in window.steering("outcome"), "the outcome")
    assert "sent (" in window.get(label, "text", "QLabel") and not window.exists(DIALOG + "send")
    y, x = numpy.mgrid[0:31, 0:40]
    drop = 0.3 * numpy.exp(-((x - 20) ** 2 + (y - 15) ** 2) / 9)
    window.until(lambda: list(contact.parent.glob("dsm-array-*.h5")), "the array beside the log")
    assert sent_array(contact.parent) == pytest.approx(drop, rel=1e-6)

    # Resampled, with the difference to that one; what cannot be sent is said, and not sent.
    window.click(label + "/send")
    window.until(lambda: window.exists(DIALOG + "send"), "the dialog")
    assert shown_in_dialog(window)[2] == "0 to 0, mean 0"
    window.set_text(DIALOG + "source", "fine drop")
    window.set_text(DIALOG + "array", "drawn (points)")
    how, _, difference, _ = shown_in_dialog(window)
    assert how == ("The values are resampled at the grid's points. The source has no data at 799 of 1240 places: "
                   "they get 0.")
    window.set_text(DIALOG + "outside", "0.01")
    assert "799 of 1240 places: they get 0.01." in shown_in_dialog(window)[0]
    assert "to 0.01" in window.get(DIALOG + "difference/range")
    window.screenshot("steering-send-resampled", DIALOG)
    window.set_text(DIALOG + "array", "Normals (points)")
    assert 'the array "Normals" has 3 components' in shown_in_dialog(window)[3]
    assert not window.get(DIALOG + "send", "enabled")
    window.screenshot("steering-send-refused", DIALOG)
    window.set_text(DIALOG + "array", "1 where the source has data")
    shown_in_dialog(window)
    window.click(DIALOG + "send")
    window.until(lambda: len(list(contact.parent.glob("dsm-array-*.h5"))) == 2, "the second array")
    inside = (abs(x - 20) <= 10) & (abs(y - 15) <= 10)
    assert numpy.array_equal(sent_array(contact.parent), numpy.where(inside, 1, 0.01))

    trace = programs.folder / "trace.py"
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")
    calls = [line for line in trace.read_text().splitlines() if ".send(" in line]
    assert calls == [
        "dsm.send('rise', FindSource('drop'), ('POINTS', 'rise'), grid=FindSource('run.dsm'), outside=0)",
        "dsm.send('rise', FindSource('fine drop'), None, grid=FindSource('run.dsm'), outside=0.01)"]
    stop(window)
    has_ended(window)

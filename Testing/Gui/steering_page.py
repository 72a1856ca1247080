# SPDX-License-Identifier: BSD-3-Clause
"""What a user does on the page Steering, and in the view."""

import json
import os

from PIL import Image, ImageChops, ImageStat

import steering_cases as cases
from window import MPIEXEC, PICTURES, STEERING

PROGRAMS = json.loads(os.environ["DSM_TEST_PROGRAMS"])


def launched(program, ranks):
    """How one of the steered programs starts. Debian's mpi4py is for Open MPI: elsewhere Python is one process."""
    with_mpi = program != "Python" or os.environ["DSM_TEST_MPI4PY"]
    return [*([*MPIEXEC, "-n", ranks] if with_mpi else []), *PROGRAMS[program]]


# The tests wait for many outcomes, each of which comes with a poll of the server.
POLL_INTERVAL = 50  # ms


def listen(window, contact):
    """Starts the server, and shows the page."""
    window.poll_every(POLL_INTERVAL)
    window.listen(contact)
    window.show_page("Steering")


def begin(window, programs, command, **environment):
    """Starts the server and a program that connects to it, and shows the page."""
    contact = programs.folder / "run.dsm"
    listen(window, contact)
    window.screenshot("steering-empty")
    program = programs.start(command, "steered", DSM_CONTACT=contact, **environment)
    window.until(lambda: window.exists(STEERING + "steeringForm"), "the form")
    return program, contact


def wait_for_pause(window, step):
    window.until(lambda: window.steering("paused") and window.steering("step") == step, f"paused at step {step}")


def applied(window, what="Applied"):
    window.click(STEERING + "steeringApply")
    window.until(lambda: window.steering("outcome").startswith(what), f"'{what}…', not '{window.steering('outcome')}'")


def press(window, name, count=None):
    """Presses a command's button."""
    widget = STEERING + f"command {name}/"
    if count is not None:
        window.ask(do="set", object=widget + "count", property="value", value=count)
    window.click(widget + "button")


# How the outcome of a command begins, before the step.
OUTCOMES = {"pause": "Paused at step", "resume": "Resumed at step", "stop": "Stopped at step",
            "advance": "Advanced {count} step{s} (", "write snapshot": "Wrote a snapshot at step"}


def command(window, name, count=None, step=None):
    """Presses a command's button, and waits for its outcome."""
    press(window, name, count)
    outcome = OUTCOMES.get(name, f'Ran "{name}" at step').format(count=count or 1, s="s" if (count or 1) > 1 else "")
    outcome += "" if step is None else f"{step} →" if name == "advance" else f" {step},"
    window.until(
        lambda: window.steering("outcome").startswith(outcome), f"{outcome}, not '{window.steering('outcome')}'"
    )


def stop(window):
    """The simulation's Stop, which asks for a confirmation."""
    window.click(STEERING + "command stop/button")
    window.until(lambda: window.exists(STEERING + "stopQuestion"), "the question")
    window.click(STEERING + "stopQuestion/yes")


def has_ended(window):
    window.until(lambda: "has ended" in window.get(STEERING + "steeringState"), "the end")


def enter(window, changes):
    for name, value in changes.items():
        if isinstance(value, (list, tuple)):
            for axis, number in zip("xyz", value, strict=True):
                window.enter(f"{name}/{axis}", number)
        else:
            window.enter(name.replace("/", "|"), value)


def wait_for_fields(window, names):
    """A simulation may declare parameters later."""
    window.until(
        lambda: all(window.exists(STEERING + f"parameter {name.replace('/', '|')}") for name in names),
        f"fields for {names}",
    )


def tour(window, before_apply=lambda _: None):
    """Every type and command, from the first step on; see steering_cases. Before each Apply comes `before_apply`."""
    for step, changes, commands in cases.TOUR:
        wait_for_pause(window, step)
        wait_for_fields(window, changes)
        enter(window, changes)
        before_apply(step)
        applied(window, f"Applied at step {step},")
        for name, count in commands:
            command(window, name, count, step)


def refuse(window, changes, reasons, picture=None):
    """Changes that are refused together: each reason is shown below its field, until Reset."""
    enter(window, {"flag": True, **changes})
    applied(window, "Not applied: ")
    for name, why in reasons.items():
        assert name in window.steering("outcome"), window.steering("outcome")
        note = window.get(STEERING + f"note {name}")
        assert why in note, f"{name}: {note}"
    assert window.get(STEERING + "note flag") == ""
    assert window.get(STEERING + "steeringApply", "enabled")
    if picture:
        window.screenshot(picture)
    window.click(STEERING + "steeringReset")
    assert [window.get(STEERING + f"note {name}") for name in reasons] == [""] * len(reasons)
    assert not window.get(STEERING + "parameter flag", "checked", child="QCheckBox")


# Changes that can be entered on the page and are refused. The others of steering_cases.REFUSALS cannot be entered.
REFUSED = [
    ({"feed": 0.2, "count": 101, "label": "x" * 40, "where": ("-", 0, 0)}, {
        "feed": "Maximum is 0.1 1/s", "count": "Maximum is 100",
        "label": "has room for 15 bytes of text", "where": "expects three numbers"}),
    ({"feed": -1, "count": 0}, {"feed": "Minimum is 0", "count": "Minimum is 1"}),
]


def in_view(window, points):
    """Points in world coordinates as fractions of the active view's width and height, from the upper left."""
    (found,) = window.evaluate(
        "(lambda view, place: [list(place(view, p)) for p in " + json.dumps(points) + "])(GetActiveView(), "
        "lambda view, p: (view.GetRenderer().SetWorldPoint(*p, 1), view.GetRenderer().WorldToDisplay(), "
        "[v / s for v, s in zip(view.GetRenderer().GetDisplayPoint(), view.ViewSize)])[2])")
    return [(point[0], 1 - point[1]) for point in found]


def drag(window, start, end):
    """Drags with the mouse in the active view, from one point in world coordinates to another."""
    (x, y), (to_x, to_y) = in_view(window, [start, end])

    def play(command, x, y, button):
        window.ask(do="play", object="activeView", command=command, arguments=f"({x},{y},1,{button},0)")

    play("mouseMove", x, y, 0)
    play("mousePress", x, y, 1)
    for part in (0.25, 0.5, 0.75, 1):
        play("mouseMove", x + part * (to_x - x), y + part * (to_y - y), 1)
    play("mouseRelease", to_x, to_y, 0)


def view(window, name):
    """The active view's picture in its own size, as in_view() has it."""
    path = PICTURES / f"{name}.png"
    PICTURES.mkdir(parents=True, exist_ok=True)
    window.python(
        "from paraview.simple import *\nview = GetActiveView()\n"
        f"SaveScreenshot({str(path)!r}, view, ImageResolution=list(view.ViewSize))"
    )
    return Image.open(path).convert("RGB")


def look_from_above(window, array, limits):
    """The view from above, with nothing but the data in it, and a fixed range of colours."""
    window.python(
        f"from paraview.simple import *\ntable = GetColorTransferFunction({array!r})\n"
        f"table.RescaleTransferFunction(*{limits})\ntable.AutomaticRescaleRangeMode = 'Never'\nview = GetActiveView()\n"
        "view.OrientationAxesVisibility = 0\nview.CameraParallelProjection = 1\n"
        f"GetDisplayProperties(list(GetSources().values())[0]).SetScalarBarVisibility(view, False)\n"
        "view.ResetActiveCameraToNegativeZ()\nResetCamera()\nRender()")


def difference(one, other):
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def write(window, steps=1):
    """Lets the paused simulation write its step and go on, and waits until that is shown."""
    before = window.panel("shown")
    command(window, "write snapshot")
    command(window, "advance", steps)
    window.until(lambda: window.panel("shown") > before and window.steering("paused"), "the new step's picture")

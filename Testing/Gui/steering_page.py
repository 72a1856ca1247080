# SPDX-License-Identifier: BSD-3-Clause
"""What a person does at the page Steering, and in the view."""

import json
import os

from PIL import Image, ImageChops, ImageStat

import steering_cases as cases
from window import MPIEXEC, PICTURES, STEERING, tab

PROGRAMS = json.loads(os.environ["DSM_TEST_PROGRAMS"])


def launched(program, ranks):
    """How one of the steered programs starts. Debian's mpi4py is for Open MPI: elsewhere Python is one process."""
    withMpi = program != "Python" or os.environ["DSM_TEST_MPI4PY"]
    return [*([*MPIEXEC, "-n", ranks] if withMpi else []), *PROGRAMS[program]]


def listen(window, contact):
    """Starts the server, and goes to the page."""
    window.until(lambda: window.state() == "Idle", "idle")
    window.listen(contact)
    tab(window, "Steering")


def begin(workshop, command, **environment):
    """A window whose server a program has connected to, at the page Steering."""
    window = workshop.window()
    contact = workshop.folder / "run.dsm"
    listen(window, contact)
    window.picture("steering-empty")
    program = workshop.start(command, "steered", DSM_CONTACT=contact, **environment)
    window.until(lambda: window.try_("size", STEERING + "steeringForm"), "the form")
    return window, program, contact


def wait_for_pause(window, step):
    window.until(lambda: window.steering("paused") and window.steering("step") == step, f"paused at step {step}")


def applied(window, what="Applied"):
    window.click(STEERING + "steeringApply")
    window.until(lambda: window.steering("outcome").startswith(what), f"'{what}…', not '{window.steering('outcome')}'")


def press(window, name, count=None):
    """A command's button."""
    widget = STEERING + f"command {name}/"
    if count is not None:
        window.ask(do="set", object=widget + "count", property="value", value=count)
    window.click(widget + "button")


def command(window, name, count=None, step=None):
    """A command's button, and what became of it."""
    press(window, name, count)
    told = f'"{name}" at step' + ("" if step is None else f" {step},")
    window.until(lambda: window.steering("outcome").startswith(told), f"{told}, not '{window.steering('outcome')}'")


def stop(window):
    """Stop asks first."""
    window.click(STEERING + "command stop/button")
    window.until(lambda: window.try_("size", STEERING + "stopQuestion"), "the question")
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
    """Parameters may be declared late."""
    window.until(lambda: all(window.try_("size", STEERING + f"parameter {name.replace('/', '|')}") for name in names), f"fields for {names}")


def tour(window, meanwhile=lambda step: None):
    """Every type and command, from the first step on; see steering_cases. `meanwhile` is done before each Apply."""
    for step, changes, commands in cases.TOUR:
        wait_for_pause(window, step)
        wait_for_fields(window, changes)
        enter(window, changes)
        meanwhile(step)
        applied(window, f"Applied at step {step},")
        for name, count in commands:
            command(window, name, count, step)


def refuse(window, changes, reasons, picture=None):
    """Changes of which none is taken: each reason stands beside its field, and goes when that is mended or reset."""
    enter(window, {"flag": True, **changes})
    applied(window, "Refused")
    for name, why in reasons.items():
        assert name in window.steering("outcome"), window.steering("outcome")
        note = window.get(STEERING + f"note {name}")
        assert why in note, f"{name}: {note}"
    assert window.get(STEERING + "note flag") == ""
    assert window.get(STEERING + "steeringApply", "enabled")
    if picture:
        window.picture(picture)
    window.click(STEERING + "steeringReset")
    assert [window.get(STEERING + f"note {name}") for name in reasons] == [""] * len(reasons)
    assert not window.get(STEERING + "parameter flag", "checked", child="QCheckBox")


# What a person can enter at the page that is refused; the rest of steering_cases.REFUSALS has no widget.
REFUSED = [
    ({"feed": 0.2, "count": 101, "label": "x" * 40, "where": ("-", 0, 0)}, {
        "feed": "must be at most 0.1 1/s, not 0.2", "count": "must be at most 100, not 101",
        "label": "has room for 15 bytes of text", "where": "expects three numbers"}),
    ({"feed": -1, "count": 0}, {"feed": "must be at least 0", "count": "must be at least 1, not 0"}),
]


def place_in_view(window, points):
    """Where in the active view places of the world are: shares of its width and height, from the upper left."""
    (found,) = window.information(
        "(lambda view, place: [list(place(view, p)) for p in " + json.dumps(points) + "])(GetActiveView(), "
        "lambda view, p: (view.GetRenderer().SetWorldPoint(*p, 1), view.GetRenderer().WorldToDisplay(), "
        "[v / s for v, s in zip(view.GetRenderer().GetDisplayPoint(), view.ViewSize)])[2])")
    return [(point[0], 1 - point[1]) for point in found]


def drag(window, start, end):
    """With the mouse in the active view, from one place of the world to another."""
    (x, y), (toX, toY) = place_in_view(window, [start, end])
    play = lambda command, x, y, button: window.ask(do="play", object="activeView", command=command, arguments=f"({x},{y},1,{button},0)")
    play("mouseMove", x, y, 0)
    play("mousePress", x, y, 1)
    for part in (0.25, 0.5, 0.75, 1):
        play("mouseMove", x + part * (toX - x), y + part * (toY - y), 1)
    play("mouseRelease", toX, toY, 0)


def view(window, name):
    """What the active view shows, pixel by pixel as on the screen: place_in_view() says what is where."""
    path = PICTURES / f"{name}.png"
    PICTURES.mkdir(parents=True, exist_ok=True)
    window.python(f"from paraview.simple import *\nSaveScreenshot({str(path)!r}, GetActiveView(), ImageResolution=list(GetActiveView().ViewSize))")
    return Image.open(path).convert("RGB")


def look_from_above(window, array, limits):
    """The picture from above, nothing else in it, with colours that stay as they are."""
    window.python(
        f"from paraview.simple import *\ntable = GetColorTransferFunction({array!r})\n"
        f"table.RescaleTransferFunction(*{limits})\ntable.AutomaticRescaleRangeMode = 'Never'\nview = GetActiveView()\n"
        "view.OrientationAxesVisibility = 0\nview.CameraParallelProjection = 1\n"
        f"GetDisplayProperties(list(GetSources().values())[0]).SetScalarBarVisibility(view, False)\n"
        "view.ResetActiveCameraToNegativeZ()\nResetCamera()\nRender()")


def difference(one, other):
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def write(window, steps=1):
    """Has the paused simulation write its step, and waits until that is shown."""
    before = window.panel("shown")
    command(window, "write snapshot")
    command(window, "advance", steps)
    window.until(lambda: window.panel("shown") > before and window.steering("paused"), "the new step's picture")

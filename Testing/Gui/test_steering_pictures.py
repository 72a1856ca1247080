# SPDX-License-Identifier: BSD-3-Clause
"""The examples in C++, Fortran and Python on two, five and one ranks, steered from a window: the picture follows."""

from PIL import ImageChops

from steering_page import (
    applied,
    command,
    difference,
    drag,
    has_ended,
    listen,
    stop,
    view,
    wait_for_pause,
    write,
)
from window import BIN, DSM, MPIEXEC, STEERING, tab


def test_gray_scott(workshop):
    server, connection = workshop.pvserver(ranks=2)
    window = workshop.window(connection)
    window.until(lambda: window.state() == "Idle", "idle")
    contact = workshop.folder / "run.dsm"
    window.setting("ContactFile", contact)
    window.setting("MemoryPerHost", "64 MiB")
    tab(window, "Steering")
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening")
    simulation = workshop.simulation(contact, 2, 1000000, 20, 32, "live")
    window.until(lambda: window.panel("shown") > 2, "pictures")
    window.picture("steering-gray-scott")

    # Paused, nothing new comes; then each change is seen alone.
    command(window, "pause")
    window.until(lambda: window.steering("paused"), "the pause")
    window.enter("output interval", 0)
    window.enter("boundary", "mirror")
    window.enter("feed", 0.035)
    applied(window)
    write(window)
    window.python("from paraview.simple import *\nGetColorTransferFunction('u').RescaleTransferFunction(0, 1)\n"
                  "GetColorTransferFunction('u').AutomaticRescaleRangeMode = 'Never'\n"
                  "GetActiveView().ResetActiveCameraToNegativeZ()\nResetCamera()\nRender()")
    before = view(window, "view-before-drop")

    # The handle is moved in the view, and reagent dropped there: at the front face, in full sight.
    for axis, value in zip("xyz", (16, 16, 28)):
        window.enter(f"drop position/{axis}", value)
    window.enter("drop radius", 5)
    window.click(STEERING + "show drop position")
    drag(window, [16, 16, 28], [24, 10, 28])
    window.until(lambda: window.get(STEERING + "parameter drop position/x") != "16", "the handle's new place")
    window.picture("steering-handle")
    applied(window)
    command(window, "drop reagent")
    window.click(STEERING + "show drop position")
    write(window)
    window.picture("steering-dropped")
    after = view(window, "view-after-drop")
    # A drop of radius 5 covers a few percent of the face, and is where the handle was.
    changed = ImageChops.difference(before, after).convert("L").point(lambda value: 255 if value > 30 else 0)
    left, top, right, bottom = changed.getbbox()
    assert difference(before, after) > 0.5 and left > 150 and top > 150, (difference(before, after), changed.getbbox())
    assert 20 < right - left < 100, changed.getbbox()

    # At the simulation, by its log: all at one step.
    log = [line.split("\t") for line in (workshop.folder / "run.dsm.steering.log").read_text().splitlines() if not line.startswith("#")]
    told = {line[7]: line for line in log}
    assert told['"feed"'][9] == "0.035" and told['"boundary"'][9] == '"mirror"' and '"drop reagent"' in told
    assert told['"feed"'][:5] == told['"boundary"'][:5] == told['"output interval"'][:5]

    # A dataset that is not written any more.
    command(window, "resume")
    window.enter("|VTKHDF|PointData|v", False)
    window.enter("output interval", 50)
    applied(window)
    shown = window.panel("shown")
    window.until(lambda: window.panel("shown") > shown + 2, "pictures again")
    window.until(lambda: window.get(STEERING + "curve reacting volume", "samples") > 10, "the curve")
    arrays = window.information("sorted(list(GetSources().values())[0].PointData.keys())")[0]
    assert arrays == ["u"], arrays
    assert window.panel("errorText") == ""
    window.picture("steering-client-server")
    stop(window)
    simulation.wait()
    has_ended(window)
    window.report()
    window.close()
    server.wait()


def see(window, workshop, command_line, ranks, **environment):
    """A window that hosts, and a paused simulation whose first step it shows from above."""
    contact = workshop.folder / "run.dsm"
    listen(window, contact)
    simulation = workshop.start([BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", ranks, *command_line], "simulation", DSM_START_PAUSED=1, **environment)
    wait_for_pause(window, 0)
    return simulation


def test_shallow_water(workshop):
    """In Fortran on five ranks: a drop falls where the handle was put."""
    window = workshop.window()
    simulation = see(window, workshop, [BIN / "shallow_water", "--size", 60, 40, "--steps", 100000, "--every", 1, "--output", workshop.folder / "waves"], 5)
    window.enter("rain", False)
    applied(window)
    command(window, "advance", 1)
    window.until(lambda: window.panel("shown") > 0, "a picture")
    window.picture("steering-water")
    window.close()

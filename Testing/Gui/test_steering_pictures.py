# SPDX-License-Identifier: BSD-3-Clause
"""Gray-Scott on two ranks, steered from a window that is connected to a pvserver of two ranks: the picture follows."""

from PIL import Image, ImageChops, ImageStat

from test_steering import applied, drag
from window import DSM, PICTURES, STEERING, tab


def view(window, name):
    """What the active view shows."""
    path = PICTURES / f"{name}.png"
    window.python(f"from paraview.simple import *\nSaveScreenshot({str(path)!r}, GetActiveView(), ImageResolution=[300, 300])")
    return Image.open(path).convert("RGB")


def difference(one, other):
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def write(window):
    """Has the paused simulation write its step, and waits until that is shown."""
    before = window.panel("shown")
    window.click(STEERING + "command write snapshot/button")
    window.until(lambda: window.steering("outcome").startswith('"write snapshot" at step'), "the command")
    window.ask(do="set", object=STEERING + "command advance/count", property="value", value=1)
    window.click(STEERING + "command advance/button")
    window.until(lambda: window.panel("shown") > before and window.steering("paused"), "the new step's picture")


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
    window.click(STEERING + "command pause/button")
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
    window.click(STEERING + "command drop reagent/button")
    window.until(lambda: window.steering("outcome").startswith('"drop reagent" at step'), "the command")
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
    window.click(STEERING + "command resume/button")
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
    window.click(STEERING + "command stop/button")
    window.click(STEERING + "stopQuestion/yes")
    simulation.wait()
    window.until(lambda: "has ended" in window.get(STEERING + "steeringState"), "the end")
    window.report()
    window.close()
    server.wait()

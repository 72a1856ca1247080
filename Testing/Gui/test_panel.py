# SPDX-License-Identifier: BSD-3-Clause
"""The panel in a ParaView that hosts by itself: from start to a live picture, and on."""

from window import DSM, tab

KEPT = 24
FIELDS = "VTKHDF/PointData/"
READER = "list(GetSources().values())[0]"


def contents(window):
    """The page Contents: what is in the file, and a tick less."""
    arrays = f"sorted({READER}.PointData.keys())"
    tab(window, "Contents")
    window.until(lambda: window.contents(FIELDS + "v"), "the file's contents")
    assert window.contents(FIELDS + "u") == ["float64", "32 x 32 x 32", 2] == window.contents(FIELDS + "v")
    window.picture("contents")
    window.tick(FIELDS + "v", False)
    window.until(lambda: "v" not in window.information(arrays)[0], "the picture without v")
    assert window.contents(FIELDS + "v")[2] == 0 and window.contents(FIELDS + "u")[2] == 2
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early + 1, "the next picture")
    assert window.information(arrays)[0] == ["u"]
    window.tick(FIELDS + "v", True)
    window.until(lambda: window.information(arrays)[0] == ["u", "v"], "the picture with v")


def refused(window):
    """What the server refuses while it runs: what it goes on by stands in the fields again, and the reason above."""
    advanced = lambda on: window.ask(do="play", object=DSM + "settingsAdvanced", command="set_boolean", arguments=on)
    advanced("true")
    limit = lambda: window.get(DSM + "proxyWidget/FullRingLimit", child="QLineEdit")
    for name, entry, reason in (("Transport", "mpi-rma", "needs a server that was started with it"), ("FullRingLimit", -5, "full ring is -5 s: it must be 0")):
        window.setting(name, entry)
        window.looked(2)
        assert reason in window.panel("errorText") and window.get(DSM + "errorBox", "visible")
        assert (window.entered("Transport"), limit()) == ("automatic", "60")
    window.picture("settings-refused-running")
    advanced("false")
    # Once more, when it was dismissed.
    window.click(DSM + "dismiss")
    assert not window.get(DSM + "errorBox", "visible")
    window.setting("FullRingLimit", -5)
    assert window.get(DSM + "errorBox", "visible") and limit() == "60"
    window.setting("FullRingLimit", 61)
    assert limit() == "61" and window.panel("errorText") == ""


def kept(window):
    """A selection, the camera and a range that the user fixed stay while the picture follows."""
    window.python(
        "from paraview.simple import *\nGetActiveCamera().Azimuth(20)\n"
        f"reader = {READER}\nSetActiveSource(reader)\n"
        "QuerySelect(QueryString='(id < 10)', FieldType='POINT', Source=reader)\n"
        "colours = GetColorTransferFunction('u')\ncolours.RescaleTransferFunction(0.25, 0.75)\n"
        "colours.AutomaticRescaleRangeMode = 'Never'\nRender()")
    told = ("list(GetActiveView().CameraPosition)", "list(GetColorTransferFunction('u').RGBPoints)[::4]",
            f"({READER}.SMProxy.GetSelectionOutput(0).UpdatePipeline(GetAnimationScene().AnimationTime), "
            f"{READER}.SMProxy.GetSelectionOutput(0).GetDataInformation().GetNumberOfPoints())[1]")
    before = window.information(*told)
    assert before[2] == 10, before
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early + 2, "more pictures")
    assert window.information(*told) == before
    # By ParaView's rule they grow, and never shrink.
    window.python("from paraview.simple import *\nGetActiveCamera().Azimuth(-20)\ncolours.AutomaticRescaleRangeMode = 'Grow and update every timestep'\n"
                  "ClearSelection()\nRender()")

    def grown():
        low, *_, high = window.information(told[1])[0]
        assert low <= 0.25 and high >= 0.75
        return high > 0.8
    window.until(grown, "the range to grow")


def test_panel(workshop):
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    window.picture("idle")

    # Where there is nothing to write the contact file into, the panel says so.
    window.setting("ContactFile", workshop.folder / "no such folder" / "run.dsm")
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Error", "the error")
    assert "no such folder" in window.panel("errorText")
    window.picture("error")
    contact = workshop.folder / "run.dsm"
    window.setting("ContactFile", contact)
    # What makes no sense stays out, and the reason stands below the field until the next entry.
    tab(window, "Settings")
    for name, entry, reason in (
            ("BlockSize", "8 apples", '"8 apples" is not understood: enter a size such as 64 MiB, or "automatic"'),
            ("MemoryPerHost", "64 KiB", '"64 KiB" is not understood'), ("MemoryPerHost", "-3", '"-3" is not understood'),
            ("MaximumSnapshots", "0", "0 is not possible: enter 1 to")):
        before = window.entered(name)
        window.setting(name, entry)
        assert reason in window.refused(name) and window.entered(name) == before
    window.picture("settings-refused")
    # The server says it of what a field lets through.
    window.setting("FullRingLimit", -5)
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Error", "the error")
    assert "full ring is -5 s: it must be 0" in window.panel("errorText")
    window.setting("FullRingLimit", 60)
    tab(window, "Snapshots")
    window.setting("MemoryPerHost", 64)
    assert window.refused("MemoryPerHost") == ""
    window.setting("MaximumSnapshots", KEPT)
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening")
    assert window.panel("errorText") == ""
    assert contact.exists()
    assert f"--contact {contact}" in window.get(DSM + "launchLine", "command")
    window.picture("listening")

    # The first snapshot makes a picture, the others follow.
    first = workshop.simulation(contact, steps=100000, every=50, size=32)
    window.until(lambda: window.panel("shown") > 0, "the first picture")
    window.until(lambda: window.state().startswith(("Receiving step", "Connected")), "connected")
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early + 3, "more pictures")
    window.picture("following")
    window.until(lambda: window.state() != "Listening", "connected")
    contents(window)
    tab(window, "Activity")
    window.picture("activity")
    tab(window, "Settings")
    window.picture("settings")
    refused(window)
    # Another way to spread files counts from the next file on.
    window.setting("BlockSize", 4096)
    window.setting("Strategy", "contiguous")
    newest = window.rows()[0][0]
    window.until(lambda: window.rows()[0][0] > newest + 2, "files after the change")
    assert window.panel("errorText") == ""
    tab(window, "Snapshots")

    kept(window)

    # Hold, with the simulation running on; go to another one; pin it; follow again.
    window.click(DSM + "hold")
    window.looked()
    held = window.panel("shown")
    newest = window.rows()[0][0]
    window.until(lambda: window.rows()[0][0] > newest + KEPT + 1, "as many snapshots as fit while held", limit=90)
    assert window.panel("shown") == held
    # What is held stays in memory.
    assert [row[0] for row in window.rows() if row[5] == 2] == [held]
    number = window.rows()[2][0]
    assert window.ask(do="clickRow", object=DSM + "table", row=number, column=5)
    window.until(lambda: [r for r in window.rows() if r[0] == number and r[5] == 2], "the pin")
    window.pick(number)
    assert window.panel("shown") == number
    window.until(lambda: [r[0] for r in window.rows() if r[5] == 2] == [number], "the one held before to be let go")
    window.until(lambda: window.rows()[0][0] > number + 8, "more snapshots")
    assert window.panel("shown") == number
    window.picture("held")
    camera = "list(GetActiveView().CameraPosition)"
    window.python("from paraview.simple import *\nGetActiveCamera().Azimuth(30)\nGetActiveCamera().Elevation(20)\nRender()")
    before = window.information(camera)
    window.click(DSM + "follow")
    window.until(lambda: window.panel("shown") > number + 8, "the newest")
    assert window.information(camera) == before
    # What the user pinned stays.
    assert [row[0] for row in window.rows() if row[5] == 2] == [number]
    window.picture("turned")

    # The simulation dies: what is there stays, and the panel says what happened.
    first.stop(kill=True)
    window.until(lambda: window.state() == "Client lost", "the loss")
    assert window.panel("errorText")
    window.picture("client-lost")
    window.click(DSM + "dismiss")

    # A second one, then stop and start.
    last = window.panel("shown")
    workshop.simulation(contact, ranks=2, steps=40, every=20, name="second").wait()
    window.until(lambda: window.rows()[0][1] == "40" and window.panel("shown") == window.rows()[0][0] > last, "the second simulation")
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    assert not contact.exists()
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening again")
    workshop.simulation(contact, ranks=3, steps=1300, every=1300, size=32, name="third").wait()
    window.until(lambda: window.panel("shown") == 2, "the third simulation")
    # The range has grown with whatever snapshots there was time to show.
    window.python("from paraview.simple import *\nGetColorTransferFunction('u').RescaleTransferFunction(0.2, 1)\nRender()")
    window.compare("panel")
    window.dark()
    window.picture("dark")
    tab(window, "Settings")
    window.picture("dark-settings")
    window.report()
    window.close()

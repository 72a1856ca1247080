# SPDX-License-Identifier: BSD-3-Clause
"""The panel with ParaView's own server: from Start to a picture that follows a simulation, and on."""

import os
import re
import signal
import subprocess

from window import DISCARD, HOSTS, PANEL, processes_called, usual_ranks

MOST_SNAPSHOTS = 24
LAUNCH_TEXT = PANEL + "launchText"
FIELDS = "VTKHDF/PointData/"
READER = "list(GetSources().values())[0]"


def check_contents(window):
    """The page Contents: what is in the file, and without one of its arrays."""
    arrays = f"sorted({READER}.PointData.keys())"
    window.show_page("Contents")
    window.until(lambda: window.contents(FIELDS + "v"), "the file's contents")
    assert window.contents(FIELDS + "u") == ["float64", "32 x 32 x 32", 2] == window.contents(FIELDS + "v")
    window.screenshot("contents")
    window.load_array(FIELDS + "v", False)
    window.until(lambda: "v" not in window.evaluate(arrays)[0], "the picture without v")
    assert window.contents(FIELDS + "v")[2] == 0 and window.contents(FIELDS + "u")[2] == 2
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early + 1, "the next picture")
    assert window.evaluate(arrays)[0] == ["u"]
    window.load_array(FIELDS + "v", True)
    window.until(lambda: window.evaluate(arrays)[0] == ["u", "v"], "the picture with v")


def check_refused_settings(window):
    """A running server refuses some values: the fields show those in force again, with the reason beside them."""
    window.advanced_settings(True)
    window.set_setting("WhenFull", "block")

    def limit():
        return window.get(PANEL + "proxyWidget/LongestWait", child="QLineEdit")

    for name, entry, reason in (
        ("Transport", "mpi-rma", "needs a server that was started with it"),
        ("LongestWait", -5, "Maximum Wait is -5 s: it must be 0"),
    ):
        window.set_setting(name, entry)
        window.wait_for_polls(2)
        assert reason in window.rejection(name) and window.panel("errorText") == ""
        assert (window.setting("Transport"), limit()) == ("automatic", "60")
    assert window.rejection("Transport") == ""
    window.screenshot("settings-refused-running")
    window.advanced_settings(False)
    # The reason stays until the next entry, of any setting.
    window.set_setting("LongestWait", 61)
    assert limit() == "61" and window.rejection("LongestWait") == ""
    window.set_setting("WhenFull", "drop oldest")


def check_what_stays(window):
    """A selection, the camera and a range of colours that the user has fixed stay while the picture follows."""
    window.python(
        "from paraview.simple import *\nGetActiveCamera().Azimuth(20)\n"
        f"reader = {READER}\nSetActiveSource(reader)\n"
        "QuerySelect(QueryString='(id < 10)', FieldType='POINT', Source=reader)\n"
        "colours = GetColorTransferFunction('u')\ncolours.RescaleTransferFunction(0.25, 0.75)\n"
        "colours.AutomaticRescaleRangeMode = 'Never'\nRender()")
    expressions = ("list(GetActiveView().CameraPosition)", "list(GetColorTransferFunction('u').RGBPoints)[::4]",
            f"({READER}.SMProxy.GetSelectionOutput(0).UpdatePipeline(GetAnimationScene().AnimationTime), "
            f"{READER}.SMProxy.GetSelectionOutput(0).GetDataInformation().GetNumberOfPoints())[1]")
    before = window.evaluate(*expressions)
    assert before[2] == 10, before
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early + 2, "more pictures")
    assert window.evaluate(*expressions) == before
    # In ParaView's usual mode the range grows, and never shrinks.
    window.python(
        "from paraview.simple import *\nGetActiveCamera().Azimuth(-20)\n"
        "colours.AutomaticRescaleRangeMode = 'Grow and update every timestep'\n"
        "ClearSelection()\nRender()"
    )

    def grown():
        low, *_, high = window.evaluate(expressions[1])[0]
        assert low <= 0.25 and high >= 0.75
        return high > 0.8
    window.until(grown, "the range to grow")


def launch_text(window):
    """Without the marks for breaking lines."""
    return window.get(LAUNCH_TEXT).translate({0x2060: None, 0x200B: None, 0x2011: "-"})


def check_folder(window, folder):
    """Before Start it is shown where the contact file goes, and another folder can be chosen."""
    window.click(PANEL + "dismiss")
    window.set_setting("ContactFile", "run.dsm")
    began = os.readlink(f"/proc/{window.program.process.pid}/cwd")
    what = "(created by Start; simulations use it to find ParaView)"
    expected = f"Contact file: {began}/run.dsm {what}"
    window.until(lambda: launch_text(window) == expected, f"{expected}, not {launch_text(window)}")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    for chosen in (elsewhere, folder):
        window.ask(do="clickLater", object=PANEL + "contactFolder")
        window.until(lambda chosen=chosen: window.ask(do="choose", file=str(chosen)), "the dialog for a folder")
        window.until(
            lambda chosen=chosen: launch_text(window) == f"Contact file: {chosen}/run.dsm {what}",
            f"{chosen}, not {launch_text(window)}")
    window.screenshot("folder")
    elsewhere.rmdir()


def check_launch_line(window, contact):
    """The whole line is seen and copied, or copied as a job script that the shell takes."""
    command = window.get(PANEL + "launchLine", "command")
    assert f"--contact {contact} mpiexec -n {usual_ranks()} ./my_simulation" in command
    # As it is shown, lines break between words only, and after slashes.
    assert launch_text(window) == command
    window.click(PANEL + "copy")
    assert window.ask(do="clipboard") == command
    window.ask(do="trigger", action="Copy as a Slurm Job Script", menu="copyMenu")
    window.until(lambda: window.ask(do="clipboard") != command, "the script")
    script = window.ask(do="clipboard")
    assert script.startswith("#!/bin/bash\n#SBATCH ")
    assert command.replace(f"mpiexec -n {usual_ranks()}", "srun") in script.splitlines()
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def check_charts(window):
    """Each chart says its newest value, and under the mouse the value and the place of another."""
    for chart, unit in (("rateChart", "MB/s"), ("blockedChart", "ms"), ("memoryChart", "%"), ("hostChart", "iB")):
        window.until(lambda name=PANEL + chart: window.get(name, "reading") != "no data yet", f"data in {chart}")
        assert window.get(PANEL + chart, "reading").endswith(unit)
    for chart, place in (("blockedChart", r"file \d+: [\d.e+-]+ ms"), ("rateChart", r"file \d+: [\d.e+-]+ MB/s"),
                         ("memoryChart", r"\d\d:\d\d:\d\d: [\d.e+-]+ %"), ("hostChart", r"host 0: .* [KM]iB, 100 %")):
        window.hover(PANEL + chart, 120, 40)
        reading = window.get(PANEL + chart, "reading")
        assert re.fullmatch(place, reading), reading


def check_discarding_settings(window):
    """A setting that would discard snapshots says how many, and asks; a size needs its unit."""
    window.show_page("Settings")
    window.set_setting("MemoryPerHost", "8")
    assert window.rejection("MemoryPerHost") == "Add a unit, e.g. 64 MiB"
    window.screenshot("settings-no-unit")
    for name, entry, before in (("MaximumSnapshots", "4", str(MOST_SNAPSHOTS)), ("MemoryPerHost", "8 MiB", "64 MiB")):
        window.set_setting(name, entry)
        # There is one less between its leaving and the next one's coming.
        asked = window.get(DISCARD)
        going, there = map(int, re.search(r"drops the oldest (\d+) of (\d+) snapshots in memory", asked).groups())
        assert there in (MOST_SNAPSHOTS - 1, MOST_SNAPSHOTS) and (going == there - 4 or name == "MemoryPerHost")
        window.screenshot("question-discard", DISCARD)
        window.click(DISCARD + "/cancel")
        window.wait_for_polls(2)
        assert window.setting(name) == before and len(window.rows()) >= there - 1
    assert window.rejection("MemoryPerHost") == ""
    window.set_setting("MaximumSnapshots", MOST_SNAPSHOTS - 4)
    window.click(DISCARD + "/discard")
    window.until(lambda: len(window.rows()) <= MOST_SNAPSHOTS - 4, "fewer snapshots")
    assert not window.exists(DISCARD) and window.panel("errorText") == ""
    # More of them are no question.
    window.set_setting("MaximumSnapshots", MOST_SNAPSHOTS)
    window.until(lambda: len(window.rows()) > MOST_SNAPSHOTS - 2, "more snapshots")
    window.show_page("Snapshots")


def check_list(window, held):
    """Numbers that add up, where the files are, names that can be told apart; the row that is shown is in sight."""
    text = window.get(PANEL + "counts")
    received, viewed, dropped = map(int, re.fullmatch(
        r"(\d+) files? received · (\d+) viewed · (\d+) dropped before viewing", text).groups())
    assert MOST_SNAPSHOTS - viewed <= received - viewed - dropped <= MOST_SNAPSHOTS, text
    kept = window.get(PANEL + "retention")
    # There is one less between its leaving and the next one's coming.
    assert re.fullmatch(r"Not saved to disk\. (No room for more:|Room for 1 more snapshot \(about \d+ s\); after that) "
                        r"the oldest are dropped\.", kept), kept
    name = window.drawn_name(held)
    assert "…" in name and re.search(r"\d{5}\.vtkhdf$", name), name
    assert window.in_sight(held), window.rows()


def check_menu(window, folder):
    """What a right click on a row offers."""
    number = window.rows()[1][0]
    window.choose_from_menu(number, "Copy Name")
    assert window.ask(do="clipboard").endswith(window.rows()[1][3])
    window.choose_from_menu(number, "Show")
    window.until(lambda: window.panel("shown") == number, "the snapshot")
    window.choose_from_menu(number, "Save As…")
    saved = folder / "saved.vtkhdf"
    window.until(lambda: window.ask(do="choose", file=str(saved)), "the dialog for a file")
    window.until(saved.exists, "the file")
    assert saved.read_bytes()[:4] == b"\x89HDF" and window.panel("errorText") == ""
    newest = window.rows()[0][0]
    steps = window.evaluate("list(GetTimeKeeper().TimestepValues)")
    window.choose_from_menu(newest, "Open in a Second View")
    window.until(lambda: len(window.evaluate("[view.GetXMLName() for view in GetViews()]")[0]) == 2, "the view")
    window.until(lambda: newest in window.pinned(), "the pin")
    assert window.panel("shown") == number and window.panel("errorText") == ""
    # What is drawn there: a surface of its own data, coloured.
    drawn = ("[[each.Input.GetDataInformation().GetNumberOfPoints(), list(each.ColorArrayName)] "
             "for view in GetViews() for each in view.Representations if hasattr(each, 'Input')]")
    assert window.evaluate(drawn) == [[[32768, ["POINTS", "u"]]] * 2]
    # Time controls go through the simulation's steps only.
    assert window.evaluate("list(GetTimeKeeper().TimestepValues)") == steps
    window.screenshot("second-view")
    window.choose_from_menu(newest, "Pin")
    window.until(lambda: newest not in window.pinned(), "the end of the pin")
    window.click(PANEL + "follow")
    window.until(lambda: window.panel("shown") == newest, "the newest")


def check_waiting_for_memory(window, programs, contact, lost):
    """Which limit a simulation waits for, and what changes it. Its sign is not that of a lost one."""
    window.click(PANEL + "hold")
    window.set_setting("WhenFull", "block")
    window.set_setting("MaximumSnapshots", 100)
    simulation = programs.simulation(contact, ranks=2, steps=10000, every=10, size=80, name="large")
    window.until(lambda: window.state() == "Waiting for room", "the simulation to wait")
    assert "Memory Per Host" in window.details() and "Maximum Snapshots" not in window.details(), window.details()
    assert window.get(PANEL + "sign", "sign") != lost
    window.screenshot("waiting-for-memory")
    window.set_setting("MaximumSnapshots", len(window.rows()))
    if window.exists(DISCARD):
        window.click(DISCARD + "/discard")
    window.until(lambda: "Maximum Snapshots" in window.details(), "the other limit")
    assert "Memory Per Host" not in window.details(), window.details()
    # Not the launcher alone: who waits does not notice its end.
    for pid in processes_called("gray_scott"):
        os.kill(pid, signal.SIGKILL)
    simulation.stop()
    window.until(lambda: window.state() == "Simulation lost", "the loss")
    window.set_setting("WhenFull", "drop oldest")
    window.click(PANEL + "follow")


def test_panel(window, programs):
    window.screenshot("idle")
    # One line stands above the pages.
    assert window.get(PANEL + "header", "height") <= 1.2 * window.get(PANEL + "start", "height")
    window.show_page("Settings")
    places = window.places()

    # There is no folder for the contact file.
    window.set_setting("ContactFile", programs.folder / "no such folder" / "run.dsm")
    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Error", "the error")
    assert "no such folder" in window.panel("errorText") and window.places() == places
    assert not window.get("outputWidgetDock", "visible"), "the panel itself says what went wrong"
    window.screenshot("error")
    contact = programs.folder / "run.dsm"
    check_folder(window, programs.folder)
    # A wrong entry is rejected, with the reason below the field until the next entry.
    window.show_page("Settings")
    for name, entry, reason in (
        ("BlockSize", "8 apples", '"8 apples" is not a size. Enter a size such as 64 MiB, or "automatic"'),
        ("MemoryPerHost", "64 KiB", "64 KiB is too small (minimum 1 MiB)"),
        ("MemoryPerHost", "-3", '"-3" is not a size'),
        ("MaximumSnapshots", "3000000000", "3000000000 is too large (maximum "),
    ):
        before = window.setting(name)
        window.set_setting(name, entry)
        assert reason in window.rejection(name) and window.setting(name) == before
        assert window.places() == places
    window.screenshot("settings-refused")
    # What has no meaning now cannot be set.
    limit = PANEL + "proxyWidget/LongestWait"
    assert not window.get(limit, "enabled")
    window.set_setting("WhenFull", "block")
    assert window.get(limit, "enabled")
    # A choice whose words in the window are others than in scripts.
    for words, value in (("also at each flush", 1), ("when closed", 0)):
        window.set_setting("Publish", words)
        assert window.evaluate(f"{HOSTS}.GetProperty('Publish').GetElement(0)") == [value], words
    # The server checks these fields.
    for name, entry, reason in (
        ("LongestWait", -5, "Maximum Wait is -5 s: it must be 0"),
        ("AlsoOnDisk", "every 0", "every 0"),
    ):
        before = window.get(f"{PANEL}proxyWidget/{name}", child="QLineEdit")
        window.set_setting(name, entry)
        assert reason in window.rejection(name), name
        assert window.get(f"{PANEL}proxyWidget/{name}", child="QLineEdit") == before
    window.screenshot("settings-refused-by-server")
    window.set_setting("WhenFull", "drop oldest")
    assert window.rejection("AlsoOnDisk") == ""
    window.show_page("Snapshots")
    window.set_setting("MemoryPerHost", "64 MiB")
    assert window.rejection("MemoryPerHost") == ""
    window.set_setting("MaximumSnapshots", MOST_SNAPSHOTS)
    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Listening", "listening")
    assert window.panel("errorText") == ""
    assert contact.exists()
    check_launch_line(window, contact)
    window.screenshot("listening")

    # The first snapshot makes a picture, and the picture follows the next ones.
    first = programs.simulation(contact, steps=100000, every=50, size=32)
    window.until(lambda: window.panel("shown") > 0, "the first picture")
    window.until(lambda: window.state().startswith(("Receiving step", "Connected")), "connected")
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early + 3, "more pictures")
    # The command has done its work, and can still be copied.
    window.until(lambda: not window.get(LAUNCH_TEXT, "visible"), "the end of the launch command")
    assert window.get(PANEL + "copy", "visible")
    window.screenshot("following")
    window.until(lambda: window.state() != "Listening", "connected")
    # In a window of 1280 pixels, ParaView's properties beside the panel need no scroll bar across. From 6.1 on
    # they have one for ParaView's own sources, too.
    across = window.version() >= [6, 1]
    bars = "propertiesDock/propertiesPanel/scrollArea/qt_scrollarea_"
    assert (window.get(bars + "hcontainer", "visible"), window.get(bars + "vcontainer", "visible")) == (across, True)
    check_contents(window)
    window.show_page("Activity")
    check_charts(window)
    window.screenshot("activity")
    window.show_page("Settings")
    window.screenshot("settings")
    check_refused_settings(window)
    # Another distribution over the hosts, from the next file on.
    window.set_setting("BlockSize", "4 KiB")
    window.set_setting("Strategy", "contiguous")
    assert window.places() == places
    newest = window.rows()[0][0]
    window.until(lambda: window.rows()[0][0] > newest + 2, "files after the change")
    assert window.panel("errorText") == ""
    window.show_page("Snapshots")

    check_what_stays(window)

    # Hold while the simulation goes on; pick another snapshot; pin one; follow again.
    window.click(PANEL + "hold")
    window.wait_for_polls()
    held = window.panel("shown")
    newest = window.rows()[0][0]
    window.until(
        lambda: window.rows()[0][0] > newest + MOST_SNAPSHOTS + 1, "as many snapshots as fit while held", limit=90
    )
    assert window.panel("shown") == held
    # The snapshot that is held is pinned.
    assert window.pinned() == [held]
    check_list(window, held)
    number = window.rows()[2][0]
    window.pin(number)
    window.until(lambda: number in window.pinned(), "the pin")
    window.pick(number)
    assert window.panel("shown") == number
    window.until(lambda: window.pinned() == [number], "the snapshot that was held before to be unpinned")
    window.until(lambda: window.rows()[0][0] > number + 8, "more snapshots")
    assert window.panel("shown") == number
    window.screenshot("held")
    check_discarding_settings(window)
    camera = "list(GetActiveView().CameraPosition)"
    window.python(
        "from paraview.simple import *\nGetActiveCamera().Azimuth(30)\nGetActiveCamera().Elevation(20)\nRender()"
    )
    before = window.evaluate(camera)
    window.click(PANEL + "follow")
    window.until(lambda: window.panel("shown") > number + 8, "the newest")
    assert window.evaluate(camera) == before
    # The user's own pin stays.
    assert window.pinned() == [number]
    window.screenshot("turned")

    # The simulation is killed: its snapshots stay, and the panel says what happened.
    first.stop(kill=True)
    window.until(lambda: window.state() == "Simulation lost", "the loss")
    error = window.panel("errorText")
    assert re.match(r"\d\d:\d\d:\d\d: .*gray_scott .*exited without disconnecting", error), error
    assert re.search(r"exited unexpectedly at \d\d:\d\d:\d\d\.", window.details()), window.details()
    assert window.places() == places
    window.screenshot("client-lost")
    lost = window.get(PANEL + "sign", "sign")

    # A second one, then stop and start.
    last = window.panel("shown")
    programs.simulation(contact, ranks=2, steps=40, every=20, name="second").wait()
    window.until(
        lambda: window.rows()[0][1] == "40" and window.panel("shown") == window.rows()[0][0] > last,
        "the second simulation",
    )
    # What happened to the first is over, and the second said goodbye: its last snapshot can be shown before that.
    window.until(lambda: window.state() == "Listening", "the end of the second simulation")
    assert window.panel("errorText") == ""
    check_waiting_for_memory(window, programs, contact, lost)
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    assert not contact.exists()
    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Listening", "listening again")
    programs.simulation(contact, ranks=3, steps=1300, every=1300, size=32, name="third").wait()
    window.until(lambda: window.panel("shown") == 2, "the third simulation")
    # The range depends on how many snapshots there was time to show.
    window.python(
        "from paraview.simple import *\nGetColorTransferFunction('u').RescaleTransferFunction(0.2, 1)\nRender()"
    )
    window.compare("panel")
    check_menu(window, programs.folder)
    window.dark()
    window.screenshot("dark")
    window.show_page("Settings")
    window.screenshot("dark-settings")
    window.report_times()


def test_long_texts_are_not_cut(window, programs):
    """A text that needs more lines than are reserved for it gets them, and gives them back."""
    contact = programs.folder / "run.dsm"
    pending = PANEL + "settingsPending"
    window.listen(contact)
    window.show_page("Settings")
    window.advanced_settings(True)

    def height():
        return window.ask(do="size", object=pending)[1]

    before = height()
    window.set_setting("ContactFile", programs.folder / "another.dsm")
    window.set_setting("Lending", "sparse")
    window.set_checked(PANEL + "proxyWidget/Separate", True)
    window.until(lambda: window.get(pending).count("(at the next start)") == 3, "what waits for the next start")
    window.screenshot("settings-long-text")
    window.until(lambda: height() > before, "more lines")
    assert not [problem for problem in window.ask(do="problems", object="pqDSMPanel") if "cut off" in problem]
    window.set_setting("ContactFile", contact)
    window.set_setting("Lending", "automatic")
    window.set_checked(PANEL + "proxyWidget/Separate", False)
    window.until(lambda: window.get(pending) == "" and height() == before, "nothing that waits")

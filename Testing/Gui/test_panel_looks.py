# SPDX-License-Identifier: BSD-3-Clause
"""The panel in each state and on each page, in light and in dark colours: no text is cut off or has too
little contrast, and each control has a tool tip, which is not too wide. The pictures are for people to look at, and
those of the documentation come from here; they show no folder of the machine (neutral_folders.sh):

    ./dev test -R Gui.PanelLooks && cp -r build/openmpi/Testing/pictures/documented/* Widgets/pictures
"""

import os
import pathlib
import signal

import pytest

from steering_page import launched, stop
from test_panel_streams import end, start, write
from test_panel_watch import open_file, serve
from window import BIN, FURTHER, MPIEXEC, NEUTRAL_FOLDERS, PANEL, QUESTION, STEERING, Programs, processes_called

# The pictures of the documentation and their names there: of the whole window, and of the panel alone.
WHOLE_WINDOW = {"following": "live", "steering-place": "steering", "compared": "compared", "watching": "watching",
                "several-servers": "several-servers"}
PANEL_ALONE = {"following-contents": "contents", "guesses": "guesses", "following-settings": "settings",
               "waiting-activity": "activity", "client-lost": "client-lost", "streams": "streams"}
PAGES = ("Snapshots", "Contents", "Settings", "Activity", "Steering")
# A laptop's window and a workstation's, in pixels.
WINDOWS = ((1280, 800), (2560, 1440))
MOST_SNAPSHOTS = 12


@pytest.fixture
def programs(tmp_path, screen):
    """Started in a folder that may be shown in the documentation, if there is one."""
    made = Programs(pathlib.Path(NEUTRAL_FOLDERS[-1]) if NEUTRAL_FOLDERS else tmp_path, screen)
    yield made
    made.stop()


def send_signal(number):
    """To the simulation's processes."""
    found = processes_called("gray_scott")
    assert found, "there is no process gray_scott"
    for pid in found:
        os.kill(pid, number)


def go_on_shortly(window):
    """Lets the stopped simulation go on for a moment, before the server takes it for lost."""
    send_signal(signal.SIGCONT)
    window.wait_for_polls(2)
    send_signal(signal.SIGSTOP)
    window.wait_for_polls(2)


def check_pages(window, name, *which):
    for page in which:
        window.show_page(page)
        window.wait_for_polls()
        window.check_appearance(f"{name}-{page.lower()}")
    window.show_page("Snapshots")


def check_settings(window, name):
    """All of the page Settings, also below the part that is visible at first."""
    window.show_page("Settings")
    window.wait_for_polls()
    window.check_appearance(f"{name}-settings")
    window.advanced_settings(True)
    window.check_appearance(f"{name}-settings-advanced")
    window.ask(do="scrollTo", object=PANEL + "proxyWidget/SmallTransferSize")
    window.check_appearance(f"{name}-settings-advanced-below")
    window.advanced_settings(False)
    window.show_page("Snapshots")


def check_gallery(window):
    """Each page in windows of both sizes, beside the picture, while the simulation is stopped."""
    for width, height in reversed(WINDOWS):
        window.ask(do="resize", object="", width=width, height=height)
        for page in PAGES:
            window.show_page(page)
            window.wait_for_polls()
            window.check_gallery(f"{page.lower()}-{width}")
        go_on_shortly(window)
    window.show_page("Snapshots")


def check_start(window, contact):
    """From idle to listening, with an error in between."""
    window.check_appearance("idle")
    check_pages(window, "idle", *PAGES[1:])
    window.set_setting("ContactFile", contact.parent / "no such folder" / "run.dsm")
    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Error", "the error")
    window.check_appearance("error")
    window.listen(contact, MaximumSnapshots=MOST_SNAPSHOTS)
    window.check_appearance("listening")
    check_pages(window, "listening", "Steering")


def check_simulation(window):
    """Follow a simulation, hold, and let it wait for room."""
    window.until(lambda: window.panel("shown") > 4, "pictures")
    send_signal(signal.SIGSTOP)
    window.wait_for_polls(3)
    # From far enough that the colour legend stands beside the cube.
    window.python(
        "from paraview.simple import *\ncamera = GetActiveCamera()\n"
        "camera.Azimuth(25)\ncamera.Elevation(20)\nRender()\n"  # the first one of a script resets the camera
        "camera.Dolly(0.78)\nRender()"
    )
    window.check_appearance("following")
    check_pages(window, "following", "Contents", "Activity", "Steering")
    go_on_shortly(window)
    check_gallery(window)
    window.show_page("Steering")
    window.click(STEERING + "show drop position")
    window.enter("drop position/x", 24)
    window.enter("drop position/z", 33)
    window.enter("feed", 0.035)
    window.check_appearance("steering-place")
    window.click(STEERING + "steeringReset")
    window.click(STEERING + "show drop position")
    go_on_shortly(window)
    # While the simulation is stopped, a change waits for its next file.
    window.set_setting("Strategy", "contiguous")
    window.until(lambda: "next file" in window.get(PANEL + "settingsPending"), "the setting that waits")
    check_settings(window, "following")
    go_on_shortly(window)
    # While the simulation is stopped, so that the snapshots to pick are still there.
    window.click(PANEL + "hold")
    window.wait_for_polls(2)
    held, pinned = window.rows()[3][0], window.rows()[5][0]
    window.pick(held)
    window.wait_for_polls(2)
    assert window.panel("shown") == held
    window.check_appearance("held")
    window.pin(pinned)
    window.until(lambda: window.pinned() == [pinned, held], "the pin")
    window.check_appearance("pinned")
    window.set_setting("WhenFull", "block")
    send_signal(signal.SIGCONT)
    window.until(lambda: window.state() == "Waiting for room", "the simulation to wait")
    window.check_appearance("waiting")
    check_pages(window, "waiting", "Activity")
    window.set_setting("WhenFull", "drop oldest")
    window.until(lambda: window.state() != "Waiting for room", "the simulation to go on")
    window.click(PANEL + "follow")


def check_steering(window, programs, contact):
    """The page Steering, with every kind of parameter."""
    program = programs.start(launched("C", 2), "steered", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    window.show_page("Steering")
    window.until(lambda: window.exists(STEERING + "steeringForm") and window.steering("paused"), "the form")
    window.until(lambda: window.state() == "Paused", "the pause")
    window.check_appearance("paused")
    window.enter("flag", True)
    window.enter("feed", 0.05)
    window.enter("label", "second")
    window.check_appearance("steering-changed")
    window.enter("feed", 0.2)
    window.click(STEERING + "steeringApply")
    window.until(lambda: window.steering("outcome").startswith("Not applied"), "the refusal")
    window.check_appearance("steering-refused")
    window.enter("feed", 0.07)
    window.click(STEERING + "steeringApply")
    window.click(STEERING + "command resume/button")
    window.until(lambda: window.get(STEERING + "curve energy", "samples") > 50, "the curve")
    window.check_appearance("steering-running")
    window.ask(do="scrollTo", object=STEERING + "curve energy")
    window.check_appearance("steering-curves")
    stop(window)
    program.wait()
    window.until(lambda: "has ended" in window.get(STEERING + "steeringState"), "the end")
    window.check_appearance("steering-ended")
    window.show_page("Snapshots")


def check_guesses(window, programs, contact):
    """The page Contents of files that say little."""
    window.click(PANEL + "follow")
    programs.plain_simulation(contact).wait()
    window.show_page("Contents")
    window.until(lambda: window.exists(PANEL + "contents/setSpacing"), "the guesses")
    window.python(
        "from paraview.simple import *\n"
        "(reader,) = [source for source in GetSources().values() if source.GetXMLName() == 'DSMReader']\n"
        "reader.Spacing = '0.5 1 2'\nreader.UpdatePipeline()")
    window.until(lambda: "Spacing 0.5 1 2" in window.ask(do="texts", object=PANEL + "contents"), "what is set")
    window.check_appearance("guesses")


def newest(window):
    """The highest number of the streams that are ticked."""
    return max((numbers[0] for _, ticked, _, numbers in window.groups() if ticked), default=0)


def check_streams(window, programs, contact):
    """A list of several streams, and of two runs."""
    window.show_page("Snapshots")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")
    window.click(PANEL + "start")
    for last in (4, 5):
        simulation = start(programs, contact, "density particles checkpoint")
        write(simulation, *range(last + 1))
        window.until(lambda: len(window.groups()) >= 3 and window.panel("shown") == newest(window), "the newest")
        end(simulation)
    window.wait_for_polls(2)
    window.check_appearance("streams")


def check_compared(window, programs, contact):
    """A run, its branch and the difference side by side, and a group that says where its run comes from."""
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")
    window.click(PANEL + "start")
    begun = programs.folder / "output" / "gray_scott.00300.vtkhdf"
    for name, options in (("output", ()), ("branch", ("--restart", begun, "--feed", 0.045))):
        programs.simulation(contact, 2, 600, 100, 24, name, *options).wait()
    window.until(lambda: len(window.groups()) == 2 and window.panel("shown") == newest(window), "both runs")
    window.python("from paraview.simple import *\nshown = [one for one in GetSources().values() "
                  "if one.GetXMLName() == 'DSMReader' and one.FilePattern in ('', 'gray_scott.#.vtkhdf')][-1]\n"
                  "GetDisplayProperties(shown, GetActiveView()).SetRepresentationType('Slice')\nRender()")
    views = window.evaluate("len(GetViews())")[0]
    window.choose_from_menu("gray_scott", "Compare With > gray_scott.#.vtkhdf, run 1")
    window.until(lambda: window.evaluate("len(GetViews())")[0] == views + 3, "the comparison")
    window.wait_for_polls(2)
    assert window.panel("errorText") == ""
    window.check_appearance("compared")


def test_looks(programs, monkeypatch):
    # On a busy machine a simulation that is stopped below may be so for longer than the usual 10 s, after which it
    # is lost.
    monkeypatch.setenv("DSM_PEER_TIMEOUT", "40")
    contact = programs.folder / "run.dsm"
    window = programs.window()
    # Elsewhere they would show folders of this machine.
    if NEUTRAL_FOLDERS:
        window.documented = (WHOLE_WINDOW, PANEL_ALONE)
    check_start(window, contact)
    first = programs.simulation(contact, steps=100000, every=50, size=32)
    check_simulation(window)
    first.stop(kill=True)
    window.until(lambda: window.state() == "Simulation lost", "the loss", 70)
    window.check_appearance("client-lost")
    window.click(PANEL + "dismiss")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    window.check_appearance("stopped")

    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Listening", "listening again")
    # The next simulation gets a reader of its own.
    window.python("from paraview.simple import *\nDelete(GetActiveSource())")
    slow = programs.start(
        [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", 2, BIN / "dsmUnfinished", "wait",
         programs.folder / "slow"], "slow", talk=True)
    slow.wait_for_line("waiting")
    window.until(lambda: window.state() == "Receiving step 2", "a file that is being written")
    window.check_appearance("receiving")
    slow.say("\n")
    slow.wait()
    window.until(lambda: window.state() == "Listening", "the end")
    window.check_appearance("ended")
    check_steering(window, programs, contact)
    check_guesses(window, programs, contact)
    check_streams(window, programs, contact)
    check_compared(window, programs, contact)
    window.click(PANEL + "stop")
    window.question()
    window.check_appearance("question", QUESTION)
    window.click(QUESTION + "/cancel")
    window.exit()
    window.assert_no_problems()


def check_second(window, programs):
    """Another server beside the first, in a panel of its own."""
    window.show_page("Snapshots")
    contact = programs.folder / "other.dsm"
    serve(programs, contact)
    programs.simulation(contact, steps=3000, every=300, size=24, name="other").wait()
    open_file(window, contact)
    window.until(lambda: window.exists(FURTHER) and window.get(FURTHER, "shown") == 11, "pictures")
    window.python("from paraview.simple import *\ncamera = GetActiveCamera()\n"
                  "camera.Azimuth(25)\ncamera.Elevation(20)\nRender()")
    window.check_appearance("several-servers", panel=FURTHER)


def test_watching(programs, monkeypatch):
    """A window that watches a server of another program."""
    monkeypatch.setenv("DSM_PEER_TIMEOUT", "40")
    contact = programs.folder / "run.dsm"
    serve(programs, contact)
    window = programs.window()
    if NEUTRAL_FOLDERS:
        window.documented = (WHOLE_WINDOW, PANEL_ALONE)
    simulation = programs.simulation(contact, steps=100000, every=50, size=32)
    open_file(window, contact)
    window.until(lambda: window.panel("shown") > 4, "pictures")
    send_signal(signal.SIGSTOP)
    window.wait_for_polls(3)
    window.python(
        "from paraview.simple import *\ncamera = GetActiveCamera()\n"
        "camera.Azimuth(25)\ncamera.Elevation(20)\nRender()\ncamera.Dolly(0.78)\nRender()")
    window.check_appearance("watching")
    check_pages(window, "watching", *PAGES[1:])
    check_second(window, programs)
    send_signal(signal.SIGCONT)
    simulation.stop(kill=True)
    window.close()
    window.assert_no_problems()

# SPDX-License-Identifier: BSD-3-Clause
"""What the panel looks like in each state and on each page, in light and in dark: nothing is cut off or
pale, and whatever can be used explains itself. The pictures are for people to look at, and those of the
documentation come from here:

    ./dev test -R Gui.PanelLooks && cp build/openmpi/Testing/pictures/documented/*.png Widgets/pictures
"""

import os
import pathlib
import shutil
import signal
import tempfile

import pytest
from steering_page import launched
from window import BIN, DSM, MPIEXEC, STEERING, ranks, tab

# What the documentation shows, and under which name there: the whole window, or the panel alone.
WHOLE = {"following": "live", "steering-place": "steering"}
PANEL = {"following-contents": "contents", "following-settings": "settings", "waiting-activity": "activity", "client-lost": "client-lost"}
PAGES = ("Snapshots", "Contents", "Settings", "Activity", "Steering")
KEPT = 12


@pytest.fixture
def contact():
    """A short name, as a user would choose: it is to be seen in the pictures."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dsm."))
    yield folder / "run.dsm"
    shutil.rmtree(folder, ignore_errors=True)


def tell(program, what):
    """Sends a signal to a simulation's processes."""
    found = ranks(program)
    assert found, f"no process is called {program}"
    for pid in found:
        os.kill(pid, what)


def breathe(window):
    """Lets a simulation that stands still go on for a moment, before it counts as lost."""
    tell("gray_scott", signal.SIGCONT)
    window.looked(2)
    tell("gray_scott", signal.SIGSTOP)
    window.looked(2)


def pages(window, name, *which):
    for page in which:
        tab(window, page)
        window.looked()
        window.looks(f"{name}-{page.lower()}")
    tab(window, "Snapshots")


def advanced(window, on):
    window.ask(do="play", object=DSM + "settingsAdvanced", command="set_boolean", arguments="true" if on else "false")


def settings(window, name):
    """All of the page Settings, also what one scrolls to."""
    tab(window, "Settings")
    window.looked()
    window.looks(f"{name}-settings")
    advanced(window, True)
    window.looks(f"{name}-settings-advanced")
    window.ask(do="scrollTo", object=DSM + "proxyWidget/SmallTransferSize")
    window.looks(f"{name}-settings-advanced-below")
    advanced(window, False)
    tab(window, "Snapshots")


def begin(window, contact):
    """From nothing to listening, by way of an error."""
    window.until(lambda: window.state() == "Idle", "idle")
    window.looks("idle")
    pages(window, "idle", *PAGES[1:])
    window.setting("ContactFile", contact.parent / "no such folder" / "run.dsm")
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Error", "the error")
    window.looks("error")
    window.listen(contact, MaximumSnapshots=KEPT)
    window.looks("listening")
    pages(window, "listening", "Steering")


def follow(window):
    """A simulation that is followed, held, and waits for room."""
    window.until(lambda: window.panel("shown") > 4, "pictures")
    tell("gray_scott", signal.SIGSTOP)
    window.looked(3)
    window.python("from paraview.simple import *\nGetActiveCamera().Azimuth(25)\nGetActiveCamera().Elevation(20)\nRender()")
    window.looks("following")
    pages(window, "following", "Contents", "Activity", "Steering")
    breathe(window)
    tab(window, "Steering")
    window.click(STEERING + "show drop position")
    window.enter("drop position/x", 24)
    window.enter("drop position/z", 33)
    window.enter("feed", 0.035)
    window.looks("steering-place")
    window.click(STEERING + "steeringReset")
    window.click(STEERING + "show drop position")
    breathe(window)
    # A simulation that does not go on: what was changed waits for its next file.
    window.setting("Strategy", "contiguous")
    window.until(lambda: "next file" in window.get(DSM + "settingsPending"), "the setting that waits")
    settings(window, "following")
    breathe(window)
    # Held while it stands still: else what one wants to pick may be gone.
    window.click(DSM + "hold")
    window.looked(2)
    held, pinned = window.rows()[3][0], window.rows()[5][0]
    window.pick(held)
    window.looked(2)
    assert window.panel("shown") == held
    window.looks("held")
    assert window.ask(do="clickRow", object=DSM + "table", row=pinned, column=5)
    window.until(lambda: sorted(row[0] for row in window.rows() if row[5] == 2) == [pinned, held], "the pin")
    window.looks("pinned")
    window.setting("FullRing", "block")
    tell("gray_scott", signal.SIGCONT)
    window.until(lambda: window.state() == "Waiting for room", "the simulation to wait")
    window.looks("waiting")
    pages(window, "waiting", "Activity")
    window.setting("FullRing", "drop oldest")
    window.until(lambda: window.state() != "Waiting for room", "the simulation to go on")
    window.click(DSM + "follow")


def steer(window, workshop, contact):
    """The page Steering, with every kind of parameter."""
    program = workshop.start(launched("C", 2), "steered", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    tab(window, "Steering")
    window.until(lambda: window.try_("size", STEERING + "steeringForm") and window.steering("paused"), "the form")
    window.until(lambda: window.state() == "Paused", "the pause")
    window.looks("paused")
    window.enter("flag", True)
    window.enter("feed", 0.05)
    window.enter("label", "second")
    window.looks("steering-changed")
    window.enter("feed", 0.2)
    window.click(STEERING + "steeringApply")
    window.until(lambda: window.steering("outcome").startswith("Refused"), "the refusal")
    window.looks("steering-refused")
    window.enter("feed", 0.07)
    window.click(STEERING + "steeringApply")
    window.click(STEERING + "command resume/button")
    window.until(lambda: window.get(STEERING + "curve energy", "samples") > 50, "the curve")
    window.looks("steering-running")
    window.ask(do="scrollTo", object=STEERING + "curve energy")
    window.looks("steering-curves")
    window.click(STEERING + "command stop/button")
    window.until(lambda: window.try_("size", STEERING + "stopQuestion"), "the question")
    window.click(STEERING + "stopQuestion/yes")
    program.wait()
    window.until(lambda: "has ended" in window.get(STEERING + "steeringState"), "the end")
    window.looks("steering-ended")
    tab(window, "Snapshots")


def test_looks(workshop, contact, monkeypatch):
    # On a busy machine what stands still below may do so for longer than the usual 10 s, after which it is a loss.
    monkeypatch.setenv("DSM_PEER_TIMEOUT", "40")
    window = workshop.window()
    window.documented = (WHOLE, PANEL)
    begin(window, contact)
    first = workshop.simulation(contact, steps=100000, every=50, size=32)
    follow(window)
    first.stop(kill=True)
    window.until(lambda: window.state() == "Client lost", "the loss", 70)
    window.looks("client-lost")
    window.click(DSM + "dismiss")
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    window.looks("stopped")

    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening again")
    # Another kind of data is another picture.
    window.python("from paraview.simple import *\nDelete(GetActiveSource())")
    slow = workshop.start(
        [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", 2, BIN / "dsmUnfinished", "wait", workshop.folder / "slow"], "slow", talk=True)
    slow.wait_for_line("waiting")
    window.until(lambda: window.state() == "Receiving step 2", "a file that is being written")
    window.looks("receiving")
    slow.say("\n")
    slow.wait()
    window.until(lambda: window.state() == "Listening", "the end")
    window.looks("ended")
    steer(window, workshop, contact)
    window.close()
    window.legible()

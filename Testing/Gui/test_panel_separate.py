# SPDX-License-Identifier: BSD-3-Clause
"""Memory in processes of its own: ParaView's server ends, and its window says so. The next ParaView has everything
again, and does not crash of the same."""

import json
import os
import signal
import time

from processes import running
from window import HOSTS, PANEL, QUESTION, SEPARATE, processes_called

START_QUESTION = PANEL + "startQuestion"


def test_crash(window, programs):
    contact = programs.folder / "run.dsm"
    server, url = programs.pvserver(1)
    crashing = programs.window(f"--server-url={url}")
    # A window is idle at first with a server of its own, whose settings go when it has connected.
    crashing.until(lambda: crashing.is_connected() and crashing.exists(SEPARATE), "the settings of the server", 90)
    crashing.set_checked(SEPARATE, True)
    crashing.set_setting("WhenFull", "block")
    crashing.listen(contact, BlockSize="64 KiB", NamePattern="*.vtkhdf")
    programs.simulation(contact, ranks=2, steps=100, every=50).wait()
    crashing.until(lambda: crashing.panel("shown") == 3, "three snapshots")
    (killed,) = processes_called("pvserver")
    # Between two polls: where a server ends in the middle of a request, ParaView itself is busy with errors.
    crashing.poll_every(1000)
    crashing.wait_for_polls(2)
    os.kill(killed, signal.SIGKILL)
    server.status()
    crashing.until(lambda: crashing.state() == "Server lost", "word of the crash")
    # While ParaView asks its user what to do, the panel asks nothing of its server: that would end the window.
    end = time.monotonic() + 2
    crashing.until(lambda: time.monotonic() > end, "several polls")
    assert not crashing.get(PANEL + "stop", "enabled")
    crashing.screenshot("server-lost")
    crashing.program.stop()
    programs.simulation(contact, ranks=2, steps=0, name="fourth").wait()
    assert len(running("dsm-serve", contact)) == 1

    # As a reader that crashes leaves it (ParaView.Separate): the next ParaView says so, and does not crash of it too.
    crash = {"Server": json.loads(contact.read_text())["ServerPublicKey"], "Snapshot": 4, "As": "VTKHDF"}
    (programs.folder / "run.dsm.crashed").write_text(f"{json.dumps(crash)}\n")
    window.set_setting("ContactFile", contact)
    window.set_checked(SEPARATE, True)
    window.click(PANEL + "start")
    window.until(lambda: window.panel("errorText"), "what happened")
    told = window.panel("errorText")
    assert told.startswith("ParaView crashed while it read snapshot 4, ") and " as VTKHDF, so " in told, told
    assert window.rows()[0][0] == 4
    window.show_page("Snapshots")
    window.check_appearance("crashed")
    # The next one is fine, and nobody needed to look.
    programs.simulation(contact, ranks=2, steps=0, name="alone").wait()
    window.until(lambda: window.panel("shown") == 5, "the fifth snapshot")
    assert [row[0] for row in window.rows()] == [5, 4, 3, 2, 1]
    assert window.panel("errorText") == told
    window.click(PANEL + "dismiss")
    window.until(lambda: window.panel("errorText") == "", "no other error")
    # By hand it is refused, until the user says what to read it as.
    window.pick(4)
    window.until(lambda: window.panel("errorText") == told, "why it is not shown")
    window.python("from paraview.simple import *; GetActiveSource().ReadAs = 'VTKHDF'; Render()")
    window.until(lambda: window.panel("shown") == 4 and window.panel("errorText") == "", "the fourth")
    window.python("from paraview.simple import *; GetActiveSource().ReadAs = 'automatic'; Render()")
    window.click(PANEL + "follow")
    window.until(lambda: window.panel("shown") == 5, "the newest")
    # The settings too, where the panel shows them, and where they are in force.
    shown = [window.setting(name) for name in ("WhenFull", "BlockSize", "MemoryPerHost")]
    assert shown == ["block", "64 KiB", "64 MiB"], shown
    assert window.evaluate(f"{HOSTS}.GetProperty('NamePattern').GetElement(0)") == ["*.vtkhdf"]
    assert "block size 64.0 KiB" in window.get(PANEL + "settingsNote")
    window.pin(1)
    window.until(lambda: window.pinned() == [1], "the pin")
    window.set_setting("BlockSize", "128 KiB")
    programs.simulation(contact, ranks=2, steps=50, every=50, name="more").wait()
    window.until(lambda: window.panel("shown") == 7, "new snapshots")
    assert "block size 128 KiB" in window.get(PANEL + "settingsNote")
    for number in (8, 9):
        # Each a file of the same time.
        programs.simulation(contact, ranks=2, steps=0, name=f"beginning{number}").wait()
        window.until(lambda number=number: window.panel("shown") == number, "the beginning of another simulation")
    window.show_page("Settings")
    window.check_appearance("separate")

    # The memory is lost, and the window neither hangs nor crashes.
    (host,) = running("dsm-serve", contact)
    os.kill(host, signal.SIGKILL)
    window.until(lambda: window.state() == "Hosts lost", "word of it")
    window.show_page("Snapshots")
    window.check_appearance("memory-lost")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")
    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Listening", "listening again")
    programs.simulation(contact, ranks=2, steps=50, every=50, name="again").wait()
    window.until(lambda: window.panel("shown") == 2, "its snapshots")
    # Stop can leave the memory where it is.
    window.wait_for_polls(2)
    window.click(PANEL + "stop")
    assert "2 snapshots" in window.question() and "held outside ParaView" in window.question()
    window.screenshot("question-separate", QUESTION)
    window.click(QUESTION + "/keep")
    window.until(lambda: window.state() == "Idle", "idle")
    assert contact.exists() and window.panel("errorText") == ""
    programs.simulation(contact, ranks=2, steps=0, name="without").wait()
    window.click(PANEL + "start")
    window.until(lambda: [row[0] for row in window.rows()] == [3, 2, 1], "what is there")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle" and not running("dsm-serve", contact), "the end")


def crash_with_snapshots(programs, contact):
    """Kills a ParaView whose host processes have three snapshots."""
    crashing = programs.window()
    crashing.set_checked(SEPARATE, True)
    crashing.listen(contact)
    programs.simulation(contact, ranks=2, steps=100, every=50).wait()
    crashing.until(lambda: crashing.panel("shown") == 3, "three snapshots")
    crashing.program.stop(kill=True)
    assert len(running("dsm-serve", contact)) == 1


def test_reconnect(window, programs):
    """Start offers what can be done about host processes that a ParaView left behind when it was killed."""
    contact, other = programs.folder / "run.dsm", programs.folder / "other.dsm"
    crash_with_snapshots(programs, contact)
    window.set_setting("ContactFile", contact)

    def question():
        window.click(PANEL + "start")
        window.until(lambda: window.exists(START_QUESTION), "the question")
        return window.get(START_QUESTION) + "\n" + window.get(START_QUESTION, "informativeText")

    def answer(name):
        window.click(f"{START_QUESTION}/{name}")
        window.until(lambda: not window.exists(START_QUESTION), "the end of the question")

    text = question()
    assert f"A server is already running with {contact}." in text and "3 snapshots (" in text, text
    assert "its 3 unsaved snapshots will be lost" in text, text
    assert window.get(START_QUESTION + "/reconnect", "default") is True
    window.check_appearance("question-start", START_QUESTION)
    answer("cancel")
    assert window.state() == "Idle" and window.panel("errorText") == ""

    question()
    answer("other")
    window.until(lambda: window.ask(do="choose", file=str(other)), "the dialog for a file")
    window.until(lambda: window.state() == "Listening", "listening with the other file")
    assert other.exists() and window.rows() == [] and len(running("dsm-serve", contact)) == 1
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")

    window.set_setting("ContactFile", contact)
    question()
    window.press_enter(START_QUESTION + "/reconnect")
    window.until(lambda: window.panel("shown") == 3, "the snapshots")
    assert [row[0] for row in window.rows()] == [3, 2, 1] and window.get(SEPARATE, "checked", "QCheckBox") is True
    window.stop_hosting("keep")
    window.until(lambda: window.state() == "Idle", "idle again")

    window.set_checked(SEPARATE, False)
    question()
    answer("discard")
    window.until(lambda: window.state() == "Listening", "listening anew")
    assert not running("dsm-serve", contact) and window.rows() == [] and contact.exists()
    assert window.panel("errorText") == ""
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    window.assert_no_problems()


def test_server_of_another_program(window, other_window, programs):
    """Start says so if the server is the other ParaView itself, which nobody can take over."""
    contact = programs.folder / "run.dsm"
    other_window.listen(contact)
    window.set_setting("ContactFile", contact)
    window.click(PANEL + "start")
    window.until(lambda: window.exists(START_QUESTION), "the question")
    assert "part of another program" in window.get(START_QUESTION, "informativeText")
    assert not window.exists(START_QUESTION + "/reconnect") and not window.exists(START_QUESTION + "/discard")
    window.screenshot("question-start-other", START_QUESTION)
    window.click(START_QUESTION + "/cancel")
    assert window.state() == "Idle" and other_window.state() == "Listening"


def test_choice_is_remembered(programs):
    """The next ParaView keeps data in host processes if the user has chosen that in the last."""
    for before, chosen in ((False, True), (True, False), (False, False)):
        window = programs.window(settings=True)
        assert window.get(SEPARATE, "checked", "QCheckBox") is before
        window.set_checked(SEPARATE, chosen)
        window.close()

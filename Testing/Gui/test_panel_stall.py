# SPDX-License-Identifier: BSD-3-Clause
"""The window goes on handling events while a simulation writes at full speed, stalls, and is killed. The
reader was made by File > Open."""

import os
import signal

from window import PANEL, processes_called


def use_panel(window):
    """What a user does in the panel, and the polls of two seconds or so."""
    window.show_page("Settings")
    window.set_setting("BlockSize", "64 KiB")
    window.show_page("Snapshots")
    window.click(PANEL + "hold")
    window.pick(window.rows()[1][0])
    window.click(PANEL + "follow")
    window.wait_for_polls(8)


def test_stall(window, programs, monkeypatch):
    # On a busy machine the stall below may take longer than the usual 10 s, after which the simulation is lost.
    monkeypatch.setenv("DSM_PEER_TIMEOUT", "20")
    window.set_variable("DSM_PEER_TIMEOUT", 20)
    contact = programs.folder / "run.dsm"
    window.set_checked(PANEL + "automatic", False)
    window.listen(contact)
    window.start_timing()
    # A file at every step, and no reader.
    simulation = programs.simulation(contact, steps=10000000, every=1, size=32)
    window.until(lambda: len(window.rows()) > 10, "snapshots")
    assert window.panel("shown") == 0
    window.report_times("a simulation writes at full speed")

    # The file dialog, then Apply; from then on the panel follows with that reader.
    assert window.ask(do="trigger", action="actionFileOpen")
    window.until(lambda: window.ask(do="choose", file=str(contact)), "the file dialog")
    window.until(lambda: window.evaluate("len(GetSources())")[0] == 1, "the reader")
    assert window.evaluate("list(GetSources().values())[0].SMProxy.GetXMLName()") == ["DSMReader"]
    window.click("propertiesPanel/Accept")
    window.until(lambda: window.panel("shown") > 0, "the picture")
    shown = window.panel("shown")
    window.until(lambda: window.panel("shown") > shown, "the next picture")
    window.report_times("and is shown")

    simulating = processes_called("gray_scott")
    assert len(simulating) == 3
    for pid in simulating:
        os.kill(pid, signal.SIGSTOP)
    # The file that was being written has come.
    window.wait_for_polls(3)
    window.until(lambda: window.panel("shown") == window.rows()[0][0], "the last picture")
    window.start_timing()
    newest = window.rows()[0][0]
    use_panel(window)
    # No file has come since: the change is not in force yet, and the panel says so.
    assert window.get(PANEL + "settingsPending") == "Pending: block size (from the next file)"
    assert "block size 64.0 KiB" in window.get(PANEL + "settingsNote")
    # Some seconds after the file that the simulation has open began, the panel names that file.
    assert window.rows()[0][0] == newest
    assert window.state().startswith(("Receiving", "Connected", "File still open")), window.state()
    assert window.panel("errorText") == ""
    window.screenshot("stalled")
    window.report_times("the simulation stalls")
    for pid in simulating:
        os.kill(pid, signal.SIGCONT)
    window.until(lambda: window.panel("shown") > newest, "the simulation to go on")
    window.until(lambda: window.get(PANEL + "settingsPending") == "", "the change to be in force")

    window.start_timing()
    for pid in simulating:
        os.kill(pid, signal.SIGKILL)
    window.until(lambda: window.state() == "Simulation lost", "the loss")
    use_panel(window)
    assert window.panel("errorText")
    window.report_times("it dies")
    simulation.stop()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")

# SPDX-License-Identifier: BSD-3-Clause
"""The window goes on answering while a simulation writes at full speed, stalls, and dies. What is
written was opened by hand, by File > Open."""

import os
import signal

from window import DSM, ranks, tab


def use(window):
    """What a user does in the panel, and as many looks at the server as come in two seconds or so."""
    tab(window, "Settings")
    window.setting("BlockSize", "64 KiB")
    tab(window, "Snapshots")
    window.click(DSM + "hold")
    window.pick(window.rows()[1][0])
    window.click(DSM + "follow")
    window.looked(8)


def test_stall(workshop, monkeypatch):
    # On a busy machine the stall below may take longer than the usual 10 s, after which it is a loss.
    monkeypatch.setenv("DSM_PEER_TIMEOUT", "20")
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    window.report("making the panel")
    contact = workshop.folder / "run.dsm"
    window.ask(do="play", object=DSM + "automatic", command="set_boolean", arguments="false")
    window.listen(contact)
    window.begin()
    # A file at every step, and nobody who shows it.
    simulation = workshop.simulation(contact, steps=10000000, every=1, size=32)
    window.until(lambda: len(window.rows()) > 10, "snapshots")
    assert window.panel("shown") == 0
    window.report("a simulation writes at full speed")

    # The dialog, as a user leaves it; Apply; and the panel's own way goes on from there.
    assert window.ask(do="trigger", action="actionFileOpen")
    window.until(lambda: window.ask(do="choose", file=str(contact)), "the file dialog")
    window.until(lambda: window.information("len(GetSources())")[0] == 1, "the reader")
    assert window.information("list(GetSources().values())[0].SMProxy.GetXMLName()") == ["DSMReader"]
    window.click("propertiesPanel/Accept")
    window.until(lambda: window.panel("shown") > 0, "the picture")
    shown = window.panel("shown")
    window.until(lambda: window.panel("shown") > shown, "the next picture")
    window.report("and is shown")

    simulating = ranks("gray_scott")
    assert len(simulating) == 3
    for pid in simulating:
        os.kill(pid, signal.SIGSTOP)
    # Whatever was on its way has come.
    window.looked(3)
    window.until(lambda: window.panel("shown") == window.rows()[0][0], "the last picture")
    window.begin()
    newest = window.rows()[0][0]
    use(window)
    # No file has come since: the panel says that the change does not count yet, and what will.
    assert window.get(DSM + "settingsPending") == "Not in force yet: block size: from the next file on"
    assert "blocks of 64.0 KiB" in window.get(DSM + "settingsNote")
    assert window.rows()[0][0] == newest and window.state().startswith(("Receiving", "Connected"))
    assert window.panel("errorText") == ""
    window.picture("stalled")
    window.report("the simulation stalls")
    for pid in simulating:
        os.kill(pid, signal.SIGCONT)
    window.until(lambda: window.panel("shown") > newest, "the simulation to go on")
    window.until(lambda: window.get(DSM + "settingsPending") == "", "the change to count")

    window.begin()
    for pid in simulating:
        os.kill(pid, signal.SIGKILL)
    window.until(lambda: window.state() == "Client lost", "the loss")
    use(window)
    assert window.panel("errorText")
    window.report("it dies")
    simulation.stop()
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    window.close()

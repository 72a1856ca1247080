# SPDX-License-Identifier: BSD-3-Clause
"""The panel in a ParaView that hosts by itself: from start to a live picture and on."""

import signal


def test_panel(workshop):
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    window.picture("1-idle")
    window.click("pqDSMPanel/start")
    window.until(lambda: window.state() == "Listening", "listening")
    contact = workshop.folder / "run.dsm"
    assert contact.exists()
    assert f"--contact {contact}" in window.get("pqDSMPanel/launchLine")
    window.picture("2-listening")
    simulation = workshop.simulation(contact, steps=400, every=20)
    window.until(lambda: window.panel("shown") > 0, "the first picture")
    window.picture("3-first")
    simulation.wait()
    window.until(lambda: window.panel("shown") == 21, "the last of 21 snapshots")
    window.picture("4-last")
    print(window.rows())
    print("poll", window.panel("longestPoll"), "ms; silence", window.ask(do="silence"), "ms")
    window.close()

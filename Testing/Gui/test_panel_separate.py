# SPDX-License-Identifier: BSD-3-Clause
"""Memory in processes of its own: ParaView's window crashes, and the next one has everything again."""

import os
import signal

from processes import running
from window import HOSTS, PANEL, QUESTION

SEPARATE = PANEL + "proxyWidget/Separate"


def test_crash(window, programs):
    contact = programs.folder / "run.dsm"
    crashing = programs.window()
    crashing.set_checked(SEPARATE, True)
    crashing.set_setting("FullRing", "block")
    crashing.listen(contact, BlockSize="64 KiB", NamePattern="*.vtkhdf")
    programs.simulation(contact, ranks=2, steps=100, every=50).wait()
    crashing.until(lambda: crashing.panel("shown") == 3, "three snapshots")
    os.kill(crashing.program.process.pid, signal.SIGKILL)
    crashing.program.status()
    # It needs nobody to look.
    programs.simulation(contact, ranks=2, steps=50, every=50, name="alone").wait()
    assert len(running("dsm-serve", contact)) == 1

    window.set_setting("ContactFile", contact)
    window.set_checked(SEPARATE, True)
    window.click(PANEL + "start")
    window.until(lambda: window.panel("shown") == 5, "all five snapshots")
    assert [row[0] for row in window.rows()] == [5, 4, 3, 2, 1]
    # The settings too, where the panel shows them, and where they are in force.
    shown = [window.setting(name) for name in ("FullRing", "BlockSize", "MemoryPerHost")]
    assert shown == ["block", "64 KiB", "64 MiB"], shown
    assert window.evaluate(f"{HOSTS}.GetProperty('NamePattern').GetElement(0)") == ["*.vtkhdf"]
    assert "blocks of 64.0 KiB" in window.get(PANEL + "settingsNote")
    window.pin(1)
    window.until(lambda: window.pinned() == [1], "the pin")
    window.set_setting("BlockSize", "128 KiB")
    programs.simulation(contact, ranks=2, steps=50, every=50, name="more").wait()
    window.until(lambda: window.panel("shown") == 7, "new snapshots")
    assert "blocks of 128 KiB" in window.get(PANEL + "settingsNote")
    for number in (8, 9):
        # Each a file of the same time.
        programs.simulation(contact, ranks=2, steps=0, name=f"beginning{number}").wait()
        window.until(lambda number=number: window.panel("shown") == number, "the beginning of another simulation")
    window.show_page("Settings")
    window.check_appearance("separate")

    # The memory is lost, and the window neither hangs nor crashes.
    (host,) = running("dsm-serve", contact)
    os.kill(host, signal.SIGKILL)
    window.until(lambda: window.state() == "Memory lost", "word of it")
    window.show_page("Snapshots")
    window.check_appearance("memory-lost")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")
    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Listening", "listening again")
    programs.simulation(contact, ranks=2, steps=50, every=50, name="again").wait()
    window.until(lambda: window.panel("shown") == 2, "its snapshots")
    # Stop can leave the memory where it is.
    window.click(PANEL + "stop")
    assert "2 snapshots" in window.question() and "processes of its own" in window.question()
    window.screenshot("question-separate", QUESTION)
    window.click(QUESTION + "/keep")
    window.until(lambda: window.state() == "Idle", "idle")
    assert contact.exists() and window.panel("errorText") == ""
    programs.simulation(contact, ranks=2, steps=0, name="without").wait()
    window.click(PANEL + "start")
    window.until(lambda: [row[0] for row in window.rows()] == [3, 2, 1], "what is there")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle" and not running("dsm-serve", contact), "the end")

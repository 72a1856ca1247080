# SPDX-License-Identifier: BSD-3-Clause
"""The panel of a window that is connected to a pvserver: its two ranks are the hosts."""

from window import PANEL


def test_client_server(connected, programs):
    window = connected
    contact = programs.folder / "run.dsm"
    window.listen(contact, "32 MiB", BlockSize="64 KiB")
    assert "of 64.0 MiB" in window.get(PANEL + "memory", "text")

    simulation = programs.simulation(contact, ranks=3, steps=100000, every=50, size=32)
    window.until(lambda: window.panel("shown") > 2, "pictures")
    with window.looks_alone():
        number = window.panel("shown")
        window.until(lambda: window.panel("shown") > number + 2, "more pictures")
    window.show_page("Activity")
    # Every other block is on the second host; of the files after the change all are on the first.
    used = window.until(lambda: window.get(PANEL + "hostChart", "bytes"), "the bytes on each host")
    assert len(used) == 2 and min(used) > 0.3 * sum(used), used
    window.screenshot("hosts-block-cyclic")
    window.set_setting("Strategy", "contiguous")
    window.until(lambda: window.get(PANEL + "hostChart", "bytes")[1] == 0, "files on the first host only")
    assert window.panel("errorText") == ""
    window.screenshot("hosts-contiguous")
    window.show_page("Snapshots")
    window.click(PANEL + "hold")
    number = window.rows()[3][0]
    window.pick(number)
    assert window.panel("shown") == number
    window.click(PANEL + "follow")
    window.until(lambda: window.panel("shown") > number + 3, "the newest")
    simulation.stop(kill=True)
    window.until(lambda: window.state() == "Simulation lost", "the loss")
    window.screenshot("client-server")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    assert not contact.exists()
    window.report_times()

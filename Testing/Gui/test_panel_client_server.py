# SPDX-License-Identifier: BSD-3-Clause
"""The panel of a window that is connected to a pvserver of two ranks, which host."""

from window import DSM, tab


def test_client_server(workshop):
    server, window = workshop.connected()
    contact = workshop.folder / "run.dsm"
    window.listen(contact, "32 MiB", BlockSize="64 KiB")
    assert "of 64.0 MiB" in window.get(DSM + "memory", "text")

    simulation = workshop.simulation(contact, ranks=3, steps=100000, every=50, size=32)
    window.until(lambda: window.panel("shown") > 2, "pictures")
    tab(window, "Activity")
    # Every other block on the other host; then all on the first, for the files that follow.
    blocks = window.until(lambda: window.get(DSM + "spread", "bytes"), "the spread")
    assert len(blocks) == 2 and min(blocks) > 0.3 * sum(blocks), blocks
    window.picture("spread-block-cyclic")
    window.setting("Strategy", "contiguous")
    window.until(lambda: window.get(DSM + "spread", "bytes")[1] == 0, "files on the first host only")
    assert window.panel("errorText") == ""
    window.picture("spread-contiguous")
    tab(window, "Snapshots")
    window.click(DSM + "hold")
    number = window.rows()[3][0]
    window.pick(number)
    assert window.panel("shown") == number
    window.click(DSM + "follow")
    window.until(lambda: window.panel("shown") > number + 3, "the newest")
    simulation.stop(kill=True)
    window.until(lambda: window.state() == "Client lost", "the loss")
    window.picture("client-server")
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    assert not contact.exists()
    window.report()
    window.close()
    server.wait()

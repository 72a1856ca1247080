# SPDX-License-Identifier: BSD-3-Clause
"""The panel in a ParaView that hosts by itself: from start to a live picture, and on."""

from window import DSM, tab


def test_panel(workshop):
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    window.picture("idle")

    # Where there is nothing to write the contact file into, the panel says so.
    window.setting("ContactFile", workshop.folder / "no such folder" / "run.dsm")
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Error", "the error")
    assert "no such folder" in window.panel("errorText")
    window.picture("error")
    contact = workshop.folder / "run.dsm"
    window.setting("ContactFile", contact)
    window.setting("MemoryPerHost", 64)
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening")
    assert window.panel("errorText") == ""
    assert contact.exists()
    assert f"--contact {contact}" in window.get(DSM + "launchLine", "command")
    window.picture("listening")

    # The first snapshot makes a picture, the others follow.
    first = workshop.simulation(contact, steps=100000, every=50, size=32)
    window.until(lambda: window.panel("shown") > 0, "the first picture")
    window.until(lambda: window.state().startswith(("Receiving gray_scott", "Connected")), "connected")
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early + 3, "more pictures")
    window.picture("following")
    tab(window, 2)
    window.picture("activity")
    tab(window, 1)
    window.picture("settings")
    # Another way to spread files counts from the next file on.
    window.setting("BlockSize", 4096)
    window.setting("Strategy", "contiguous")
    newest = window.rows()[0][0]
    window.until(lambda: window.rows()[0][0] > newest + 2, "files after the change")
    assert window.panel("errorText") == ""
    tab(window, 0)

    # Hold, with the simulation running on; go to another one; pin it; follow again.
    window.click(DSM + "hold")
    held = window.panel("shown")
    newest = window.rows()[0][0]
    window.until(lambda: window.rows()[0][0] > newest + 4, "snapshots while held")
    assert window.panel("shown") == held
    number = window.rows()[2][0]
    assert window.ask(do="clickRow", object=DSM + "table", row=number, column=5)
    window.until(lambda: [r for r in window.rows() if r[0] == number and r[5] == 2], "the pin")
    window.pick(number)
    assert window.panel("shown") == number
    window.until(lambda: window.rows()[0][0] > number + 8, "more snapshots")
    assert window.panel("shown") == number
    window.picture("held")
    camera = "list(GetActiveView().CameraPosition)"
    window.python("from paraview.simple import *\nGetActiveCamera().Azimuth(30)\nGetActiveCamera().Elevation(20)\nRender()")
    before = window.information(camera)
    window.click(DSM + "follow")
    window.until(lambda: window.panel("shown") > number + 8, "the newest")
    assert window.information(camera) == before
    window.picture("turned")

    # The simulation dies: what is there stays, and the panel says what happened.
    first.stop(kill=True)
    window.until(lambda: window.state() == "Client lost", "the loss")
    assert window.panel("errorText")
    window.picture("client-lost")
    window.click(DSM + "dismiss")

    # A second one, then stop and start.
    last = window.panel("shown")
    workshop.simulation(contact, ranks=2, steps=40, every=20, name="second").wait()
    window.until(lambda: window.panel("shown") == window.rows()[0][0] > last, "the second simulation")
    assert window.rows()[0][1] == "40"
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    assert not contact.exists()
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening again")
    workshop.simulation(contact, ranks=3, steps=1300, every=1300, size=32, name="third").wait()
    window.until(lambda: window.panel("shown") == 2, "the third simulation")
    # The range has grown with whatever snapshots there was time to show.
    window.python("from paraview.simple import *\nGetColorTransferFunction('u').RescaleTransferFunction(0.2, 1)\nRender()")
    window.compare("panel")
    window.dark()
    window.picture("dark")
    tab(window, 1)
    window.picture("dark-settings")
    window.report()
    window.close()

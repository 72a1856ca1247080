# SPDX-License-Identifier: BSD-3-Clause
"""What a window leaves behind: a state that another goes on from, and a trace that pvbatch runs."""

import os

from window import DSM, MPIEXEC


def test_state_and_trace(workshop):
    # A name that shells, Python and ParaView's trace must each quote.
    contact = workshop.folder / "it's run.dsm"
    state = workshop.folder / "session.pvsm"
    trace = workshop.folder / "trace.py"
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.setting("ContactFile", contact)
    window.setting("MemoryPerHost", "64 MiB")
    window.click(DSM + "start")
    # Changes while it runs; what is refused is no part of the trace.
    window.setting("BlockSize", "64 KiB")
    window.setting("MemoryPerHost", "4000 TiB")
    window.until(lambda: "cannot lend" in window.panel("errorText"), "the refusal")
    assert window.entered("MemoryPerHost") == "64 MiB"
    window.setting("MemoryPerHost", "64 MiB")
    window.setting("FullRing", "block")
    workshop.simulation(contact, ranks=2, steps=100, every=50).wait()
    window.until(lambda: window.panel("shown") == 3, "three snapshots")
    assert window.ask(do="saveState", file=str(state))
    window.click(DSM + "stop")
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")
    window.close()
    assert not contact.exists()
    script = trace.read_text().split("# trace defaults")[0] + trace.read_text()[-1500:]
    assert "paraviewdsm.start(ContactFile=" in script and "MemoryPerHost=64" in script and "dsm.stop()" in trace.read_text(), script
    for line in ("dsm.change(BlockSize=65536)", "dsm.change(FullRing=1)"):
        assert line in trace.read_text(), trace.read_text()
    assert "MemoryPerHost=41" not in trace.read_text()

    # Another window: listening as before, and the pipeline fills at the next snapshot.
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    window.ask(do="loadState", file=str(state))
    window.until(lambda: window.state() == "Listening", "listening after the state was loaded")
    assert contact.exists()
    assert "of 64.0 MiB" in window.get(DSM + "memory", "text")
    workshop.simulation(contact, ranks=3, steps=50, every=50, name="again").wait()
    window.until(lambda: window.panel("shown") == 2, "the snapshots in the loaded pipeline")
    sources, colour = window.information(
        "sorted(s.SMProxy.GetXMLName() for s in GetSources().values())",
        "list(GetDisplayProperties(list(GetSources().values())[0], GetViews()[0]).ColorArrayName)")
    assert sources == ["DSMReader"] and colour == ["POINTS", "u"]
    window.picture("state-loaded")
    window.click(DSM + "stop")
    window.close()

    # The trace, unchanged.
    picture = workshop.folder / "trace.png"
    with open(trace, "a", encoding="utf-8") as script:
        script.write(f"\nSaveScreenshot({str(picture)!r}, GetActiveView())\nprint('traced')\n")
    batch = workshop.start([*MPIEXEC, "-n", 2, os.environ["DSM_TEST_PVBATCH"], trace], "pvbatch", PYTHONPATH="", PV_PLUGIN_CONFIG_FILE="")
    batch.wait_for_file(contact)
    traced = workshop.simulation(contact, ranks=2, steps=100, every=50, name="traced")
    assert "traced" in batch.wait()
    traced.wait()
    assert picture.stat().st_size > 10000


# Each setting, as a user types it, to something that is not its default, and as the property has it then.
CHOSEN = {
    "Strategy": ("random block", "random block"), "BlockSize": ("8 KiB", 8192), "BlocksPerCycle": (4, 4), "Seed": (7, 7),
    "MemoryPerHost": ("32 MiB", 32), "MaximumSnapshots": (9, 9), "FullRing": ("drop newest", 2), "FullRingLimit": (12.5, 12.5),
    "ExpectedFileSize": ("1 MiB", 2**20), "Transport": ("fabric/tcp", "fabric/tcp"), "SmallTransport": ("shared-memory", "shared-memory"),
    "SmallTransferSize": ("4 KiB", 4096), "Publish": ("on close and flush", 1), "NamePattern": ("*.vtkhdf", "*.vtkhdf"),
}
KEPT = (f"[[each.SMProxy.GetProperty(name).GetElement(0) for name in {list(CHOSEN)}] "
        "for each in servermanager.ProxyManager().GetProxiesInGroup('dsm_servers').values()]")
EXPECTED = [[value for _, value in CHOSEN.values()]]


def test_all_settings_over_a_pvserver(workshop):
    """Each setting, with hosts on a pvserver's ranks: by a state into another pvserver, by a trace into pvbatch."""
    contact, state, trace = workshop.folder / "run.dsm", workshop.folder / "session.pvsm", workshop.folder / "trace.py"
    server, window = workshop.connected()
    assert window.information("servermanager.ActiveConnection.IsRemote()") == [True]
    window.ask(do="play", object=DSM + "settingsAdvanced", command="set_boolean", arguments="true")
    window.setting("ContactFile", contact)
    for name, (typed, _) in CHOSEN.items():
        window.setting(name, typed)
    assert window.information(KEPT) == [EXPECTED]
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.click(DSM + "start")
    simulation = workshop.simulation(contact, ranks=2, steps=100, every=50)
    window.until(lambda: window.panel("shown") == 3, "three snapshots")
    simulation.wait()
    # What somebody does who looks back.
    assert window.ask(do="clickRow", object=DSM + "table", row=1, column=5)
    window.until(lambda: [row[5] for row in window.rows() if row[0] == 1] == [2], "the pin")
    window.pick(2)
    assert window.panel("shown") == 2
    window.setting("BlockSize", "16 KiB")
    window.click(DSM + "follow")
    window.until(lambda: window.panel("shown") == 3, "the newest")
    window.setting("BlockSize", "8 KiB")
    assert window.ask(do="saveState", file=str(state))
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")
    window.close()
    server.wait()

    server, window = workshop.connected(ranks=3)
    window.ask(do="loadState", file=str(state))
    window.until(lambda: window.state() == "Listening", "listening after the state was loaded")
    assert window.information(KEPT) == [EXPECTED]
    assert "of 96.0 MiB" in window.get(DSM + "memory", "text")
    note = window.get(DSM + "settingsNote")
    assert "random block, blocks of 8.00 KiB" in note and "fabric/tcp,shared-memory:4096" in note, note
    workshop.simulation(contact, ranks=3, steps=50, every=50, name="again").wait()
    window.until(lambda: window.panel("shown") == 2, "the snapshots in the loaded pipeline")
    assert window.panel("errorText") == ""
    window.click(DSM + "stop")
    window.close()
    server.wait()

    text = trace.read_text()
    for name, (_, value) in CHOSEN.items():
        assert f"{name}={value!r}" in text, (name, text)
    with open(trace, "a", encoding="utf-8") as script:
        script.write("\nprint('traced', [source.PointData.keys() for source in GetSources().values()])\n")
    batch = workshop.start([*MPIEXEC, "-n", 2, os.environ["DSM_TEST_PVBATCH"], trace], "pvbatch", PYTHONPATH="", PV_PLUGIN_CONFIG_FILE="")
    batch.wait_for_file(contact)
    workshop.simulation(contact, ranks=2, steps=100, every=50, name="traced").wait()
    assert "traced [['u', 'v']]" in batch.wait()

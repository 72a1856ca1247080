# SPDX-License-Identifier: BSD-3-Clause
"""Each setting, of hosts on a pvserver's ranks, in a saved state and in a trace."""

from window import PANEL

# Each setting: what the user types, which is not the default, and the value of the property.
CHOSEN = {
    "Strategy": ("random block", "random block"), "BlockSize": ("8 KiB", 8192), "BlocksPerCycle": (4, 4),
    "Seed": (7, 7), "MemoryPerHost": ("32 MiB", 32), "MaximumSnapshots": (9, 9), "WhenFull": ("block", 1),
    "Lending": ("sparse", "sparse"),
    "LongestWait": (12.5, 12.5), "ExpectedFileSize": ("1 MiB", 2**20), "Transport": ("fabric/tcp", "fabric/tcp"),
    "SmallTransport": ("shared-memory", "shared-memory"),
    "SmallTransferSize": ("4 KiB", 4096), "Publish": ("also at each flush", 1), "NamePattern": ("*.vtkhdf", "*.vtkhdf"),
    "AlsoOnDisk": ("every 2", "every 2"), "Checkpoints": ("*.chk.h5", "*.chk.h5"),
}
VALUES = (f"[[each.SMProxy.GetProperty(name).GetElement(0) for name in {list(CHOSEN)}] "
        "for each in servermanager.ProxyManager().GetProxiesInGroup('dsm_servers').values()]")
EXPECTED = [[value for _, value in CHOSEN.values()]]


def test_all_settings_over_a_pvserver(connected, other_connected, programs):
    """Each setting of hosts on a pvserver's ranks: by a state to another pvserver, by a trace to pvbatch."""
    contact, state, trace = programs.folder / "run.dsm", programs.folder / "session.pvsm", programs.folder / "trace.py"
    window = connected
    window.advanced_settings(True)
    window.set_setting("ContactFile", contact)
    for name, (typed, _) in CHOSEN.items():
        window.set_setting(name, typed)
    assert window.evaluate(VALUES) == [EXPECTED]
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.click(PANEL + "start")
    simulation = programs.simulation(contact, ranks=2, steps=100, every=50)
    window.until(lambda: window.panel("shown") == 3, "three snapshots")
    simulation.wait()
    # Back to an earlier snapshot, and on.
    window.pin(1)
    window.until(lambda: 1 in window.pinned(), "the pin")
    window.pick(2)
    assert window.panel("shown") == 2
    window.set_setting("BlockSize", "16 KiB")
    window.click(PANEL + "follow")
    window.until(lambda: window.panel("shown") == 3, "the newest")
    window.set_setting("BlockSize", "8 KiB")
    assert window.ask(do="saveState", file=str(state))
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")

    window = other_connected()
    window.ask(do="loadState", file=str(state))
    window.until(lambda: window.state() == "Listening", "listening after the state was loaded")
    assert window.evaluate(VALUES) == [EXPECTED]
    assert "of 96.0 MiB" in window.get(PANEL + "memory", "text")
    note = window.get(PANEL + "settingsNote")
    assert "random block, block size 8.00 KiB" in note and "fabric/tcp,shared-memory:4096" in note, note
    programs.simulation(contact, ranks=3, steps=50, every=50, name="again").wait()
    window.until(lambda: window.panel("shown") == 2, "the snapshots in the loaded pipeline")
    assert window.panel("errorText") == ""
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")

    text = trace.read_text()
    for name, (_, value) in CHOSEN.items():
        assert f"{name}={value!r}" in text, (name, text)
    with open(trace, "a", encoding="utf-8") as script:
        script.write("\nprint('traced', [source.PointData.keys() for source in GetSources().values()])\n")
    batch = programs.pvbatch(trace)
    batch.wait_for_file(contact)
    programs.simulation(contact, ranks=2, steps=100, every=50, name="traced").wait()
    assert "traced [['u', 'v']]" in batch.wait()

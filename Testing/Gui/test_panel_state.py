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

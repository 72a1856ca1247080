# SPDX-License-Identifier: BSD-3-Clause
"""A saved state from which another ParaView goes on, and a trace that pvbatch runs unchanged."""

import xml.etree.ElementTree

from test_panel_streams import DENSITIES, end, start, write
from window import PANEL

EDITOR = "window pqPythonScriptEditor"
# A script tells this at its end: the density that the second view's reader has.
TELL = """
for view in GetViews():
    Render(view)
print("second view", [list(each.PointData["density"].GetRange())
                      for each in GetSources().values() if getattr(each, "FixedTime", "")])
"""


def test_state_and_trace(window, other_window, programs):
    # A name that shells, Python and ParaView's trace must each quote.
    contact = programs.folder / "it's run.dsm"
    state = programs.folder / "session.pvsm"
    trace = programs.folder / "trace.py"
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.set_setting("ContactFile", contact)
    window.set_setting("MemoryPerHost", "64 MiB")
    window.click(PANEL + "start")
    # Changes while it runs; one that is refused is no part of the trace.
    window.set_setting("BlockSize", "64 KiB")
    window.set_setting("MemoryPerHost", "4000 TiB")
    assert "more than the running server can grow to" in window.rejection("MemoryPerHost")
    assert window.setting("MemoryPerHost") == "64 MiB"
    window.set_setting("MemoryPerHost", "64 MiB")
    window.set_setting("WhenFull", "block")
    programs.simulation(contact, ranks=2, steps=100, every=50).wait()
    window.until(lambda: window.panel("shown") == 3, "three snapshots")
    assert window.ask(do="saveState", file=str(state))
    window.stop_hosting()
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")
    assert not contact.exists()
    script = trace.read_text().split("# trace defaults")[0] + trace.read_text()[-1500:]
    assert (
        "paraviewdsm.start(ContactFile=" in script
        and "MemoryPerHost=64" in script
        and "dsm.stop()" in trace.read_text()
    ), script
    for line in ("dsm.change(BlockSize=65536)", "dsm.change(WhenFull=1)"):
        assert line in trace.read_text(), trace.read_text()
    assert "MemoryPerHost=41" not in trace.read_text()

    # Another ParaView: it listens as before, and its pipeline shows the next snapshot.
    window = other_window
    window.ask(do="loadState", file=str(state))
    window.until(lambda: window.state() == "Listening", "listening after the state was loaded")
    assert contact.exists()
    assert "of 64.0 MiB" in window.get(PANEL + "memory", "text")
    programs.simulation(contact, ranks=3, steps=50, every=50, name="again").wait()
    window.until(lambda: window.panel("shown") == 2, "the snapshots in the loaded pipeline")
    sources, colour = window.evaluate(
        "sorted(s.SMProxy.GetXMLName() for s in GetSources().values())",
        "list(GetDisplayProperties(list(GetSources().values())[0], GetViews()[0]).ColorArrayName)")
    assert sources == ["DSMReader"] and colour == ["POINTS", "u"]
    assert window.evaluate("GetActiveCamera().GetFocalPoint()") == [[11.5, 11.5, 11.5]], "the state's camera"
    window.screenshot("state-loaded")
    late = programs.folder / "late.py"
    trace_late(window, programs, contact, late)
    show_trace(window)
    saved_as_python = programs.folder / "session.py"
    assert window.ask(do="saveState", file=str(saved_as_python))
    window.stop_hosting()
    check_python_state(window, programs, contact, saved_as_python)

    # The traces, unchanged.
    for script in (trace, late, saved_as_python):
        run_trace(programs, contact, script)


def check_python_state(window, programs, contact, state):
    """A Python state, too, hosts again and follows in another ParaView."""
    text = state.read_text()
    assert "paraviewdsm.resume(ContactFile=" in text and "BlockSize=65536" in text and "WhenFull=1" in text, text
    window.reset()
    assert not contact.exists()
    window.ask(do="loadState", file=str(state))
    window.until(lambda: window.state() == "Listening", "listening after the Python state was loaded")
    assert "of 64.0 MiB" in window.get(PANEL + "memory", "text")
    programs.simulation(contact, ranks=2, steps=50, every=50, name="python").wait()
    window.until(lambda: window.panel("shown") == 2, "the snapshots in the pipeline of the Python state")
    shown = "list(GetDisplayProperties(list(GetSources().values())[0], GetViews()[0]).ColorArrayName)"
    assert window.evaluate("sorted(s.SMProxy.GetXMLName() for s in GetSources().values())", shown) == [
        ["Contour", "DSMReader"], ["POINTS", "u"]]
    window.screenshot("python-state-loaded")
    window.stop_hosting()


def trace_late(window, programs, contact, file):
    """A trace that begins when the server has run for long, and a snapshot is shown; and ends while it runs."""
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.wait_for_polls(2)
    window.python("from paraview.simple import *\nSetActiveSource(list(GetSources().values())[0])")
    window.until(lambda: window.ask(do="trigger", action="Contour"), "the filter's action")
    window.until(lambda: window.evaluate("len(GetSources())") == [2], "the filter")
    window.click("propertiesPanel/Accept")
    before = window.panel("shown")
    programs.simulation(contact, ranks=2, steps=200, every=20, name="more").wait()
    window.until(lambda: window.panel("shown") == before + 11, "what came while it was traced")
    window.python(f"from paraview import smtrace\nopen({str(file)!r}, 'w').write(smtrace.stop_trace())")
    text = file.read_text()
    # It was stopped while the simulation could go on, and so it goes on as well.
    assert text.rstrip().endswith("\ndsm.follow()") and "Contour(" in text, text
    # A line for what was followed between other things, not one for each of eleven pictures.
    assert text.count("\ndsm.wait()") <= 4, text


def show_trace(window):
    """Tools > Start Trace and Stop Trace, as a user does: ParaView's editor opens with the script."""
    def from_menu():
        return window.ask(do="trigger", action="actionToolsStartStopTrace")

    window.until(from_menu, "Start Trace")
    window.until(lambda: window.ask(do="press", text="OK"), "the dialog of the trace")
    window.until(from_menu, "Stop Trace")
    window.until(lambda: window.exists(EDITOR), "the script")
    window.ask(do="closeLater", object=EDITOR)
    # It asks whether to save the script.
    window.until(lambda: not window.exists(EDITOR) or window.ask(do="press", text="Discard"), "the editor's question")
    window.until(lambda: not window.exists(EDITOR), "the editor's end")


def run_trace(programs, contact, trace):
    picture = trace.with_suffix(".png")
    # As the comment in it says.
    text = trace.read_text().replace("\ndsm.follow()", "\ndsm.follow(lambda number: print('shown', number))")
    trace.write_text(f"{text}\nSaveScreenshot({str(picture)!r}, GetActiveView())\nprint('traced')\n")
    batch = programs.pvbatch(trace)
    batch.wait_for_file(contact)
    traced = programs.simulation(contact, ranks=2, steps=100, every=50, name="traced")
    said = batch.wait()
    assert "shown 3" in said and "traced" in said, said
    traced.wait()
    assert picture.stat().st_size > 10000


def saved_values(state, kind):
    """The values of a proxy's properties in a state, by the properties' names."""
    tree = xml.etree.ElementTree.parse(state)
    (proxy,) = [one for one in tree.iter("Proxy") if one.get("type") == kind]
    return {one.get("name"): [element.get("value") for element in one.findall("Element")]
            for one in proxy.findall("Property")}


def shows_the_newest(window):
    """Whether the window shows the newest snapshot, apart from checkpoints, which are not shown."""
    newest = max((row[0] for row in window.rows() if not row[3].startswith("checkpoint")), default=-1)
    return window.panel("shown") == newest


def test_no_status_in_a_state(window, programs):
    """A state has the settings, and not the status, which has a record for each snapshot."""
    contact = programs.folder / "small.dsm"
    state = programs.folder / "small.pvsm"
    window.listen(contact)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, *range(40))
    window.until(lambda: shows_the_newest(window), "the newest")
    assert window.ask(do="saveState", file=str(state))
    values = saved_values(state, "DSMServer")
    assert values["MemoryPerHost"] != [] and values["ContactFile"] == [str(contact)]
    assert values["ServerStatus"] == values["SteeringStatus"] == []
    # The panel goes on as before.
    write(simulation, 40)
    window.until(lambda: shows_the_newest(window), "the newest")
    end(simulation)
    window.assert_no_problems()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


def test_second_view_in_a_state(window, other_window, programs):
    """A loaded state's second view shows the snapshot of the same stream and time, whatever its number is there."""
    contact = programs.folder / "run.dsm"
    states = [programs.folder / name for name in ("session.pvsm", "session.py")]
    window.listen(contact)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0, 1, 2)
    window.until(lambda: "density.0002.h5" in [row[3] for row in window.rows()], "three fields")
    number = next(row[0] for row in window.rows() if row[3] == "density.0001.h5")
    window.choose_from_menu(number, "Open in a Second View")
    window.until(lambda: window.evaluate(DENSITIES) == [[[1, 15], [2, 16]]], "both pictures")
    write(simulation, 3)
    window.until(lambda: window.evaluate(DENSITIES) == [[[1, 15], [3, 17]]], "the next step beside the second view")
    for state in states:
        assert window.ask(do="saveState", file=str(state))
    end(simulation)
    window.stop_hosting()

    # In another ParaView the numbers are others: a run comes first that has no snapshot of this time.
    window = other_window
    window.ask(do="loadState", file=str(states[0]))
    window.until(lambda: window.state() == "Listening", "listening after the state was loaded")
    short = start(programs, contact, "density particles checkpoint density 100")
    write(short, 0)
    window.until(lambda: window.evaluate(DENSITIES) == [[[100, 114]]], "the first picture")
    end(short)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0, 1, 2)
    window.until(lambda: window.evaluate(DENSITIES) == [[[1, 15], [2, 16]]], "the second view's snapshot")
    window.screenshot("second-view-loaded")
    # While it was not there, one message said so.
    assert window.output.count("cannot show density.#.h5 of time 0.5") == 1, window.output
    end(simulation)
    # It stays when a later run has that time as well.
    later = start(programs, contact, "density particles checkpoint density 100")
    write(later, 0, 1)
    window.until(lambda: window.evaluate(DENSITIES) == [[[1, 15], [101, 115]]], "the later run beside it")
    end(later)
    assert window.panel("errorText") == ""
    window.stop_hosting()

    # So does a Python state.
    script = states[1]
    script.write_text(script.read_text().replace("\ndsm.follow()", "\ndsm.follow()" + TELL))
    batch = programs.pvbatch(script)
    batch.wait_for_file(contact)
    short = start(programs, contact, "density particles checkpoint density 100")
    write(short, 0)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0, 1, 2)
    end(simulation)
    end(short)
    assert "second view [[1.0, 15.0]]" in batch.wait()

# SPDX-License-Identifier: BSD-3-Clause
"""A simulation that writes fields, particles and checkpoints in turn: each stream is followed by itself."""

import os

from window import BIN, PANEL

# A step for each line of its input. Particles come with every second field, a checkpoint with every third, and
# none with the first. The words: the three names, the field's dataset, what is added to its values, and a file to begin
# from.
SIMULATION = """
import sys, h5py, numpy
folder, names = sys.argv[1], sys.argv[2].split()
more = float(names[4]) if len(names) > 4 else 0
if len(names) > 5:
    with h5py.File(names[5], "r") as file:
        file["density"][:]
print("ready", flush=True)
for step, line in enumerate(sys.stdin):
    z, y, x = numpy.mgrid[0:8.0, 0:8, 0:8]
    with h5py.File(f"{folder}/{names[0]}.{step:04d}.h5", "w") as file:
        file[names[3] if len(names) > 3 else "density"] = x + y + step + more
        file.attrs["time"] = 0.5 * step
    if step % 2 == 1:
        with h5py.File(f"{folder}/{names[1]}.{step:04d}.h5", "w") as file:
            for name, values in zip("xyz", numpy.random.default_rng(step).uniform(0, 7, (3, 50))):
                file[name] = values
            file["charge"] = numpy.full(50, float(step))
            file.attrs["time"] = 0.5 * step
    if step % 3 == 1:
        with h5py.File(f"{folder}/{names[2]}.{step:04d}.h5", "w") as file:
            file["state"] = numpy.zeros((40, 40, 40))
    print("wrote", step, flush=True)
"""
READERS = ('sorted((one.FilePattern, one.SMProxy.GetProperty("ShownSnapshot").GetElement(0)) '
           'for one in GetSources().values() if one.GetXMLName() == "DSMReader")')
VISIBLE = ("sorted(each.Input.FilePattern for view in GetViews() for each in view.Representations "
           "if each.Visibility and hasattr(each, 'Input') and each.Input.GetXMLName() == 'DSMReader')")
FIELD = "[one for one in GetSources().values() if one.FilePattern == 'pressure.#.h5'][0]"
ARRAYS = ("sorted([name for name in one.PointData.keys() if len(name) > 1 and not name.startswith('vtk')] "
          "for one in GetSources().values())")
LISTED = f"list({FIELD}.GetProperty('PointArrays').Available)"
COLOURS = f"list(GetDisplayProperties({FIELD}, GetActiveView()).ColorArrayName)"
KINDS = "[one.GetXMLName() for one in GetSources().values()]"
COMPARED = ('sorted(one.SMProxy.GetProperty("ShownSnapshot").GetElement(0) for one in GetSources().values() '
            'if one.GetXMLName() == "DSMReader" and "@" in one.FilePattern)')
FORGET = ("first = GetLayout(GetViews()[0])\n"
          "[Delete(view) for view in GetViews()[1:]]\n"
          "[RemoveLayout(one) for one in list(GetLayouts().values()) if one.SMProxy != first.SMProxy]\n"
          "[Delete(one) for one in reversed(list(GetSources().values()))\n"
          " if one.GetXMLName() != 'DSMReader' or '@' in one.FilePattern]\n"
          "SetActiveView(GetViews()[0])")
APART = "list(FindSource('abs(Δdensity)').PointData['abs(Δdensity)'].GetRange())"
# The least and the largest density in each picture that has some.
DENSITIES = ("sorted(list(each.Input.PointData['density'].GetRange()) for view in GetViews() "
             "for each in view.Representations if hasattr(each, 'Input') and each.Visibility "
             "and 'density' in each.Input.PointData.keys())")
TIME = "GetAnimationScene().AnimationTime"
STEPS = "list(GetAnimationScene().TimeKeeper.TimestepValues)"


def start(programs, contact, names):
    folder = programs.folder / names.split()[0]
    folder.mkdir(exist_ok=True)
    made = programs.start(
        [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", SIMULATION, folder, names],
        "simulation", talk=True)
    made.wait_for_line("ready")
    return made


def write(simulation, *steps):
    for step in steps:
        simulation.say("next")
        simulation.wait_for_line(f"wrote {step}")


def end(simulation):
    simulation.process.stdin.close()
    simulation.wait()


def check_following(window, simulation):
    """One stream is a plain list; three are groups, and each is followed; the checkpoint is not."""
    assert not window.groups(), "a single stream needs no group"
    write(simulation, 1, 2, 3, 4)
    window.until(lambda: len(window.groups()) == 3, "three groups")
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 8], ["particles.#.h5", 7]],
                 "both streams at their newest")
    groups = window.groups()
    assert [(group[0], group[1], group[2]) for group in groups] == [
        ("density.#.h5  (5)", 2, True), ("particles.#.h5  (2)", 2, True), ("checkpoint.#.h5  (2)", 0, False)]
    assert [group[3] for group in groups] == [[8, 6, 5, 2, 1], [7, 3], [9, 4]]
    assert window.evaluate(VISIBLE, TIME) == [["density.#.h5", "particles.#.h5"], 2.0]
    # Time of the file.
    assert {row[0]: row[6] for row in window.rows() if row[0] in (8, 7, 5)} == {8: "2", 7: "1.5", 5: "1"}
    assert window.panel("errorText") == ""
    assert window.panel("skipped") <= 3, "only steps that came too fast, and none of another stream"
    window.python(
        "from paraview.simple import *\n"
        "(field,) = [s for s in GetSources().values() if s.FilePattern == 'density.#.h5']\n"
        "display = GetDisplayProperties(field, GetActiveView())\ndisplay.Opacity = 0.4\nGetActiveCamera().Azimuth(25)\n"
        "Render()")
    window.screenshot("streams-following")


def check_playback(window):
    """ParaView's time controls play back both."""
    window.python("from paraview.simple import *\nGetAnimationScene().AnimationTime = 1")
    window.until(lambda: window.get(PANEL + "hold", "checked"), "hold")
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 5], ["particles.#.h5", 3]],
                 "what there was at that time")
    assert window.evaluate(STEPS) == [[0, 0.5, 1, 1.5, 2]]
    # A row of one stream is a time for all.
    window.pick(2)
    assert window.evaluate(READERS, TIME) == [[["density.#.h5", 2], ["particles.#.h5", 3]], 0.5]
    window.until(lambda: window.pinned() == [2, 3], "both held")
    window.pick(7)
    assert window.evaluate(READERS, TIME) == [[["density.#.h5", 6], ["particles.#.h5", 7]], 1.5]


def check_ticks(window, simulation):
    """A stream that is not ticked is neither shown nor read."""
    window.click(PANEL + "follow")
    window.tick("particles")
    window.until(lambda: window.evaluate(VISIBLE)[0] == ["density.#.h5"], "no particles")
    write(simulation, 6)
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 12], ["particles.#.h5", 11]],
                 "only the field followed")
    window.tick("particles")
    write(simulation, 7)
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 13], ["particles.#.h5", 14]], "both again")
    assert window.evaluate(VISIBLE)[0] == ["density.#.h5", "particles.#.h5"]


def check_next_run(window, programs, contact):
    """The program comes again: what the run before has left is apart, and its times do not linger."""
    begun = programs.folder / "density" / "density.0004.h5"
    again = start(programs, contact, f"density particles checkpoint density 3 {begun}")
    write(again, 0, 1, 2)
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 20], ["particles.#.h5", 18]],
                 "the next run")
    assert window.evaluate(STEPS, TIME) == [[0, 0.5, 1], 1]
    window.until(lambda: [(group[0], group[1]) for group in window.groups()] == [
        ("density.#.h5  (3), branch from step 4 of a previous run", 2), ("particles.#.h5  (1)", 2),
        ("checkpoint.#.h5  (1)", 0),
        ("density.#.h5 (previous run)  (8)", None), ("particles.#.h5 (previous run)  (4)", None),
        ("checkpoint.#.h5 (previous run)  (3)", None)], "the list")
    window.screenshot("streams-next-run")
    # It can be looked at all the same.
    window.pick(8)
    assert window.evaluate(READERS)[0][0] == ["density.#.h5", 8]
    window.click(PANEL + "follow")
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 20], ["particles.#.h5", 18]], "follow")
    check_comparison(window, again)
    end(again)


def check_comparison(window, simulation):
    """Both runs side by side and their difference, which follow. What cannot be compared is said, and nothing shown."""
    before = window.evaluate(KINDS, "len(GetLayouts())", "len(GetViews())")
    label = window.ask(do="undoLabel")
    window.choose_from_menu("density.#.h5", "Compare With > particles.#.h5, run 2")
    window.until(lambda: "have different meshes" in window.panel("errorText"), "why not")
    assert window.evaluate(KINDS, "len(GetLayouts())", "len(GetViews())") == before
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.wait_for_polls(2)
    window.choose_from_menu("density.#.h5", "Compare With > density.#.h5, run 1")
    window.until(lambda: window.evaluate("len(GetViews())")[0] == before[2] + 3, "the views of the comparison")
    assert window.panel("errorText") == ""
    trace = window.evaluate("__import__('paraview.smtrace').smtrace.stop_trace()")[0]
    assert trace.count("comparison = dsm.compare('density.#.h5@2', 'density.#.h5@1'") == 1, trace
    assert "CreateRenderView" not in trace and "PythonCalculator(" not in trace, trace
    assert window.evaluate(COMPARED, APART) == [[5, 20], [3, 3]]
    window.screenshot("streams-compared")
    write(simulation, 3)
    window.until(lambda: window.evaluate(COMPARED)[0] == [6, 21], "the next step of both")
    assert window.evaluate(APART) == [[3, 3]]
    assert window.ask(do="undoLabel") == label, "a comparison is no step that is undone"
    window.python(f"from paraview.simple import *\n{FORGET}")
    assert window.evaluate(KINDS, "len(GetLayouts())", "len(GetViews())") == before


def undo_until(window, gone, what):
    """A few times Edit > Undo."""
    done = []
    while not gone():
        assert len(done) < 5 and window.ask(do="undoLabel"), f"{what} cannot be undone: {done}"
        done.append(window.ask(do="undoLabel"))
        window.ask(do="undo")


def check_undo(window, simulation):
    """What is followed is nothing to undo; what the user has done is."""
    window.click(PANEL + "follow")
    window.wait_for_polls(2)
    window.set_setting("BlockSize", "64 KiB")
    window.python("from paraview.simple import *\nSetActiveSource(FindSource('density.#.h5'))")
    window.until(lambda: window.ask(do="trigger", action="Contour"), "the filter's action")
    window.until(lambda: "Contour" in window.evaluate(KINDS)[0], "the filter")
    window.click("propertiesPanel/Accept")
    window.wait_for_polls(2)
    label = window.ask(do="undoLabel")
    assert label
    before = window.panel("shown")
    write(simulation, 5)
    window.until(lambda: window.panel("shown") > before, "the next picture")
    assert window.ask(do="undoLabel") == label, "followed steps are no undo entries"
    window.pick(5)
    assert window.ask(do="undoLabel") == "Show Snapshot 5"
    window.ask(do="undo")
    window.until(lambda: window.evaluate(TIME) == [2.5], "the time before the click")
    undo_until(window, lambda: "Contour" not in window.evaluate(KINDS)[0], "the filter")
    undo_until(window, lambda: window.setting("BlockSize") != "64 KiB", "the setting")
    assert window.setting("BlockSize") == "automatic"
    window.wait_for_polls(2)
    assert window.state() == "Connected", "a Start is not undone"
    # Also a setting that is changed while the panel asks the server.
    assert window.ask(do="playInPoll", object=PANEL + "proxyWidget/BlockSize", command="set_string",
                      arguments="16 KiB")
    window.until(lambda: window.setting("BlockSize") == "16 KiB", "the setting")
    window.wait_for_polls(2)
    assert "block size 16.0 KiB" in window.get(PANEL + "settingsNote"), window.get(PANEL + "settingsNote")
    undo_until(window, lambda: window.setting("BlockSize") == "automatic", "the setting that was changed in a poll")
    window.click(PANEL + "follow")


def check_shell(window):
    """ParaView's Python shell sees the panel's server."""
    window.python("import paraviewdsm")
    assert window.evaluate(
        "paraviewdsm.server().streams()", "paraviewdsm.server().status().state", "paraviewdsm.server().contact",
        "paraviewdsm.server() is paraviewdsm.server()",
    ) == [["density.#.h5", "particles.#.h5", "checkpoint.#.h5"], "connected",
          window.evaluate("FindSource('density.#.h5').ContactFile")[0], True]
    window.python("import paraviewdsm\npdsm = paraviewdsm.server()\npdsm.block_size = '32 KiB'")
    assert window.setting("BlockSize") == "32 KiB"
    window.python("pdsm.block_size = None")


def test_three_streams(window, programs):
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0)
    window.until(lambda: window.panel("shown") > 0, "the first picture")
    check_following(window, simulation)
    check_shell(window)
    check_playback(window)
    check_undo(window, simulation)
    check_ticks(window, simulation)
    end(simulation)
    check_next_run(window, programs, contact)
    # Another program, whose files have other names: the readers, and what was made of them, go on with those.
    other = start(programs, contact, "pressure dust restart strain")
    write(other, 0, 1, 2)
    window.until(lambda: [name for name, _ in window.evaluate(READERS)[0]] == ["dust.#.h5", "pressure.#.h5"],
                 "the readers with the other program's streams")
    window.until(lambda: window.evaluate(TIME) == [1] and window.panel("shown") == 27, "its newest")
    assert window.evaluate(VISIBLE)[0] == ["dust.#.h5", "pressure.#.h5"]
    # Nothing of the other program lingers.
    assert window.evaluate(ARRAYS, LISTED, COLOURS) == [[["charge"], ["strain"]], ["strain"], ["POINTS", "strain"]]
    window.screenshot("streams-other-program")
    end(other)
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    window.report_times()

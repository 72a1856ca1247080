# SPDX-License-Identifier: BSD-3-Clause
"""A window shows several servers, each in a panel of its own; they share ParaView's time."""

import json
import shutil

import steering_page
from test_panel_watch import is_watching, open_file, serve, sources
from test_steering import steer
from window import FURTHER, MANAGER, PANEL, STEERING

# The contact file of each reader, and the number of the snapshot that it shows.
READERS = ("sorted((each.ContactFile, each.SMProxy.GetProperty('ShownSnapshot').GetElement(0)) "
           "for each in GetSources().values() if not each.UpdatePropertyInformation())")
ACTIVE = (f"sorted(servermanager.vtkSMPropertyHelper({MANAGER}.GetProxy('dsm_servers', {MANAGER}.GetProxyName("
          "'dsm_servers', number)), 'Active').GetAsInt() for number in range("
          f"{MANAGER}.GetNumberOfProxies('dsm_servers')))")
NUMBER_OF_SERVERS = f"{MANAGER}.GetNumberOfProxies('dsm_servers')"


def further(window, property):
    return window.get(FURTHER, property)


def in_further(path):
    return path.replace("pqDSMPanel", FURTHER)


def shown(window):
    """Returns the snapshots that readers show, by their contact files."""
    return dict(map(tuple, window.evaluate(READERS)[0]))


def watch_two(window, programs):
    """Opens two servers, each with snapshots. The second one's times are later."""
    first, second = programs.folder / "one.dsm", programs.folder / "two.dsm"
    servers = [serve(programs, first), serve(programs, second)]
    programs.simulation(first, steps=20, every=10, name="one").wait()
    programs.simulation(second, steps=60, every=20, name="two").wait()
    open_file(window, first)
    window.until(lambda: window.panel("shown") == 3, "the first server's newest snapshot")
    open_file(window, second)
    window.until(lambda: window.exists(FURTHER) and further(window, "shown") == 4, "the second one's")
    return first, second, servers


def test_each_has_its_panel(window, programs):
    """Both follow, hold together, and are steered, pinned and stopped each by itself."""
    first, second, servers = watch_two(window, programs)
    assert is_watching(window) and sources(window) == ["one.dsm", "two.dsm"]
    assert further(window, "windowTitle") == f"DSM: {programs.folder.name}/two.dsm"
    assert window.get(FURTHER + "/stop") == "Stop Watching"
    window.until(lambda: shown(window) == {str(first): 3, str(second): 4}, "the newest snapshots of both")
    assert window.evaluate("[[each.Input.ContactFile for each in view.Representations if hasattr(each, 'Input')]"
                           " for view in GetRenderViews()]") == [[[str(first)], [str(second)]]], "a view for each"
    window.check_appearance("two-servers", panel=FURTHER)
    window.assert_no_problems()

    # Each goes on by itself, also the one whose time is the earlier one.
    programs.simulation(first, steps=20, every=10, name="more").wait()
    window.until(lambda: shown(window) == {str(first): 6, str(second): 4}, "what came to the first")
    assert further(window, "skipped") == 0 and further(window, "shown") == 4
    programs.simulation(second, steps=20, every=10, name="yet").wait()
    window.until(lambda: shown(window) == {str(first): 6, str(second): 7}, "what came to the second")
    assert window.get(PANEL + "follow", "checked") and window.get(FURTHER + "/follow", "checked")

    # There is one time: who picks a snapshot holds both.
    assert window.ask(do="clickRow", object=FURTHER + "/table", row=5, column=1)
    window.until(lambda: further(window, "shown") == 5, "the snapshot that was picked")
    assert window.get(PANEL + "hold", "checked") and window.get(FURTHER + "/hold", "checked")
    held = window.panel("shown")
    programs.simulation(first, steps=10, every=10, name="held").wait()
    window.wait_for_polls(3)
    assert (window.panel("shown"), further(window, "shown")) == (held, 5)
    window.click(PANEL + "follow")
    window.until(lambda: shown(window) == {str(first): 8, str(second): 7}, "the newest of both")
    assert window.get(FURTHER + "/follow", "checked")

    # Whoever moves ParaView's time holds both as well, also before the other panel has caught up.
    window.ask(do="set", object=FURTHER, property="pollInterval", value=1500)
    window.click(PANEL + "hold")
    window.click(PANEL + "follow")
    window.wait_for_polls(2)
    window.poll_every(5000)
    window.python("from paraview.simple import *\nGetAnimationScene().GoToFirst()")
    window.until(lambda: window.get(PANEL + "hold", "checked"), "held")
    assert window.get(FURTHER + "/hold", "checked")
    window.poll_as_usual()
    window.ask(do="set", object=FURTHER, property="pollInterval", value=250)
    polls = further(window, "polls")
    window.until(lambda: further(window, "polls") > polls + 2, "the other panel's polls")
    assert window.get(PANEL + "hold", "checked") and window.get(FURTHER + "/hold", "checked")
    window.click(FURTHER + "/follow")
    window.until(lambda: shown(window) == {str(first): 8, str(second): 7}, "the newest of both again")

    # Pins and steering are each server's.
    assert window.ask(do="clickRow", object=FURTHER + "/table", row=6, column=5)
    pinned = [row[0] for row in window.ask(do="rows", object=FURTHER + "/table") if row[5] == 2]
    assert pinned == [6] and window.pinned() == []
    simulations = [programs.simulation(contact, 3, 5000000, 2000, 24, name)
                   for contact, name in ((first, "slow"), (second, "fast"))]
    for panel in (PANEL, FURTHER + "/"):
        assert window.ask(do="tab", object=panel + "tabs", name="Steering")
        window.until(lambda panel=panel: window.exists(panel + "steering/parameter feed"), "its parameters")
    window.set_text(in_further(STEERING) + "parameter feed", 0.05)
    window.until(lambda: window.get(in_further(STEERING) + "steeringApply", "enabled"), "the change to send")
    window.click(in_further(STEERING) + "steeringApply")
    window.until(lambda: window.get(FURTHER + "/steering", "outcome").startswith("Applied"), "the change")
    assert not window.steering("outcome")
    steering_page.stop(window)
    simulations[0].wait()
    assert simulations[1].process.poll() is None
    window.click(FURTHER + "/stop")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")
    assert all(server.process.poll() is None for server in servers)
    assert is_watching(window) and window.evaluate(NUMBER_OF_SERVERS) == [1]


def test_who_makes_one(window, programs):
    """File > Open, the menu Catalyst, and scripts open further ones; one that does not answer opens none."""
    first, second, servers = watch_two(window, programs)
    # Opened once more, the panel comes to the front, and there are no two of it.
    open_file(window, second)
    window.wait_for_polls(2)
    assert not window.exists("pqDSMPanel 3") and window.evaluate(NUMBER_OF_SERVERS) == [2]
    dead = programs.folder / "dead.dsm"
    shutil.copy(second, dead)  # with its mode
    servers[1].process.terminate()
    servers[1].wait()
    window.click(FURTHER + "/stop")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")
    third = programs.folder / "three.dsm"
    open_file(window, dead)
    window.until(lambda: str(dead) in window.panel("errorText"), "why it cannot be watched")
    assert not window.exists(FURTHER) and window.evaluate(NUMBER_OF_SERVERS) == [1]
    window.click(PANEL + "dismiss")
    serve(programs, third)
    window.python(f"import paraviewdsm\nmade = paraviewdsm.watch({str(third)!r})")
    window.until(lambda: window.exists(FURTHER), "a script's")
    assert further(window, "windowTitle") == f"DSM: {programs.folder.name}/three.dsm"
    assert window.evaluate(f"__import__('paraviewdsm').server({str(third)!r}).contact",
                           "__import__('paraviewdsm').server().contact") == [str(third), str(first)]
    window.python("made.stop()")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")
    assert window.evaluate(NUMBER_OF_SERVERS) == [1]


def test_hosting_and_watching(window, programs):
    """A window that hosts watches another server beside that."""
    own, other = programs.folder / "own.dsm", programs.folder / "other.dsm"
    window.listen(own)
    serve(programs, other)
    programs.simulation(other, steps=20, every=10, name="other").wait()
    open_file(window, other)
    window.until(lambda: window.exists(FURTHER) and further(window, "shown") == 3, "the other's snapshots")
    programs.simulation(own, steps=10, every=10, name="own").wait()
    window.until(lambda: shown(window) == {str(own): 2, str(other): 3}, "both")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")
    # New snapshots are shown, whether the first panel shows a server or not.
    programs.simulation(other, steps=10, every=10, name="again").wait()
    window.until(lambda: further(window, "shown") == 5, "what comes to the other")
    window.click(FURTHER + "/stop")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")


def stop_both(window):
    window.click(FURTHER + "/stop")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")
    window.click(PANEL + "stop")
    window.until(lambda: window.state() == "Idle", "idle")
    window.clear()


def test_state_of_both(window, programs):
    """A state file has both."""
    first, second, _ = watch_two(window, programs)
    state = programs.folder / "both.pvsm"
    assert window.ask(do="saveState", file=str(state))
    stop_both(window)
    window.ask(do="loadState", file=str(state))
    window.until(lambda: window.exists(FURTHER) and shown(window) == {str(first): 3, str(second): 4},
                 "what the state has")
    assert is_watching(window) and window.evaluate(NUMBER_OF_SERVERS) == [2]
    window.click(FURTHER + "/stop")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")


def test_state_with_a_server_that_has_ended(window, programs):
    """The first panel says once why the further server is not shown, and it is not asked again."""
    _, second, servers = watch_two(window, programs)
    state = programs.folder / "ended.pvsm"
    assert window.ask(do="saveState", file=str(state))
    stop_both(window)
    dead = programs.folder / "dead.dsm"
    shutil.copy(second, dead)  # a server that was killed leaves its contact file
    servers[1].process.terminate()
    servers[1].wait()
    shutil.move(dead, second)
    window.ask(do="loadState", file=str(state))
    window.until(lambda: str(second) in window.panel("errorText"), "why it cannot be watched")
    window.screenshot("state-with-ended-server")
    assert is_watching(window) and not window.exists(FURTHER)
    window.click(PANEL + "dismiss")
    said = window.output.count(str(second))
    window.wait_for_polls(5)
    assert not window.get(PANEL + "errorText", "visible") and window.output.count(str(second)) == said
    assert window.evaluate(ACTIVE) == [[0, 1]]

    # It can be opened when it runs again.
    second.unlink()  # so that serve() waits for the new server's
    serve(programs, second)
    open_file(window, second)
    window.until(lambda: window.exists(FURTHER), "its panel")
    window.click(FURTHER + "/stop")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")


def test_scripts_of_both(window, programs):
    """A trace and a Python state have both, and run in pvbatch until both simulations have ended."""
    trace, state = programs.folder / "trace.py", programs.folder / "both.py"
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    first, second, _ = watch_two(window, programs)
    for contact in (first, second, first):
        newest = shown(window)[str(contact)]
        programs.simulation(contact, steps=10, every=10, name="more").wait()
        window.until(lambda contact=contact, newest=newest: shown(window)[str(contact)] == newest + 2, "what came")
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")
    assert window.ask(do="saveState", file=str(state))
    for file, verb in ((trace, "start"), (state, "resume")):
        text = file.read_text()
        for variable, contact in (("dsm", first), ("dsm2", second)):
            assert text.count(f"\n{variable} = paraviewdsm.{verb}(ContactFile='{contact}', Watching=1") == 1, text
        assert text.rstrip().endswith("\ndsm.follow(others=[dsm2])"), text
        simulations = [programs.simulation(contact, 2, 10**9, 2000, 24, f"{file.stem}-{contact.stem}")
                       for contact in (first, second)]
        batch = follow_in_pvbatch(programs, file)
        # The script follows two snapshots that were there before.
        batch.wait_until(lambda batch=batch: batch.text.count("followed") > 2, "new snapshot that was followed")
        for contact, simulation in zip((first, second), simulations, strict=True):
            steer(contact, "--command", "stop")
            simulation.wait()
        said = batch.wait()
        window.until(lambda: window.state() == "Listening" and window.get(FURTHER + "/state", "stateText") ==
                     "Listening", "their ends")
        last = [[str(contact), rows[0][0]] for contact, rows in (
            (first, window.rows()), (second, window.ask(do="rows", object=FURTHER + "/table")))]
        assert f"last {json.dumps(last)}" in said, (last, said)
    window.click(FURTHER + "/stop")
    window.until(lambda: not window.exists(FURTHER), "its panel to go")


def follow_in_pvbatch(programs, file):
    """Starts a script, and returns its job. The script prints a line for each snapshot that it has followed, and in
    the end the snapshots that its readers show."""
    file.write_text(file.read_text().replace(
        "dsm.follow(", "dsm.follow(lambda number: print('followed', flush=True), ") + f"""
import json
from paraview.simple import *
print('last', json.dumps({READERS}))
""")
    return programs.pvbatch(file)

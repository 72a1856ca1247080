# SPDX-License-Identifier: BSD-3-Clause
"""A window that hosts nothing watches the server of another program: by File > Open, by the button Watch, and by the
question of Start."""

import shutil
import signal

import steering_page
from window import BIN, HOSTS, PANEL, STEERING

START_QUESTION = PANEL + "startQuestion"


def serve(programs, contact):
    """Starts host processes, as a batch job does."""
    server = programs.start([BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "64 MiB"], "dsm-serve")
    server.wait_for_file(contact)
    return server


def open_file(window, contact):
    """File > Open."""
    assert window.ask(do="trigger", action="actionFileOpen")
    window.until(lambda: window.ask(do="choose", file=str(contact)), "the file dialog")


def sources(window):
    return window.evaluate("[name for name, _ in GetSources()]")[0]


def contact_setting(window):
    return window.evaluate(f"{HOSTS}.GetProperty('ContactFile').GetElement(0)")[0]


def is_watching(window):
    return window.get(PANEL + "stop") == "Stop Watching" and window.get(PANEL + "stop", "visible")


def test_open(window, programs):
    """File > Open gives the whole panel: the list, the picture that follows, steering, pins."""
    contact = programs.folder / "run.dsm"
    server = serve(programs, contact)
    programs.simulation(contact, steps=20, every=10).wait()
    own = contact_setting(window)
    open_file(window, contact)
    window.until(lambda: window.panel("shown") == 3, "the newest snapshot")
    assert is_watching(window) and window.state() == "Listening"
    assert not window.get(PANEL + "start", "visible") and not window.get(PANEL + "watch", "visible")
    assert [row[0] for row in window.rows()] == [3, 2, 1] and sources(window) == ["run.dsm"]
    # It would go on for an hour: the window stops it.
    program = programs.simulation(contact, 3, 5000000, 500, 24, "more")
    with window.looks_alone():
        window.until(lambda: window.panel("shown") > 5, "the next ones")
    window.show_page("Steering")
    window.until(lambda: window.exists(STEERING + "parameter feed"), "its parameters")
    window.enter("feed", 0.05)
    steering_page.applied(window)
    steering_page.stop(window)
    program.wait()
    window.show_page("Snapshots")
    window.pin(2)
    window.until(lambda: window.pinned() == [2], "the pin")
    window.until(lambda: window.state() == "Listening", "the end of the simulation")
    newest = window.rows()[0][0]
    window.until(lambda: window.panel("shown") == newest, "the last one")
    # The settings are the server's owner's.
    window.show_page("Settings")
    assert "Another program" in window.get(PANEL + "settingsNote")
    assert not window.get(PANEL + "proxyWidget", "visible")
    window.show_page("Snapshots")
    # Nothing is lost, so nothing is asked.
    window.click(PANEL + "stop")
    window.until(lambda: window.state() == "Idle", "idle")
    assert contact.exists() and server.process.poll() is None
    assert window.get(PANEL + "start", "visible") and window.get(PANEL + "watch", "visible")
    assert contact_setting(window) == own != str(contact)

    # It is in the menu of the button.
    window.until(lambda: window.ask(do="trigger", action=f"run.dsm in {programs.folder}", menu="watchMenu"), "the menu")
    window.until(lambda: window.panel("shown") == newest, "the newest snapshot again")
    window.assert_no_problems()

    # The server ends, and another one comes.
    server.process.send_signal(signal.SIGKILL)
    server.status()
    window.until(lambda: window.state() == "Hosts lost", "word of it")
    assert "starts again with the same contact file" in window.details()
    contact.unlink()
    serve(programs, contact)
    window.until(lambda: window.state() == "Listening", "the next server")
    programs.simulation(contact, steps=10, every=10, name="again").wait()
    window.until(lambda: window.panel("shown") == 2, "its snapshots")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")


def test_other_window(window, programs):
    """Two windows show one run. The second one ends, and the first goes on."""
    contact, other_window = programs.folder / "run.dsm", programs.window()
    window.listen(contact)
    program = programs.simulation(contact, 3, 3000, 100, 24)
    window.until(lambda: window.panel("shown") > 1, "a snapshot")
    other_window.set_setting("ContactFile", contact)
    other_window.click(PANEL + "start")
    other_window.until(lambda: other_window.exists(START_QUESTION), "the question")
    assert "Watch it" in other_window.get(START_QUESTION, "informativeText")
    other_window.check_appearance("question-start-watch", START_QUESTION)
    other_window.press_enter(START_QUESTION + "/watch")
    other_window.until(lambda: is_watching(other_window) and other_window.panel("shown") > 1, "the same snapshots")
    program.wait()
    for one in (window, other_window):
        one.until(lambda one=one: one.panel("shown") == 31, "the last snapshot")
    ranges = "list(GetActiveSource().PointData['v'].GetRange())"
    assert window.evaluate(ranges) == other_window.evaluate(ranges)
    other_window.close()
    programs.simulation(contact, steps=10, every=10, name="after").wait()
    window.until(lambda: window.panel("shown") == 33, "what comes behind it")
    window.until(lambda: window.state() == "Listening", "the end of the program")


def test_nobody_answers(window, programs):
    """The panel says so, and why."""
    contact, other = programs.folder / "run.dsm", programs.folder / "other.dsm"
    server = serve(programs, contact)
    shutil.copy(contact, other)  # with its mode
    server.process.terminate()
    server.wait()
    open_file(window, other)
    window.until(lambda: window.panel("errorText"), "why it cannot be watched")
    assert window.state() != "Listening" and str(other) in window.panel("errorText")
    serve(programs, contact)
    open_file(window, contact)
    window.until(lambda: is_watching(window), "the server")


def test_state(window, programs):
    """A state file has what was watched, and a trace runs as a script."""
    contact, state = programs.folder / "run.dsm", programs.folder / "watched.pvsm"
    serve(programs, contact)
    programs.simulation(contact, steps=20, every=10).wait()
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    open_file(window, contact)
    window.until(lambda: window.panel("shown") == 3, "the newest snapshot")
    trace = window.evaluate("__import__('paraview.smtrace').smtrace.stop_trace()")[0]
    assert f"dsm = paraviewdsm.start(ContactFile='{contact}', Watching=1)" in trace, trace
    assert window.ask(do="saveState", file=str(state))
    window.click(PANEL + "stop")
    window.until(lambda: window.state() == "Idle", "idle")
    window.clear()
    window.ask(do="loadState", file=str(state))
    window.until(lambda: is_watching(window) and window.panel("shown") == 3, "what the state has")

# SPDX-License-Identifier: BSD-3-Clause
"""The log of a steered session, which a later run replays while the window watches, and its trace, which pvbatch runs
unchanged on another simulation."""

import re
import shutil

import steering_cases as cases
from steering_page import has_ended, launched, listen, press, stop, tour, wait_for_fields, wait_for_pause
from window import BIN, STEERING


def shown(window):
    """The values in the fields of the parameters that the tour changes."""
    where = [float(window.get(STEERING + f"parameter where/{axis}")) for axis in "xyz"]
    return {
        "flag": window.get(STEERING + "parameter flag", "checked", child="QCheckBox"),
        "count": int(window.get(STEERING + "parameter count", "text", child="QAbstractSpinBox")),
        "feed": window.get(STEERING + "parameter feed", "value", child="pqDoubleRangeWidget"),
        "mode": window.get(STEERING + "parameter mode", "currentText", child="QComboBox"),
        "label": window.get(STEERING + "parameter label", "text", child="QLineEdit"), "where": where,
    }


def own_commands(log, before):
    """(step, command, count) of the window's own commands since a log was copied."""
    rows = [line.split("\t") for line in log.read_text().removeprefix(before.read_text()).splitlines()]
    return [
        (step, name, count) for _, _, who, _, step, _, what, name, _, count in rows
        if what == "command" and who.endswith("(ParaView)") and not who.startswith("replay of")
    ]


def test_replay_and_trace(window, programs):
    contact = programs.folder / "run.dsm"
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    listen(window, contact)
    program = programs.start(launched("C", 2), "steered", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    tour(window)
    stop(window)
    cases.check_tour(program.wait())
    has_ended(window)
    trace = programs.folder / "trace.py"
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")

    # A replay on another number of ranks: the panel shows what it changes, and who did that first.
    log = programs.folder / "session.log"
    shutil.copy(programs.folder / "run.dsm.steering.log", log)
    replay = programs.start(
        [BIN / "dsm-run", "--contact", contact, "--replay", log, *launched("C", 5)], "replay", DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    window.until(lambda: shown(window) == cases.CHANGES, "what the replay sets at step 0")
    assert not window.get(STEERING + "steeringApply", "enabled")
    # Waits for the effect: the outcome of this button is soon replaced by that of the replay's next change.
    press(window, "advance", 3)
    wait_for_pause(window, 3)
    wait_for_fields(window, ["/fields/pressure"])
    window.until(
        lambda: not window.get(STEERING + "parameter |fields|pressure", "checked", child="QCheckBox"),
        "what it sets at step 3",
    )
    for outcome in ("changed /fields/pressure at step 3", "sent write snapshot at step 3"):
        by = re.compile(rf"replay of \S+@\S+ \(ParaView\) {outcome}")
        window.until(lambda by=by: by.search(window.steering("outcome")), by.pattern)
    window.screenshot("steering-replay")
    press(window, "resume")
    # It ends as the session ended.
    cases.check_tour(replay.wait())
    assert program.lines[-1] == replay.lines[-1]
    has_ended(window)
    assert own_commands(programs.folder / "run.dsm.steering.log", log) == [
        ("0", '"advance"', "3"), ("3", '"resume"', "1")]
    window.stop_hosting()

    # The trace, unchanged, on a program in another language.
    text = trace.read_text()
    assert "paraviewdsm.start(ContactFile=" in text and "dsm.parameters['feed'] = 0.05\n" in text, text
    batch = programs.pvbatch(trace)
    batch.wait_for_file(contact)
    again = programs.start(launched("Fortran", 2), "traced", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    batch.wait()
    cases.check_tour(again.wait())

# SPDX-License-Identifier: BSD-3-Clause
"""What a steered session leaves behind: its log, which a later run replays before the window's eyes, and its trace,
which pvbatch runs unchanged on another simulation."""

import os
import re
import shutil

import steering_cases as cases
from steering_page import has_ended, launched, listen, press, stop, tour, wait_for_fields, wait_for_pause
from window import BIN, DSM, MPIEXEC, STEERING


def shown(window):
    """What the fields show of those that the tour changes."""
    where = [float(window.get(STEERING + f"parameter where/{axis}")) for axis in "xyz"]
    return {
        "flag": window.get(STEERING + "parameter flag", "checked", child="QCheckBox"),
        "count": int(window.get(STEERING + "parameter count", "text", child="QAbstractSpinBox")),
        "feed": window.get(STEERING + "parameter feed", "value", child="pqDoubleRangeWidget"),
        "mode": window.get(STEERING + "parameter mode", "currentText", child="QComboBox"),
        "label": window.get(STEERING + "parameter label", "text", child="QLineEdit"), "where": where,
    }


def by_hand(log, before):
    """(step, command, count) of the window's own buttons since a log was copied."""
    rows = [line.split("\t") for line in log.read_text().removeprefix(before.read_text()).splitlines()]
    return [
        (step, name, count) for _, _, who, _, step, _, what, name, _, count in rows
        if what == "command" and who.endswith("(ParaView)") and not who.startswith("replay of")
    ]


def test_replay_and_trace(workshop):
    window = workshop.window()
    contact = workshop.folder / "run.dsm"
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    listen(window, contact)
    program = workshop.start(launched("C", 2), "steered", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    tour(window)
    stop(window)
    cases.check_tour(program.wait())
    has_ended(window)
    trace = workshop.folder / "trace.py"
    window.python(f"from paraview import smtrace\nopen({str(trace)!r}, 'w').write(smtrace.stop_trace())")

    # A replay on other ranks: the panel shows what it changes, and from whom that is.
    log = workshop.folder / "session.log"
    shutil.copy(workshop.folder / "run.dsm.steering.log", log)
    replay = workshop.start(
        [BIN / "dsm-run", "--contact", contact, "--replay", log, *launched("C", 5)], "replay", DSM_START_PAUSED=1)
    wait_for_pause(window, 0)
    window.until(lambda: shown(window) == cases.CHANGES, "what the replay sets at step 0")
    assert not window.get(STEERING + "steeringApply", "enabled")
    # What the replay does next soon stands where this button's outcome stood: its effect is waited for.
    press(window, "advance", 3)
    wait_for_pause(window, 3)
    wait_for_fields(window, ["/fields/pressure"])
    window.until(lambda: not window.get(STEERING + "parameter |fields|pressure", "checked", child="QCheckBox"), "what it sets at step 3")
    for told in ("changed /fields/pressure at step 3", "commanded write snapshot at step 3"):
        by = re.compile(rf"replay of \S+@\S+ \(ParaView\) {told}")
        window.until(lambda: by.search(window.steering("outcome")), by.pattern)
    window.picture("steering-replay")
    press(window, "resume")
    # It ends where the session ended.
    cases.check_tour(replay.wait())
    assert program.lines[-1] == replay.lines[-1]
    has_ended(window)
    assert by_hand(workshop.folder / "run.dsm.steering.log", log) == [("0", '"advance"', "3"), ("3", '"resume"', "1")]
    window.click(DSM + "stop")
    window.close()

    # The trace, unchanged, on a program in another language.
    text = trace.read_text()
    assert "paraviewdsm.start(ContactFile=" in text and "dsm.parameters['feed'] = 0.05\n" in text, text
    batch = workshop.start([*MPIEXEC, "-n", 2, os.environ["DSM_TEST_PVBATCH"], trace], "pvbatch", PYTHONPATH="", PV_PLUGIN_CONFIG_FILE="")
    batch.wait_for_file(contact)
    again = workshop.start(launched("Fortran", 2), "traced", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    batch.wait()
    cases.check_tour(again.wait())

# SPDX-License-Identifier: BSD-3-Clause
"""Files on disk become snapshots again, by the panel's button and by what is traced of it."""

import os
import subprocess

import pytest

from test_panel_streams import DENSITIES, SIMULATION, VISIBLE, end, start, write
from window import BIN, PANEL, PLAIN_SIMULATION

BUTTON = PANEL + "restore"
NAME = BUTTON + "/restoreName"
# A program that starts again: it opens the name that it always opens.
AGAIN = """
import sys, h5py
with h5py.File(sys.argv[1], "r") as file:
    print("found", file["pressure"][1, 2, 3], file.attrs["clock"])
"""


def bring_back(window, file, name):
    window.until(lambda: window.get(BUTTON, "enabled"), "the button")
    window.ask(do="clickLater", object=BUTTON)
    window.until(lambda: window.ask(do="choose", file=str(file)), "the dialog for a file")
    window.until(lambda: window.exists(NAME), "the question for its name")
    assert window.get(NAME, child="QLineEdit") == str(file)
    window.screenshot("restore-name", NAME)
    window.set_text(NAME, name)  # and Enter
    assert not window.exists(NAME)


def test_beside_a_simulation(window, programs):
    """A file that is loaded from disk is listed, and not drawn over a simulation's picture until it is ticked."""
    contact = programs.folder / "run.dsm"
    subprocess.run([os.environ["DSM_TEST_PYTHON"], "-c", PLAIN_SIMULATION, programs.folder], check=True, timeout=60,
                   env=programs.environment())
    window.listen(contact)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0)
    window.until(lambda: window.evaluate(VISIBLE) == [["density.#.h5"]], "the simulation's picture")
    (programs.folder / "back").mkdir()
    bring_back(window, programs.folder / "run-000.h5", programs.folder / "back" / "run-000.h5")
    window.until(lambda: len(window.groups()) == 2, "the file in the list")
    window.wait_for_polls(3)
    assert window.evaluate(VISIBLE) == [["density.#.h5"]]
    window.tick("run-")
    window.until(lambda: window.evaluate(VISIBLE) == [["density.#.h5", "run-#.h5"]], "both")
    write(simulation, 1)
    window.until(lambda: window.panel("shown") == max(row[0] for row in window.rows()), "the simulation goes on")
    end(simulation)
    window.assert_no_problems()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


@pytest.mark.parametrize("ended", [False, True], ids=["running", "ended"])
@pytest.mark.parametrize("place", ["density", "elsewhere"])
def test_same_names_beside_a_simulation(window, programs, place, ended):
    """A file that another run wrote under the names of the simulation's files is listed as a stream of its own."""
    contact = programs.folder / "run.dsm"
    old = programs.folder / "old"
    for folder in (old, programs.folder / "elsewhere"):
        folder.mkdir()
    subprocess.run([os.environ["DSM_TEST_PYTHON"], "-c", SIMULATION, old, "density particles checkpoint density 100"],
                   check=True, timeout=60, env=programs.environment(), input=8 * "next\n", text=True)
    window.listen(contact)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0, 1, 2)
    window.until(lambda: window.evaluate(DENSITIES) == [[[2, 16]]], "the simulation's picture")
    window.wait_for_polls(2)
    groups = window.groups()
    if ended:
        end(simulation)
    bring_back(window, old / "density.0007.h5", programs.folder / place / "density.0007.h5")
    window.until(lambda: len(window.groups()) == len(groups) + 1, f"the file in the list, beside {groups}")
    window.wait_for_polls(3)
    assert window.evaluate(DENSITIES) == [[[2, 16]]]
    title = f"{place}/density.#.h5 (from disk)"
    assert [f"{title}  (1)", 0] in [list(group[:2]) for group in window.groups()], window.groups()
    assert [group for group in window.groups() if not group[0].startswith(title)] == groups
    window.screenshot(f"restored-{place}")
    if not ended:
        write(simulation, 3)
        window.until(lambda: window.evaluate(DENSITIES) == [[[3, 17]]], "the simulation's next picture")
        end(simulation)
    newest = window.evaluate(DENSITIES)[0][0]
    window.tick(title)
    window.until(lambda: window.evaluate(DENSITIES) == [[newest, [107, 121]]], "both")
    assert window.panel("errorText") == ""
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


def test_from_disk(window, programs):
    folder = programs.folder
    contact = folder / "run.dsm"
    kept = folder / "it's kept"
    kept.mkdir()
    subprocess.run([os.environ["DSM_TEST_PYTHON"], "-c", PLAIN_SIMULATION, kept], check=True, timeout=60,
                   env=programs.environment())
    assert not window.get(BUTTON, "enabled"), "no memory is shared"
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.listen(contact)

    # It is shown, and a program finds it under that name.
    bring_back(window, kept / "run-000.h5", folder / "run-000.h5")
    window.until(lambda: window.panel("shown") == 1, "its picture")
    assert [row[3] for row in window.rows()] == ["run-000.h5"] and window.panel("errorText") == ""
    assert window.get(BUTTON) == "Load from Disk…"
    window.screenshot("restored")
    again = programs.start([BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", AGAIN,
                            folder / "run-000.h5"], "again")
    assert "found 23.0 0.25" in again.wait()

    # Why not, until the next one.
    (folder / "other.h5").write_text("another one")
    bring_back(window, kept / "run-001.h5", folder / "other.h5")
    window.until(lambda: "there is another file" in window.panel("errorText"), "the reason")
    assert (folder / "other.h5").read_text() == "another one" and len(window.rows()) == 1
    window.screenshot("restore-refused")

    # What was brought back is in the trace, and what was not is not.
    text = window.evaluate("__import__('paraview.smtrace').smtrace.stop_trace()")[0]
    quoted = str(kept).replace("'", "\\'")
    line = f"dsm.restore('{quoted}/run-000.h5', name='{folder}/run-000.h5')"
    assert [one for one in text.splitlines() if one.startswith("dsm.restore(")] == [line], text

    # One that has to wait for room says so, and goes on when there is some.
    window.set_setting("WhenFull", "block")
    window.set_setting("MaximumSnapshots", 1)
    window.pin(1)
    window.until(lambda: window.pinned() == [1], "the pin")
    bring_back(window, kept / "run-001.h5", folder / "run-001.h5")
    window.until(lambda: window.get(BUTTON) == "Waiting…", "the wait")
    assert window.panel("errorText") == "" and not window.get(BUTTON, "enabled")
    window.screenshot("restore-waits")
    window.pin(1)
    window.until(lambda: [row[3] for row in window.rows()] == ["run-001.h5"], "the other one")
    window.until(lambda: window.get(BUTTON, "enabled"), "the button")
    window.stop_hosting()

    # So pvbatch does the same.
    trace = folder / "trace.py"
    trace.write_text(text.replace(line, f"print('restored', {line}, dsm.streams())"))
    batch = programs.pvbatch(trace)
    batch.wait_to_say("restored 1 ['run-#.h5']", 120)
    programs.plain_simulation(contact).wait()
    batch.wait(120)

# SPDX-License-Identifier: BSD-3-Clause
"""A program that flushes its file and keeps it open: the panel says so, and offers to show it at each flush."""

import os
import re

from window import BIN, PANEL

# Appends to one file at each line of its input, and flushes it.
SIMULATION = """
import sys, h5py
with h5py.File(f"{sys.argv[1]}/open.0001.h5", "w") as file:
    file["large"] = [0.0] * (1 << 21)
    u = file.create_dataset("u", (8, 8, 8), "d")
    print("ready", flush=True)
    for step, line in enumerate(sys.stdin):
        u[...] = step
        file.flush()
        print("flushed", step, flush=True)
"""
BUTTON = PANEL + "showAtFlush"


def test_file_kept_open(window, programs):
    contact = programs.folder / "run.dsm"
    window.listen(contact, memory="128 MiB", MaximumSnapshots="100")
    simulation = programs.start(
        [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", SIMULATION, programs.folder],
        "simulation", talk=True)
    simulation.wait_for_line("ready")
    window.until(lambda: window.state() == "Receiving step 1", "the file")
    assert not window.get(BUTTON, "visible")
    places = window.places()

    simulation.say("go on")
    simulation.wait_for_line("flushed 0")
    window.until(lambda: window.state() == "File still open", "word of it")
    assert "open.0001.h5" in window.details() and "when the simulation closes it" in window.details()
    assert window.get(BUTTON, "visible") and window.places() == places
    window.check_appearance("still-open")

    window.click(BUTTON)
    assert window.setting("Publish") == "also at each flush"
    window.until(lambda: not window.get(BUTTON, "visible"), "the button gone")
    simulation.say("go on")
    simulation.wait_for_line("flushed 1")
    window.until(lambda: window.panel("shown") == 1, "a picture of the open file")
    assert window.state() == "Receiving step 1" and window.panel("errorText") == ""
    # Each flush takes room for what has changed, not for the 16 MiB of the file.
    for step in range(2, 21):
        simulation.say("go on")
        simulation.wait_for_line(f"flushed {step}")
    window.until(lambda: window.panel("shown") == 20, "the last flush")
    retention = window.get(PANEL + "retention")
    print(window.get(PANEL + "memory"), retention)
    assert int(re.search(r"Room for (\d+) more", retention)[1]) > 128 / 16, retention
    simulation.process.stdin.close()
    assert simulation.status() == 0, simulation.text
    window.assert_no_problems()

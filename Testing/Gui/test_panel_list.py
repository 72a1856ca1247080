# SPDX-License-Identifier: BSD-3-Clause
"""The list of snapshots: keys, several rows at once, sorting, filters, and the list as a table."""

import csv
import os
import re

from window import BIN, PANEL

# Two streams in turn; later files are smaller.
SIMULATION = """
import sys, h5py, numpy
print("ready", flush=True)
for line in sys.stdin:
    for step in range(12):
        for name in sys.argv[2:]:
            with h5py.File(f"{sys.argv[1]}/{name}.{step:04d}.h5", "w") as file:
                file[name] = numpy.random.rand(20, 20, 20)
                file["padding"] = numpy.zeros(100 * (20 - step))
                file.attrs["time"] = 0.5 * step
    print("wrote", flush=True)
"""
REPLACE = PANEL + "replaceQuestion"
UP, DOWN, SPACE, DELETE = 0x01000013, 0x01000015, 0x20, 0x01000007  # Qt's numbers of the keys
SIZE = 2  # its column
REPRESENTATION = "str(GetDisplayProperties(GetActiveSource()).Representation)"


def start(window, programs, *names):
    """A simulation that has written 12 files of each stream, and is held."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    program = programs.start(
        [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", SIMULATION, programs.folder,
         *names], "simulation", talk=True)
    program.wait_for_line("ready")
    program.say("write")
    program.wait_for_line("wrote")
    window.until(lambda: len(window.rows()) == 12 * len(names), "the rows")
    window.until(lambda: window.panel("shown") >= 12 * len(names) - 1, "the picture")
    return program


def end(program):
    program.process.stdin.close()
    program.wait()


def numbers(window):
    return [row[0] for row in window.rows()]


def test_keys(window, programs):
    """After a click on a row, the keyboard is the list's."""
    program = start(window, programs, "u")
    before = window.evaluate(REPRESENTATION)
    window.click_row(8)
    window.until(lambda: window.panel("shown") == 8, "the snapshot of the row")
    assert window.ask(do="focus") == "table"
    # Down is an older one.
    for key, shown in ((DOWN, 7), (DOWN, 6), (UP, 7)):
        window.press_key(key)
        window.until(lambda shown=shown: window.panel("shown") == shown, f"snapshot {shown}")
        assert window.selected() == [shown] and window.ask(do="focus") == "table"
    assert window.evaluate(REPRESENTATION) == before
    # Snapshot 7 is pinned as long as it is held.
    window.click_row(3)
    window.until(lambda: window.pinned() == [3], "the pin of what is held")
    window.press_key(UP, held="shift")
    window.press_key(UP, held="shift")
    assert window.selected() == [5, 4, 3]
    window.press_key(SPACE)
    window.until(lambda: window.pinned() == [3, 4, 5], "the pins")
    # Several are not shown.
    window.wait_for_polls(2)
    assert window.panel("shown") == 3
    window.screenshot("list-several")
    window.press_key(SPACE)
    window.until(lambda: not {4, 5} & set(window.pinned()), "the end of the pins")
    end(program)


def test_several_rows(window, programs):
    """Rows that are selected together are pinned and saved together."""
    program = start(window, programs, "u")
    window.click_row(9)
    window.until(lambda: window.panel("shown") == 9, "the snapshot of the row")
    window.click_row(7, held="control")
    window.click_row(4, held="control")
    assert window.selected() == [9, 7, 4] and window.panel("shown") == 9
    window.choose_from_menu(7, "Pin 2 Snapshots")
    window.until(lambda: window.pinned() == [4, 7, 9], "the pins")
    window.choose_from_menu(7, "Save 3 Snapshots…")
    folder = programs.folder / "saved"
    folder.mkdir()
    window.until(lambda: window.ask(do="choose", file=str(folder)), "the dialog for a folder")
    expected = {f"u.{number - 1:04d}.h5" for number in (4, 7, 9)}
    window.until(lambda: {file.name for file in folder.iterdir()} == expected, "the files")
    assert all((folder / name).read_bytes()[:4] == b"\x89HDF" for name in expected)
    window.until(lambda: not window.exists(PANEL + "saveProgress"), "the end of the message")
    # A menu on another row is about that row.
    window.choose_from_menu(2, "Pin")
    window.until(lambda: 2 in window.pinned(), "one pin")
    # The simulation still writes into memory.
    program.say("write")
    program.wait_for_line("wrote")
    window.until(lambda: max(numbers(window)) == 24, "the next snapshots")
    end(program)


def test_saving_replaces_no_file_unasked(window, programs):
    """Several snapshots are saved under their own names; what is there is replaced only if the user says so."""
    program = start(window, programs, "u")
    folder = programs.folder / "saved"
    folder.mkdir()
    there, other = folder / "u.0003.h5", folder / "u.0006.h5"
    there.write_text("mine")

    def save(*answer):
        window.choose_from_menu(7, "Save 2 Snapshots…")
        window.until(lambda: window.ask(do="choose", file=str(folder)), "the dialog for a folder")
        window.until(lambda: window.exists(REPLACE), "the question")
        assert "1 of 2 snapshots" in window.get(REPLACE) and "u.0003.h5" in window.get(REPLACE, "informativeText")
        window.click(f"{REPLACE}/{answer[0]}")
        window.until(lambda: not window.exists(REPLACE), "the end of the question")
        window.until(lambda: not window.exists(PANEL + "saveProgress"), "the end of the message")

    window.click_row(7)
    window.click_row(4, held="control")
    save("cancel")
    assert [file.name for file in folder.iterdir()] == [there.name] and there.read_text() == "mine"
    save("saveOthers")
    assert there.read_text() == "mine" and other.read_bytes()[:4] == b"\x89HDF"
    other.unlink()
    save("replace")
    assert there.read_bytes()[:4] == other.read_bytes()[:4] == b"\x89HDF"
    assert window.panel("errorText") == ""

    # If one cannot be written, one message has the count and the reason.
    other.unlink()
    there.unlink()
    other.mkdir()
    window.choose_from_menu(7, "Save 2 Snapshots…")
    window.until(lambda: window.ask(do="choose", file=str(folder)), "the dialog for a folder")
    window.until(lambda: window.exists(REPLACE), "the question")
    window.click(f"{REPLACE}/replace")
    window.until(lambda: window.panel("errorText"), "the message")
    assert re.match(f"Saved [01] of 2 snapshots to {folder}\\. ", window.panel("errorText")), window.panel("errorText")
    end(program)


def test_sort_and_filter(window, programs):
    program = start(window, programs, "u", "v")
    assert [group[2] for group in window.groups()] == [True, True], "both are open"
    groups = {group[0].split()[0]: group[3] for group in window.groups()}
    assert groups == {"u.#.h5": list(range(23, 0, -2)), "v.#.h5": list(range(24, 0, -2))}
    # Later files are smaller; groups stay where they are.
    window.click_title(SIZE)
    assert [group[3] for group in window.groups()] == [list(range(1, 24, 2)), list(range(2, 25, 2))]
    window.screenshot("list-sorted")

    window.set_text(PANEL + "filterText", "v.")
    assert sorted(numbers(window)) == list(range(2, 25, 2)) and len(window.groups()) == 1
    window.set_text(PANEL + "filterFrom", "2")
    window.set_text(PANEL + "filterTo", "3.5")
    # The times are in the files: steps 4 to 7.
    window.until(lambda: sorted(numbers(window)) == [10, 12, 14, 16], f"four rows, not {numbers(window)}")
    window.screenshot("list-filtered")
    window.set_text(PANEL + "filterText", "*.000[")
    assert numbers(window) == []
    window.set_text(PANEL + "filterText", "v*0005")
    assert numbers(window) == [12]

    # The table has the rows that are listed, in their order.
    window.set_text(PANEL + "filterText", "v")
    window.choose_from_menu(12, "Export as Table…")
    table = programs.folder / "list.csv"
    window.until(lambda: window.ask(do="choose", file=str(table)), "the dialog for a file")
    window.until(table.exists, "the table")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["Number"]) for row in rows] == [10, 12, 14, 16]
    assert [float(row["Time"]) for row in rows] == [2, 2.5, 3, 3.5]
    assert rows[0]["File"] == f"{programs.folder}/v.0004.h5" and rows[0]["Stream"] == "v.#.h5"
    assert int(rows[0]["Bytes"]) > int(rows[1]["Bytes"])
    # One that cannot be written is reported where other errors are.
    window.choose_from_menu(12, "Export as Table…")
    unwritable = "/proc/list.csv"
    window.until(lambda: window.ask(do="choose", file=unwritable), "the dialog for a file")
    window.until(lambda: f"cannot write {unwritable}" in window.panel("errorText"), "the error")
    window.click(PANEL + "dismiss")

    for field in ("filterText", "filterFrom", "filterTo"):
        window.set_text(PANEL + field, "")
    assert len(window.rows()) == 24
    window.click_title(SIZE)
    assert [group[3] for group in window.groups()] == [list(range(23, 0, -2)), list(range(24, 0, -2))]
    # The third click brings back the usual order.
    window.click_title(SIZE)
    assert [group[3] for group in window.groups()] == [list(range(23, 0, -2)), list(range(24, 0, -2))]
    end(program)


def test_pin_every(window, programs):
    """Every third snapshot of a stream is pinned, also of those that come; until a third of the memory is pinned."""
    program = start(window, programs, "u", "v")
    window.set_setting("MaximumSnapshots", 60)
    window.choose_from_menu("v.#.h5", "Pin Every N…")
    window.until(lambda: window.exists("pinEvery"), "the question")
    window.screenshot("list-pin-every", "pinEvery")
    # Enter accepts it.
    window.set_text("pinEvery", 3)
    expected = [2, 8, 14, 20]
    window.until(lambda: window.pinned() == expected, f"the pins of one stream: {window.pinned()}")
    program.say("write")
    program.wait_for_line("wrote")
    window.until(lambda: window.pinned() == [*expected, 26, 32, 38, 44], f"more pins: {window.pinned()}")
    # A pin of the user stays when the rule ends.
    window.choose_from_menu("v.#.h5", "Pin Every 3")
    program.say("write")
    program.wait_for_line("wrote")
    window.until(lambda: max(numbers(window)) == 72, "more snapshots")
    assert window.pinned() == [*expected, 26, 32, 38, 44]
    # No more than 20 of 60.
    window.choose_from_menu("u.#.h5", "Pin Every N…")
    window.until(lambda: window.exists("pinEvery"), "the question")
    window.set_text("pinEvery", 1)
    window.until(lambda: len(window.pinned()) == 20, "a third of all")
    window.wait_for_polls(3)
    assert len(window.pinned()) == 20 and window.panel("errorText") == ""
    end(program)


def test_drop(window, programs):
    """Delete drops the rows that are selected, pinned or not, after a question."""
    program = start(window, programs, "u")
    question = PANEL + "dropQuestion"
    window.click_row(9)
    window.until(lambda: window.pinned() == [9], "the pin of what is held")
    window.click_row(4)
    window.until(lambda: window.pinned() == [4], "the pin of what is held")
    window.click_row(6, held="shift")
    window.press_key(DELETE)
    assert window.get(question) == "Drop 3 snapshots from memory?"
    window.screenshot("question-drop", question)
    window.click(question + "/cancel")
    window.wait_for_polls(2)
    assert len(window.rows()) == 12
    window.press_key(DELETE)
    window.click(question + "/drop")
    window.until(lambda: numbers(window) == [12, 11, 10, 9, 8, 7, 3, 2, 1], f"fewer rows, not {numbers(window)}")
    assert window.panel("errorText") == ""
    window.choose_from_menu(2, "Drop…")
    window.until(lambda: window.exists(question), "the question")
    window.click(question + "/drop")
    window.until(lambda: 2 not in numbers(window), "no snapshot 2")
    # The others are shown as before.
    window.click_row(8)
    window.until(lambda: window.panel("shown") == 8, "another snapshot")
    assert window.panel("errorText") == ""
    end(program)

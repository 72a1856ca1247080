# SPDX-License-Identifier: BSD-3-Clause
"""What was guessed of a file and what is left out stand on the page Contents, and lead to what sets them."""

import json

import h5py
import numpy

from test_panel_streams import FIELD, end, start, write
from window import PANEL

CONTENTS = PANEL + "contents/"
PROPERTIES = "propertiesPanel/"
BOUNDS = "GetActiveSource().GetDataInformation().GetBounds()"
GUESSED = ["Origin 0 0 0", "Spacing 1 1 1", "Last dimension = x", "Point data"]


def remarks(window):
    return window.ask(do="texts", object=CONTENTS + "remarks")


def left_out(window):
    return window.ask(do="rows", object=CONTENTS + "leftOut")


def apply(window, **values):
    for name, value in values.items():
        window.set_text(PROPERTIES + name, value)
    window.click(PROPERTIES + "Accept")


def test_guesses_are_set(window, programs):
    """The live reader: guesses are listed, and their buttons lead to fields; what is set there changes the picture, is
    said to be set, and holds for the next file."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    programs.plain_simulation(contact).wait()
    window.until(lambda: window.panel("shown") == 2, "the last snapshot")
    window.show_page("Contents")
    window.until(lambda: all(guess in remarks(window) for guess in GUESSED), "the guesses")
    assert window.get(CONTENTS + "contentsNote").startswith("Read as image (its largest dataset is a 2 x 3 x 4 grid).")
    assert left_out(window) == [
        ["/about", "its type is not numeric (text)"],
        ["/seeds", "size 3 does not match the grid (2 x 3 x 4)"]]
    assert window.evaluate(BOUNDS) == [[0, 3, 0, 2, 0, 1]]
    assert any("Memory: copied: it is small" in tip for tip in window.ask(do="tips", object=CONTENTS + "tree"))
    window.click(CONTENTS + "useValuesOf2")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 4, 0, 3, 0, 2]], "the picture with values in cells")
    window.until(lambda: window.exists(CONTENTS + "resetValuesOf"), "what is set")
    window.click(CONTENTS + "resetValuesOf")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 3, 0, 2, 0, 1]], "the picture with values at points")
    window.until(lambda: all(guess in remarks(window) for guess in GUESSED), "the guesses again")

    # A button leads to its field, also from another source.
    window.python("from paraview.simple import *\nSetActiveSource(None)")
    window.click(CONTENTS + "setSpacing")
    window.until(lambda: window.exists(PROPERTIES + "Spacing"), "the reader's properties")
    window.until(lambda: window.ask(do="hasFocus", object=PROPERTIES + "Spacing"), "the field of the spacing")
    window.screenshot("contents-property")
    apply(window, Spacing="0.5 1 2")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 1.5, 0, 2, 0, 2]], "the picture with the spacing")
    window.until(lambda: "Spacing 0.5 1 2" in remarks(window), "what is set")
    assert GUESSED[1] not in remarks(window)
    window.click(CONTENTS + "setAxisOrder")
    apply(window, AxisOrder="xyz")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 0.5, 0, 2, 0, 6]], "the picture with the order of axes")
    window.until(lambda: "Axis order xyz" in remarks(window), "the order of axes as set")
    window.screenshot("contents-set")
    # Choices too, those by the panel's words.
    apply(window, ValuesOf="cells")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 1, 0, 3, 0, 8]], "the cells")
    apply(window, ValuesOf="auto")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 0.5, 0, 2, 0, 6]], "the points again")

    # Times are those that the files have where the user says.
    times = "list(GetActiveSource().TimestepValues)"
    assert window.evaluate(times) == [[0, 1]]
    apply(window, TimeFrom="@clock")
    # ParaView's time goes along, that of the scene and that of the view, and nobody has chosen to hold.
    window.until(lambda: window.evaluate("GetAnimationScene().AnimationTime", "GetActiveView().ViewTime", times)
                 == [0.5, 0.5, [0.25, 0.5]], "the times that are set")
    assert window.panel("shown") == 2
    window.until(lambda: "Time from @clock" in remarks(window), "the time")

    # The next files are shown so, too.
    programs.plain_simulation(contact).wait()
    window.until(lambda: window.panel("shown") == 4, "the next files")
    assert window.evaluate(BOUNDS) == [[0, 0.5, 0, 2, 0, 6]]
    window.until(lambda: window.evaluate("GetAnimationScene().AnimationTime", times) == [0.5, [0.25, 0.5]],
                 "the times of the present run")
    apply(window, TimeFrom="")
    window.until(lambda: window.evaluate(times) == [[0, 1]], "the files' own times")

    # What cannot be is said, and is mended.
    apply(window, Spacing="0")
    says = 'the spacing "0" cannot be'
    window.until(lambda: says in window.panel("errorText"), "the error")
    window.until(lambda: window.get(CONTENTS + "contentsNote").startswith("No data is shown"), "the page says so")
    window.check_appearance("contents-error")
    apply(window, Spacing="2", AxisOrder="")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 6, 0, 4, 0, 2]], "the picture again")
    window.until(lambda: window.get(CONTENTS + "contentsNote", "toolTip") == "Snapshot No. 4", "the note as before")
    assert window.get(CONTENTS + "contentsNote").startswith("Read as image")
    window.until(lambda: window.panel("errorText") == "", "no more error")
    window.assert_no_problems()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


def test_known_format_is_read_otherwise(window, programs):
    """A file of a known format is read as something else by one choice on the page, and back."""
    name = programs.folder / "scales.nc"
    with h5py.File(name, "w") as file:
        file["x"] = numpy.linspace(10, 12, 5)
        file["u"] = numpy.arange(5.0)
        file["x"].make_scale("x")
        file["u"].dims[0].attach_scale(file["x"])
    window.show_page("Contents")
    window.python("from paraview.simple import *\n"
                  f"reader = DSMFileReader(FileName={str(name)!r})\nShow(reader)\nRender()\nSetActiveSource(reader)")
    scales = "Read as dimension scales ("
    window.until(lambda: window.get(CONTENTS + "contentsNote").startswith(scales), "the format")
    assert window.get(CONTENTS + "readAs", "currentText") == "automatic"
    window.set_text(CONTENTS + "readAs", "table")
    window.until(lambda: window.get(CONTENTS + "contentsNote").startswith("Read as table ("), "the table")
    assert window.evaluate("reader.ReadAs == 'table'") == [True]
    window.set_text(CONTENTS + "readAs", "automatic")
    window.until(lambda: window.get(CONTENTS + "contentsNote").startswith(scales), "the format again")
    # A choice in the Properties panel is shown here as well.
    window.python("reader.ReadAs = 'table'")
    window.until(lambda: window.get(CONTENTS + "readAs", "currentText") == "table", "the choice")


def test_settings_stay_with_their_stream(window, programs):
    """The next program's files are not read as the user said for those of the program before, nor for these."""
    contact = programs.folder / "stay.dsm"
    window.listen(contact)
    programs.plain_simulation(contact).wait()
    window.until(lambda: window.panel("shown") == 2, "the last snapshot")
    window.python("from paraview.simple import *\n"
                  "reader = [one for one in GetSources().values() if one.GetXMLName() == 'DSMReader'][-1]\n"
                  "reader.Spacing = '0.5 1 2'\nreader.UpdatePipeline()")
    window.until(lambda: window.evaluate("reader.GetDataInformation().GetBounds()") == [[0, 1.5, 0, 2, 0, 2]],
                 "the picture with the spacing")
    other = start(programs, contact, "pressure dust restart strain")
    write(other, 0)
    spacings = "sorted((one.FilePattern, one.Spacing) for one in GetSources().values() if hasattr(one, 'Spacing'))"
    window.until(lambda: window.evaluate(spacings) == [[["pressure.#.h5", ""], ["run-#.h5", "0.5 1 2"]]],
                 "both readers")
    window.until(lambda: window.evaluate(f"{FIELD}.GetDataInformation().GetBounds()") == [[0, 7, 0, 7, 0, 7]],
                 "the other program's picture")
    end(other)

    # Another server counts its snapshots from 1. No reader shows them for those of the same numbers before.
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")
    window.click(PANEL + "start")
    other = start(programs, contact, "pressure dust restart strain")
    write(other, 0, 1, 2)
    window.until(lambda: window.panel("shown") == max((row[0] for row in window.rows()), default=0) > 2, "the newest")
    window.python("reader.UpdatePipeline(0)")  # a time that the list of before has
    assert window.evaluate("reader.SMProxy.GetProperty('ErrorText').GetElement(0)",
                           "reader.GetDataInformation().GetNumberOfPoints()") == ["", 0]
    end(other)
    window.assert_no_problems()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


def test_opened_file(window, programs):
    """A reader of one file, as File > Open makes it: its own guesses, and a recipe for it."""
    name = programs.folder / "grid.h5"
    with h5py.File(name, "w") as file:
        file["u"], file["atoms/pos"] = numpy.zeros((4, 5)), numpy.zeros((3, 3))
    window.show_page("Contents")
    window.python(
        f"from paraview.simple import *\nreader = DSMFileReader(FileName={str(name)!r})\nreader.UpdatePipeline()")
    window.until(lambda: GUESSED[0] in remarks(window), "the guesses")
    assert [row[0] for row in left_out(window)] == ["/atoms/pos"]
    assert window.get(CONTENTS + "contentsNote").startswith("Read as image (")
    window.python("reader.Spacing = '-1'\nreader.UpdatePipeline()")
    window.until(lambda: 'the spacing "-1" cannot be' in window.get(CONTENTS + "contentsNote"), "the error on the page")
    window.python("reader.Spacing = ''")
    recipe = {"name": "Atoms", "when": ["/atoms"], "parts": "/atoms", "points": ["pos[i,c]"], "fields": []}
    window.python(f"reader.Recipe = {json.dumps(recipe)!r}\nreader.UpdatePipeline()")
    window.until(lambda: window.get(CONTENTS + "contentsNote").startswith("Read as Atoms ("), "the recipe's")
    assert [row[0] for row in left_out(window)] == ["/u"]
    assert not [guess for guess in GUESSED if guess in remarks(window)]


def test_alternatives(window, programs):
    """Each guess has its other readings beside it. A click on one changes the picture, and Reset undoes it."""
    name = programs.folder / "frames.h5"
    with h5py.File(name, "w") as file:
        # Frames in time, as a simulation appends them, and distances in the order of the frames' dimensions.
        file.create_dataset("u", data=numpy.zeros((3, 20, 30)), maxshape=(None, 20, 30))
        file["time"] = [0.5, 1.0, 2.0]
        file["u"].attrs["spacing"] = [2, 1]
    window.show_page("Contents")
    window.python("from paraview.simple import *\n"
                  f"reader = DSMFileReader(FileName={str(name)!r})\nShow(reader)\nRender()")
    steps = "First dimension = time (3 steps, times from /time)"
    window.until(lambda: steps in remarks(window), "the guess of steps")
    times = "list(GetActiveSource().TimestepValues)"
    window.python("SetActiveSource(reader)")
    assert window.evaluate(BOUNDS, times) == [[0, 29, 0, 38, 0, 0], [0.5, 1, 2]]
    assert not left_out(window)
    window.check_appearance("contents-alternatives")

    # The steps as a block, and back.
    window.click(CONTENTS + "useAxisOrderzyx")
    window.until(lambda: window.evaluate(BOUNDS)[0][5] == 2, "the block")
    window.until(lambda: "Axis order zyx" in remarks(window), "what is set")
    assert steps not in remarks(window)
    window.click(CONTENTS + "resetAxisOrder")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 29, 0, 38, 0, 0]], "the frames again")
    window.until(lambda: steps in remarks(window), "the guess again")

    # The distances the other way round, and values in cells.
    window.click(CONTENTS + "useSpacing2_1_1")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 58, 0, 19, 0, 0]], "the other order of distances")
    window.until(lambda: window.exists(CONTENTS + "resetSpacing"), "what is set")
    window.click(CONTENTS + "resetSpacing")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 29, 0, 38, 0, 0]], "the distances again")
    window.until(lambda: window.exists(CONTENTS + "useValuesOf2"), "the guess of points")
    window.click(CONTENTS + "useValuesOf2")
    window.until(lambda: window.evaluate(BOUNDS) == [[0, 30, 0, 40, 0, 0]], "the cells")
    window.assert_no_problems()

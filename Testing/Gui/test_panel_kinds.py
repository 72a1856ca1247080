# SPDX-License-Identifier: BSD-3-Clause
"""Simulations that write another kind of data than the ones before."""

import os
import re

import pytest

from window import BIN, DISCARD, MPIEXEC, PANEL

KINDS = """
import sys, h5py, numpy
for step in range(2):
    with h5py.File(f"{sys.argv[1]}/run-{step:03d}.h5", "w") as file:
        file["pressure"] = numpy.arange(120.0).reshape(eval(sys.argv[2])) + step
"""
SHOWN = ("sorted((view.GetXMLName(), each.GetXMLName()) for view in GetViews() for each in view.Representations "
         "if each.Visibility and hasattr(each, 'Input'))")


def test_another_kind_of_data(window, programs):
    """Simulations one after the other, with images, tables, images, tables: each in a view of its kind."""
    image = ("(6, 5, 4)", [["RenderView", "UniformGridRepresentation"]])
    table = ("(120,)", [["SpreadSheetView", "SpreadSheetRepresentation"]])
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    for newest, (shape, shown) in zip((2, 4, 6, 8), (image, table, image, table), strict=True):
        programs.start(
            [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", KINDS, programs.folder, shape],
            "simulation").wait()
        window.until(lambda newest=newest: window.panel("shown") == newest, f"snapshot {newest}")
        assert window.evaluate(SHOWN) == [shown]
        assert window.panel("errorText") == ""
        window.screenshot(f"kind-{newest}")
    # Back to an image, which is held; and to the newest, of the same simulation.
    window.pick(5)
    assert window.panel("shown") == 5
    assert window.evaluate(SHOWN, "len(GetViews())") == [image[1], 2]
    window.screenshot("kind-picked")
    window.click(PANEL + "follow")
    window.until(lambda: window.panel("shown") == 8, "the newest")
    assert window.evaluate(SHOWN, "len(GetViews())") == [table[1], 2]
    assert window.panel("errorText") == ""
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    # ParaView's own warning, when it shows the active source in a new spreadsheet, which has no colour legend.
    lines = [line for line in window.output.splitlines() if "Missing 'LookupTable' property" not in line]
    assert not [line for line in lines if "ERR|" in line or "WARN|" in line], window.output


PROFILES = """
import sys, h5py, numpy
names = sys.argv[2:]
for step in range(2):
    with h5py.File(f"{sys.argv[1]}/{'-'.join(names)}-{step:03d}.nc", "w") as file:
        file["u"] = numpy.arange(5.0 ** len(names)).reshape([5] * len(names)) + step
        for dimension, name in enumerate(names):
            file[name] = numpy.linspace(10, 12, 5)
            file[name].make_scale(name)
            file["u"].dims[dimension].attach_scale(file[name])
"""


@pytest.mark.parametrize(("names", "shown", "direction"), [
    ("x", "Surface", [0, 0, -1]), ("z", "Surface", [0, 1, 0]), ("y x", "Slice", [0, 0, -1]),
    ("z x", "Slice", [0, 1, 0]), ("z y", "Slice", [-1, 0, 0])])
def test_flat_data(window, programs, names, shown, direction):
    """Lines and planes are seen, wherever they lie. ParaView itself would draw a line as a slice, which
    it cannot, and look at the edge of a plane."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    programs.start(
        [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", PROFILES, programs.folder,
         *names.split()], "simulation").wait()
    window.until(lambda: window.panel("shown") == 2, "the second file")
    seen = (f"GetDisplayProperties(GetActiveSource(), GetActiveView()).Representation == {shown!r}",
            "list(GetActiveCamera().GetDirectionOfProjection())")
    assert window.evaluate(*seen) == [True, direction]
    views = window.evaluate("len(GetViews())")[0]
    window.choose_from_menu(2, "Open in a Second View")
    window.until(lambda: window.evaluate("len(GetViews())")[0] == views + 1, "the second view")
    assert window.evaluate(*seen) == [True, direction]
    window.screenshot(f"kind-{names.replace(' ', '-')}")
    assert "ERR|" not in window.output, window.output
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


# They begin together, as by MPI_Init: on a loaded machine Python takes seconds more to start in one than in another.
PARTS = """
import os, pathlib, sys, time, h5py, numpy
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"])
pathlib.Path(sys.argv[1], f"here.{rank}").touch()
end = time.monotonic() + 60
while len(here := list(pathlib.Path(sys.argv[1]).glob("here.*"))) < 3:
    assert time.monotonic() < end, f"of three processes there are only {here} after a minute"
    time.sleep(0.01)
x, y, z = numpy.meshgrid(*[numpy.arange(8.0)] * 3, indexing="ij")
for step in range(3):
    with h5py.File(f"{sys.argv[1]}/dust.{step:03d}.p{rank}.h5", "w") as file:
        for name, values in {"x": x + 10 * rank, "y": y, "z": z, "mass": numpy.hypot(x, y) + step}.items():
            file[name] = values.ravel()
    time.sleep(0.1 * rank)
"""


def test_one_file_of_each_process(window, programs):
    """A step is one row and one picture."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    programs.start(
        [*MPIEXEC, "-n", 3, BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", PARTS,
         programs.folder], "simulation").wait()
    window.until(lambda: window.panel("shown") == 9, "the last of them")
    window.until(lambda: len(window.rows()) == 3, "three rows")
    assert [row[3] for row in window.rows()] == [f"dust.00{step}.p*.h5 (3 files)" for step in (2, 1, 0)]
    assert window.panel("errorText") == ""
    assert window.evaluate("GetActiveSource().GetDataInformation().GetNumberOfPoints()") == [3 * 512]
    window.screenshot("kind-parts")
    counts = window.get(PANEL + "counts")
    assert " files received · " in counts, counts
    received, viewed, dropped = map(int, re.findall(r"\d+", counts))
    assert (received, viewed % 3, dropped) == (9, 0, 0) and 0 < viewed <= 9
    # All of its files, in a folder.
    newest, saved = window.rows()[0][0], programs.folder / "saved"
    saved.mkdir()
    window.choose_from_menu(newest, "Save As…")
    window.until(lambda: window.ask(do="choose", file=str(saved)), "the dialog for a folder")
    window.until(lambda: len(list(saved.iterdir())) == 3, "its files")
    assert sorted(file.name for file in saved.iterdir()) == [f"dust.002.p{rank}.h5" for rank in range(3)]
    window.choose_from_menu(newest, "Open in a Second View")
    window.until(lambda: len(window.evaluate("len(GetViews()) * [0]")[0]) == 2, "the view")
    assert window.evaluate("GetActiveSource().GetDataInformation().GetNumberOfPoints()", "len(GetSources())") == \
        [3 * 512, 2]
    assert window.panel("errorText") == ""
    window.screenshot("kind-parts-beside")
    # The setting counts files, the question the snapshots that they are in.
    window.set_setting("MaximumSnapshots", 4)
    window.until(lambda: window.exists(DISCARD), "the question")
    assert "the oldest 2 of 3 snapshots" in window.get(DISCARD), window.get(DISCARD)
    window.click(DISCARD + "/cancel")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")

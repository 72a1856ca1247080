# SPDX-License-Identifier: BSD-3-Clause
"""Simulations that write another kind of data than the ones before."""

import os

from window import BIN, PANEL

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
    window.click(PANEL + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    # ParaView's own warning, when it shows the active source in a new spreadsheet, which has no colour legend.
    lines = [line for line in window.output.splitlines() if "Missing 'LookupTable' property" not in line]
    assert not [line for line in lines if "ERR|" in line or "WARN|" in line], window.output

# SPDX-License-Identifier: BSD-3-Clause
"""The ranges of color maps follow the data of a simulation whose values grow."""

from test_panel_held import Simulation, check_no_errors
from test_panel_streams import end, start, write
from window import PANEL

# The values of step n go from n to n + 7, or from 10 n to 10 n + 70.
SIMULATION = """
import sys, h5py, numpy
folder, name = sys.argv[1:]
x = numpy.broadcast_to(numpy.arange(8.0), (8, 8, 8))
print("ready", flush=True)
for step, line in enumerate(sys.stdin):
    with h5py.File(f"{folder}/{name}.{step:04d}.h5", "w") as file:
        file["small"], file["tenfold"] = x + step, 10 * (x + step)
        file.attrs["time"] = 0.5 * step
    print("wrote", step, flush=True)
"""
DISPLAY = "GetDisplayProperties(list(GetSources().values())[0], GetActiveView())"
MODE = PANEL + "colorRange"


def colors(name):
    """The ends of a color map."""
    points = f"GetColorTransferFunction('{name}').RGBPoints[0::4]"
    return f"[min({points}), max({points})]"


def test_color_range(window, programs):
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    simulation = Simulation(programs, contact, "field", SIMULATION)
    snapshots = 0

    def write(count):
        nonlocal snapshots
        simulation.write(count)
        snapshots += count
        window.until(lambda: window.panel("shown") == snapshots, f"snapshot {snapshots}")

    def expect(name, least, most):
        window.until(lambda: window.evaluate(colors(name)) == [[least, most]], f"the range {least} to {most} of {name}")

    write(1)
    expect("small", 0, 7)
    # A color map that the user makes grows as well.
    window.python(f"from paraview.simple import *\nColorBy({DISPLAY}, ('POINTS', 'tenfold'))\n"
                  f"{DISPLAY}.RescaleTransferFunctionToDataRange(False, False)\nRender()")
    expect("tenfold", 0, 70)
    write(3)
    expect("tenfold", 0, 100)
    assert not window.get(PANEL + "blank", "visible")

    window.set_text(MODE, "Clamp and update every timestep")
    expect("tenfold", 30, 100)
    write(2)
    expect("tenfold", 50, 120)

    window.set_text(MODE, "Never")
    write(2)
    window.until(lambda: window.get(PANEL + "blank", "visible"), "the warning")
    assert window.get(PANEL + "blankText") == (
        "tenfold has values from 70 to 140. The colors only go from 50 to 120.")
    assert window.evaluate(colors("tenfold")) == [[50, 120]]
    window.screenshot("colors-outside")
    window.click(PANEL + "blankButton")
    expect("tenfold", 70, 140)
    window.until(lambda: not window.get(PANEL + "blank", "visible"), "the warning to go")

    window.set_text(MODE, "Grow and update every timestep")
    write(2)
    expect("tenfold", 70, 160)
    simulation.end()
    check_no_errors(window)
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


RANGES = ("sorted((one.Input.FilePattern, list(one.LookupTable.RGBPoints[0::4])[0], "
          "list(one.LookupTable.RGBPoints[0::4])[-1]) for one in GetActiveView().Representations "
          "if hasattr(one, 'Input') and one.Visibility)")
LEGENDS = ("sorted(one.Title for one in GetActiveView().Representations "
           "if hasattr(one, 'ScalarBarLength') and one.Visibility)")


def test_streams_have_their_own_colors(window, programs):
    """Two programs that write an array of the same name share no color map, and each legend says whose it is."""
    contact = programs.folder / "own.dsm"
    window.listen(contact)
    one = start(programs, contact, "cold dust restart density")
    write(one, 0)
    window.until(lambda: window.evaluate(RANGES) == [[["cold.#.h5", 0, 14]]], "the first picture")
    other = start(programs, contact, "hot haze resume density 1000")
    write(other, 0)
    window.until(lambda: window.evaluate(RANGES) == [[["cold.#.h5", 0, 14], ["hot.#.h5", 1000, 1014]]], "both pictures")
    assert window.evaluate(LEGENDS) == [["density", "density, hot.#.h5"]]
    window.screenshot("colors-own")
    end(other)
    end(one)
    check_no_errors(window)
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")

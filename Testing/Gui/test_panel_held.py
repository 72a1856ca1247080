# SPDX-License-Identifier: BSD-3-Clause
"""The snapshot in the picture stays while others come and go: time controls with Hold, the picture of a simulation that
has ended, and a click on a row whose snapshot has left the memory."""

import os

from window import BIN, PANEL

# A file for each line of its input.
SIMULATION = """
import sys, h5py, numpy
folder, name = sys.argv[1:]
z, y, x = numpy.mgrid[0:8.0, 0:8, 0:8]
print("ready", flush=True)
for step, line in enumerate(sys.stdin):
    with h5py.File(f"{folder}/{name}.{step:04d}.h5", "w") as file:
        file[name] = x + y + step
        file.attrs["time"] = 0.5 * step
    print("wrote", step, flush=True)
"""
# Milliseconds: the panel knows nothing new until the test says so.
NEVER = 3600000
SCENE = "GetAnimationScene()"
TIME = f"{SCENE}.AnimationTime"
STEPS = f"list({SCENE}.TimeKeeper.TimestepValues)"


def reader(name):
    return (f"[one for one in GetSources().values() if one.GetXMLName() == 'DSMReader' "
            f"and one.FilePattern in ('', '{name}.#.h5')][0]")


def shown_by(name):
    """The number of the snapshot that a reader shows, its arrays, and how its errors read."""
    one = reader(name)
    return (f"[{one}.UpdatePropertyInformation(), {one}.GetProperty('ShownSnapshot').GetElement(0)][1]",
            f"[name for name in {one}.PointData.keys() if not name.startswith('vtk')]",
            f"{one}.GetProperty('ErrorText').GetElement(0) or ''")


class Simulation:
    """Writes files when a test says so."""

    def __init__(self, programs, contact, name, code=SIMULATION):
        self.steps = 0
        self.program = programs.start(
            [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", code, programs.folder,
             name], "simulation", talk=True)
        self.program.wait_for_line("ready")

    def write(self, count):
        for _ in range(count):
            self.program.say("next")
            self.program.wait_for_line(f"wrote {self.steps}")
            self.steps += 1

    def end(self):
        self.program.process.stdin.close()
        self.program.wait()


def check_no_errors(window):
    assert window.panel("errorText") == ""
    assert not [line for line in window.output.splitlines() if "ERR|" in line], window.output


def end(window, simulation):
    """Ends the last simulation and the hosting: there was no error."""
    simulation.end()
    check_no_errors(window)
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


def test_time_controls_with_hold(window, programs):
    """ParaView's time controls know what comes while a snapshot is held, and lead there."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    simulation = Simulation(programs, contact, "field")
    simulation.write(2)
    window.until(lambda: window.panel("shown") == 2, "the second snapshot")
    window.click(PANEL + "hold")
    simulation.write(3)
    window.until(lambda: window.evaluate(STEPS) == [[0, 0.5, 1, 1.5, 2]], "the new times")
    assert window.evaluate(TIME) == [0.5]
    assert window.panel("shown") == 2

    assert window.ask(do="trigger", action="actionVCRNextFrame")
    window.until(lambda: window.panel("shown") == 3, "the next snapshot")
    assert window.ask(do="trigger", action="actionVCRLastFrame")
    window.until(lambda: window.panel("shown") == 5, "the newest snapshot")
    assert window.evaluate(f"{reader('field')}.PointData['field'].GetRange(0)[0]") == [4]
    assert window.get(PANEL + "hold", "checked")
    window.click(PANEL + "follow")
    simulation.write(1)
    window.until(lambda: window.panel("shown") == 6, "to follow")
    end(window, simulation)


def test_ended_simulation_stays(window, programs):
    """The picture of a simulation that has ended stays while another one fills the memory."""
    contact = programs.folder / "run.dsm"
    window.listen(contact, MaximumSnapshots=5)
    ended = Simulation(programs, contact, "early")
    goes_on = Simulation(programs, contact, "late")
    ended.write(2)
    goes_on.write(1)
    window.until(lambda: window.panel("shown") == 3, "the other simulation's first snapshot")
    assert window.evaluate(*shown_by("early")) == [2, ["early"], ""]
    ended.end()
    for _ in range(4):
        goes_on.write(3)
        window.until(lambda: window.panel("shown") == 2 + goes_on.steps, "the other simulation's newest snapshot")
    assert window.evaluate(*shown_by("early")) == [2, ["early"], ""]
    # The picture is made of the data that are read again.
    window.python(f"from paraview.simple import *\none = {reader('early')}\none.SMProxy.MarkModified(one.SMProxy)\n"
                  "Render()\nCalculator(Input=one, ResultArrayName='twice', Function='2*early').UpdatePipeline()")
    assert window.evaluate(*shown_by("early")) == [2, ["early"], ""]
    assert 2 in [row[0] for row in window.rows()]
    window.screenshot("ended-stays")
    end(window, goes_on)


def test_hold_of_old_picture(window, programs):
    """Hold pins the snapshot in the picture, however many files have come since it was drawn."""
    contact = programs.folder / "run.dsm"
    window.listen(contact, MaximumSnapshots=4)
    simulation = Simulation(programs, contact, "field")
    simulation.write(2)
    window.until(lambda: window.panel("shown") == 2, "the second snapshot")
    window.poll_every(NEVER)
    simulation.write(8)
    window.click(PANEL + "hold")
    window.poll_as_usual()
    window.until(lambda: window.pinned() == [2], "the snapshot that is held to be pinned")
    assert [row[0] for row in window.rows()] == [10, 9, 8, 2]
    assert window.panel("shown") == 2
    end(window, simulation)


def test_click_on_row_that_has_gone(window, programs):
    """The panel says that the snapshot has left the memory, and goes on as before."""
    contact = programs.folder / "run.dsm"
    window.listen(contact, MaximumSnapshots=4)
    simulation = Simulation(programs, contact, "field")
    simulation.write(4)
    window.until(lambda: window.panel("shown") == 4 and len(window.rows()) == 4, "four snapshots")
    window.poll_every(NEVER)
    simulation.write(3)
    assert [row[0] for row in window.rows()] == [4, 3, 2, 1]
    window.pick(2)
    assert window.get(PANEL + "blankText") == "Snapshot 2 has left the memory."
    assert window.get(PANEL + "blank", "visible")
    window.screenshot("gone-row")
    assert window.get(PANEL + "follow", "checked")
    check_no_errors(window)
    window.poll_as_usual()
    window.until(lambda: window.panel("shown") == 7, "to follow")
    number = window.rows()[1][0]
    window.pick(number)
    assert window.panel("shown") == number
    assert not window.get(PANEL + "blank", "visible")
    end(window, simulation)

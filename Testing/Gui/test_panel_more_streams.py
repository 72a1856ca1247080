# SPDX-License-Identifier: BSD-3-Clause
"""Several streams: a blank picture says why, and a server that a script in the window's shell has made."""

from test_panel_streams import READERS, VISIBLE, end, start, write
from window import MANAGER, PANEL


def mend(window, text, button):
    """Waits for a line that says why nothing is to be seen, and clicks its button."""
    window.until(lambda: window.get(PANEL + "blank", "visible") and text in window.get(PANEL + "blankText"), text)
    assert window.get(PANEL + "blankButton") == button
    window.screenshot("blank-" + button.split()[0].lower())
    window.click(PANEL + "blankButton")
    window.until(lambda: not window.get(PANEL + "blank", "visible"), f"nothing to mend after {button}")


def test_blank_picture(window, programs):
    """Where nothing is to be seen, a line says why, and its button mends it."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0, 1)
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 2], ["particles.#.h5", 3]], "pictures")
    window.wait_for_polls(4)
    assert not window.get(PANEL + "blank", "visible")

    window.python("from paraview.simple import *\nDelete(FindSource('particles.#.h5'))")
    mend(window, "The reader of particles.#.h5 was deleted.", "Recreate")
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 2], ["particles.#.h5", 3]], "its reader")

    window.python(
        "from paraview.simple import *\nfor one in GetSources().values(): Hide(one, GetActiveView())\nRender()")
    mend(window, "Nothing is visible in any view.", "Show")
    window.until(lambda: window.evaluate(VISIBLE)[0] == ["density.#.h5"], "the field")

    window.python("from paraview.simple import *\nGetActiveCamera().SetFocalPoint(1000, 0, 0)\nRender()")
    mend(window, "The data is outside the view.", "Reset Camera")
    assert window.evaluate("GetActiveCamera().GetFocalPoint()[0]")[0] < 10

    window.python(
        "from paraview.simple import *\nfield = FindSource('density.#.h5')\nSetActiveSource(field)\n"
        "contour = Contour(Input=field, ContourBy=['POINTS', 'density'], Isosurfaces=[5])\n"
        "Show(contour, GetActiveView())\nRender()\nSetActiveSource(field)")
    window.show_page("Contents")
    window.load_array("density", False)
    window.show_page("Snapshots")
    mend(window, 'Contour1 needs array "density", which this data does not have.', "Load density")
    window.until(lambda: window.contents("density")[2] == 2, "the array")
    end(simulation)
    # Another program's files have another array.
    other = start(programs, contact, "pressure dust restart strain")
    write(other, 0)
    mend(window, 'Contour1 needs array "density", which this data does not have.', "Use strain")
    assert window.evaluate("list(FindSource('Contour1').ContourBy)") == [["POINTS", "strain"]]
    end(other)
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")


def test_server_of_a_script(window, programs):
    """A server that a script makes in the window's shell is the panel's."""
    contact = programs.folder / "script.dsm"
    window.python(f"import paraviewdsm\nmade = paraviewdsm.Server(contact={str(contact)!r}, memory_per_host='32 MiB')")
    window.until(lambda: window.state() == "Listening", "the script's server")
    assert window.setting("MemoryPerHost") == "32 MiB" and f"--contact {contact}" in window.get(
        PANEL + "launchLine", "command")
    assert window.evaluate(f"{MANAGER}.GetNumberOfProxies('dsm_servers')") == [1]
    state = programs.folder / "script.pvsm"
    assert window.ask(do="saveState", file=str(state))
    assert 'group="misc" type="DSMServer"' in state.read_text()
    simulation = start(programs, contact, "density particles checkpoint")
    write(simulation, 0, 1)
    window.until(lambda: window.evaluate(READERS)[0] == [["density.#.h5", 2], ["particles.#.h5", 3]], "pictures")
    end(simulation)
    # By the script's own loop, with a reader of one stream.
    window.python(
        "particles = made.reader('particles.#.h5')\n"
        "seen = [(one.number, one.stream, one.run, particles.SMProxy.GetProperty('ShownSnapshot').GetElement(0))\n"
        "        for one in made.snapshots(timeout=10) if particles.UpdatePipeline() or True]")
    assert window.evaluate("seen")[0] == [
        [1, "density.#.h5", 1, 0], [2, "density.#.h5", 1, 0], [3, "particles.#.h5", 1, 3],
        [4, "checkpoint.#.h5", 1, 3]]
    window.python("made.stop()")
    window.until(lambda: window.state() == "Idle", "idle")
    assert not contact.exists()
    # And stopped in the panel.
    window.python(f"made = paraviewdsm.Server(contact={str(contact)!r})")
    window.until(lambda: window.state() == "Listening", "the script's next server")
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")
    window.python("made.stop()")

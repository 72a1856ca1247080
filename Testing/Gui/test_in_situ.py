# SPDX-License-Identifier: BSD-3-Clause
"""The menu Catalyst: hosting, pausing and steering from there; extractors for each snapshot; a pause when a condition
on the data holds."""

import re

from PIL import Image

from steering_page import command, stop
from window import BIN, MPIEXEC, STEERING

EXTRACTORS = """
from paraview.simple import *
pictures = CreateExtractor("PNG", GetActiveView(), registrationName="pictures")
pictures.Trigger.Frequency = 2
pictures.Writer.ImageResolution = [320, 240]
water = next(source for source in GetSources().values() if source.SMProxy.GetXMLName() == "DSMReader")
assert CreateExtractor("VTI", water, registrationName="data")
"""


def from_catalyst(window, name):
    window.until(lambda: window.ask(do="trigger", action=name), name)


def breakpoint_at(window, quantity, comparison, limit):
    for name, text in (("quantity", quantity), ("comparison", comparison), ("limit", limit)):
        window.set_text(f"{STEERING}breakpoint/{name}", text)
    window.set_checked(f"{STEERING}breakpoint/active", True)


def check_extracts(window, folder):
    """Checks what the extractors wrote of five snapshots."""
    def numbers(ending):
        return sorted(int(re.search(r"(\d+)\.\w+$", file.name)[1]) for file in folder.glob(ending))

    assert numbers("*.pvti") == [0, 1, 2, 3, 4] and numbers("*.png") == [0, 2, 4], list(folder.iterdir())
    with Image.open(next(folder.glob("*.png"))) as picture:
        assert picture.size == (320, 240) and len(picture.getcolors(320 * 240)) > 20
    (data,) = folder.glob("*4.pvti")
    window.python(f"from paraview.simple import *\nwritten = XMLPartitionedImageDataReader(FileName={str(data)!r})\n"
                  "written.UpdatePipeline()")
    ((low, high),) = window.evaluate("list(written.PointData['height'].GetRange())")
    window.python("Delete(written)")
    assert 0.9 < low <= 1 < high < 1.4


def test_catalyst_menu(window, programs):
    contact, extracts = programs.folder / "run.dsm", programs.folder / "extracts"
    extracts.mkdir()
    window.poll_every(50)
    window.set_setting("ContactFile", contact)
    from_catalyst(window, "dsmStart")
    window.until(lambda: window.state() == "Listening", "the server")
    simulation = programs.start(
        [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", 2, BIN / "shallow_water", "--size", 40, 31, "--steps",
         1000000, "--every", 1, "--output", programs.folder / "live"], "simulation", DSM_CONTACT=contact,
        DSM_START_PAUSED=1)
    window.until(lambda: window.steering("paused"), "the pause")
    # The page Steering was never shown: the menu steers all the same.
    from_catalyst(window, "dsmPauseAt")
    window.until(lambda: window.exists("dsmPauseStep"), "the question for a step")
    window.screenshot("catalyst-pause-at", "dsmPauseStep")
    window.set_text("dsmPauseStep", 2)  # and Enter
    from_catalyst(window, "dsmResume")
    window.until(lambda: window.steering("paused") and window.steering("step") == 2, "the pause at step 2")
    window.until(lambda: window.panel("shown") > 0, "the picture")

    # Extractors run for each snapshot that is shown, or for every second.
    window.python(EXTRACTORS)
    from_catalyst(window, "dsmExtracts")
    window.until(lambda: window.ask(do="choose", file=str(extracts)), "the dialog for a folder")
    window.wait_for_polls(2)
    assert window.ask(do="actionState", action="dsmExtracts") == {"enabled": True, "checked": True}

    from_catalyst(window, "dsmSteer")
    window.until(lambda: window.exists(STEERING + "breakpoint/active"), "the page Steering")
    window.enter("rain", False)
    window.click(STEERING + "steeringApply")
    for _ in range(5):
        before = window.panel("shown")
        command(window, "advance", 1)
        window.until(lambda before=before: window.panel("shown") > before, "the next picture")
    from_catalyst(window, "dsmExtracts")
    window.until(lambda: not window.ask(do="actionState", action="dsmExtracts")["checked"], "the end of extracts")
    check_extracts(window, extracts)

    # A drop spreads: the water's highest point falls.
    breakpoint_at(window, "maximum of height", "<", 1.1)
    window.screenshot("catalyst-breakpoint")
    from_catalyst(window, "dsmResume")
    window.until(lambda: "maximum of height is 1.0" in window.steering("outcome"), "the condition")
    assert re.match(r"Paused at step \d+.*: maximum of height is 1\.0\d*, which is below 1\.1$",
                    window.steering("outcome")), window.steering("outcome")
    window.until(lambda: window.steering("paused"), "the pause")
    assert not window.get(f"{STEERING}breakpoint/active", "checked")
    window.screenshot("catalyst-reached")
    assert window.ask(do="actionState", action="dsmPause") == {"enabled": False, "checked": False}

    # One on what the simulation reports.
    breakpoint_at(window, "energy", ">", -1)
    from_catalyst(window, "dsmResume")
    window.until(lambda: "energy is" in window.steering("outcome"), "the condition on what it reports")
    window.until(lambda: window.steering("paused"), "the pause")
    check_extracts(window, extracts)
    window.assert_no_problems()
    stop(window)
    simulation.wait()

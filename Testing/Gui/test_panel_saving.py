# SPDX-License-Identifier: BSD-3-Clause
"""What ParaView saves, exports and plays while a simulation writes twenty files a second and the panel follows it.
ParaView handles the user's events in the middle of such work, and updates its pipelines there."""

import os

import pytest
from PIL import Image

from window import BIN, PANEL

# A time step takes 0.05 s, whatever the file costs.
SIMULATION = """
import itertools, pathlib, sys, time, h5py, numpy
folder = pathlib.Path(sys.argv[1])
z, y, x = numpy.mgrid[0:16.0, 0:16, 0:16]
begin = time.monotonic()
for step in itertools.count():
    if (folder / "enough").exists():
        break
    with h5py.File(f"{folder}/run-{step:06d}.h5", "w") as file:
        file["u"] = x + y + z + step % 20
        file.attrs["time"] = 0.05 * step
    time.sleep(max(0, begin + 0.05 * (step + 1) - time.monotonic()))
"""
KEPT = 6
REPETITIONS = int(os.environ.get("DSM_TEST_REPETITIONS", "4"))
DIALOG = "window pqProxyWidgetDialog"
STEPS = "list(GetAnimationScene().TimeKeeper.TimestepValues)"
SHOWN_TIMES = "[GetAnimationScene().AnimationTime, GetActiveView().ViewTime]"


@pytest.fixture
def followed(window, programs):
    """A window that follows such a simulation."""
    contact = programs.folder / "run.dsm"
    window.listen(contact, MaximumSnapshots=KEPT)
    simulation = programs.start(
        [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", SIMULATION, programs.folder],
        "simulation")
    window.until(lambda: window.panel("shown") > KEPT, "the first pictures")
    # The panel polls as often as it can, so that most of what ParaView does meets a poll.
    window.poll_every(1)
    yield window
    window.poll_as_usual()
    (programs.folder / "enough").touch()
    simulation.wait()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    assert window.panel("errorText") == ""
    lines = [line for line in window.output.splitlines() if "ERR|" in line or "Error" in line]
    assert not lines, window.output


def check_follows(window):
    """The panel still follows."""
    shown = window.panel("shown")
    window.until(lambda: window.panel("shown") > shown, "the next picture")
    assert window.get(PANEL + "follow", "checked")


def save(window, action, file, pattern):
    """Chooses from the menu File, answers both dialogs, and returns the files that came of it."""
    window.until(lambda: window.ask(do="trigger", action=action), f"{action} to be possible")
    window.until(lambda: window.ask(do="choose", file=str(file)), "the file dialog")
    window.until(lambda: window.exists(DIALOG), "the dialog with options")
    window.until(lambda: window.ask(do="press", text="OK"), "its button")
    window.until(lambda: not window.exists(DIALOG) and list(file.parent.glob(pattern)), f"{file.name} to be saved")
    return sorted(file.parent.glob(pattern))


def test_save(followed, programs):
    """Animations, screenshots and data, in turn."""
    window = followed
    for turn in range(REPETITIONS):
        frames = save(window, "actionFileSaveAnimation", programs.folder / f"film{turn}.png", f"film{turn}.*.png")
        check_follows(window)
        (picture,) = save(window, "actionFileSaveScreenshot", programs.folder / f"shot{turn}.png", f"shot{turn}.png")
        for each in (*frames, picture):
            with Image.open(each) as image:
                image.verify()
        check_follows(window)
        (data,) = save(window, "actionFileSaveData", programs.folder / f"data{turn}.vti", f"data{turn}.vti")
        assert b'Name="u"' in data.read_bytes()
        check_follows(window)


def test_save_otherwise(followed, programs):
    """Extracts, states, an exported scene, and an animation that a script in ParaView's shell saves."""
    window = followed
    folder = programs.folder
    for turn in range(3):
        window.python(
            "from paraview.simple import *\n"
            "made = CreateExtractor('PNG', GetActiveView(), registrationName='PNG')\n"
            f"SaveExtracts(ExtractsOutputDirectory={str(folder / f'extracts{turn}')!r})\n"
            "Delete(made)")
        assert list((folder / f"extracts{turn}").glob("*.png"))
        check_follows(window)
        window.python(
            "from paraview.simple import *\n"
            f"SaveAnimation({str(folder / f'script{turn}.png')!r}, GetActiveView(), ImageResolution=[300, 300])")
        assert list(folder.glob(f"script{turn}.*.png"))
        check_follows(window)
        scene = folder / f"scene{turn}.x3d"
        window.python(f"from paraview.simple import *\nExportView({str(scene)!r}, GetActiveView())")
        assert scene.stat().st_size > 0
        check_follows(window)
        for name in (f"state{turn}.pvsm", f"state{turn}.py"):
            assert window.ask(do="saveState", file=str(folder / name))
            check_follows(window)


def test_play(followed):
    """Play goes on while snapshots arrive. Follow and a click on a row end it."""
    window = followed

    def play():
        window.until(lambda: window.ask(do="trigger", action="actionVCRPlay"), "Play to be possible")
        window.until(lambda: window.get(PANEL + "hold", "checked"), "Play to hold")

    # So many that the one that is picked is still there when Play has stopped.
    window.set_setting("MaximumSnapshots", 200)
    # For ever, until somebody stops it.
    window.python("from paraview.simple import *\nGetAnimationScene().Loop = 1")
    play()
    window.wait_for_polls(5)
    window.click(PANEL + "follow")
    check_follows(window)

    play()
    number = window.rows()[0][0]
    window.pick(number)
    window.until(lambda: window.panel("shown") == number, "the snapshot that was picked")
    window.wait_for_polls(5)
    assert window.panel("shown") == number
    assert window.get(PANEL + "hold", "checked")
    scene, view = window.evaluate(SHOWN_TIMES)[0]
    assert scene == view
    window.click(PANEL + "follow")
    check_follows(window)
    window.python("from paraview.simple import *\nGetAnimationScene().Loop = 0")


def test_script_moves_time(followed):
    """A script in ParaView's shell goes back through the times, and is where it wants to be."""
    window = followed
    moved = window.evaluate(
        f"[(setattr(GetAnimationScene(), 'AnimationTime', time), [time] + {SHOWN_TIMES})[1] "
        f"for time in reversed({STEPS})]")[0]
    assert len(moved) > 1
    for wanted, scene, view in moved:
        assert scene == wanted == view
    window.until(lambda: window.get(PANEL + "hold", "checked"), "the panel to hold")
    window.click(PANEL + "follow")
    check_follows(window)

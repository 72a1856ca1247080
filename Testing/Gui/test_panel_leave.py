# SPDX-License-Identifier: BSD-3-Clause
"""What the panel asks before memory goes that somebody needs. PanelLooks closes the window for good."""

import os

from processes import on_disk
from window import BIN, HOSTS, MPIEXEC, PANEL, QUESTION

# Twenty files a second, until it is killed.
SIMULATION = """
import itertools, sys, time, h5py
for step in itertools.count():
    with h5py.File(f"{sys.argv[1]}/fast.{step:04d}.h5", "w") as file:
        file["u"] = [float(step)] * 64
    time.sleep(0.05)
"""

# What the user does by which a session ends, and the question's title.
ENDS = (({"do": "trigger", "action": "actionFileExit"}, "Close ParaView"),
        ({"do": "call", "object": "", "method": "close"}, "Close ParaView"),
        ({"do": "trigger", "action": "actionServerDisconnect"}, "Disconnect"),
        ({"do": "trigger", "action": "actionDelete_All"}, "Reset Session"))


def test_leave(window, programs):
    contact, saved = programs.folder / "run.dsm", programs.folder / "saved"
    saved.mkdir()
    # Nothing is lost yet: no question.
    window.listen(contact)
    window.click(PANEL + "stop")
    window.until(lambda: window.state() == "Idle", "idle")
    window.click(PANEL + "start")
    window.until(lambda: window.state() == "Listening", "listening again")

    simulation = programs.start(
        [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", 2, BIN / "dsmUnfinished", "wait",
         programs.folder / "slow"], "slow", talk=True)
    simulation.wait_for_line("waiting")
    window.until(lambda: window.panel("shown") == 1, "the first picture")
    for request, title in ENDS:
        window.ask(**request)
        question = window.question()
        assert window.get(QUESTION, "windowTitle").startswith(title), title
        assert "dsmUnfinished" in question and "1 snapshot (" in question and "writes to disk" in question, question
        window.screenshot("question", QUESTION)
        # The panel goes on meanwhile.
        window.wait_for_polls(2)
        window.click(QUESTION + "/cancel")
        window.until(lambda: not window.exists(QUESTION), "the end of the question")
        assert contact.exists() and window.panel("shown") == 1
    window.click(PANEL + "stop")
    window.question()
    window.click(QUESTION + "/cancel")
    window.wait_for_polls(2)
    assert contact.exists() and window.state() in ("Receiving step 2", "File still open")

    # Saved, and then let go. What is not whole yet is no snapshot, and the simulation writes it to disk.
    window.click(PANEL + "stop")
    window.question()
    window.click(QUESTION + "/save")
    window.until(lambda: window.ask(do="choose", file=str(saved)), "the dialog for a folder")
    window.until(lambda: window.state() == "Idle", "the end")
    assert [file.name for file in saved.iterdir()] == ["slow.1.h5"]
    assert window.panel("errorText") == "" and not contact.exists()
    simulation.say("go on")
    assert simulation.status() == 0, simulation.text
    for file in (saved / "slow.1.h5", programs.folder / "slow.2.h5"):
        assert file.read_bytes()[:4] == b"\x89HDF", file


def test_saved_by_others(window, programs):
    """What a script or a steering request has saved is not lost, and not asked about."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    programs.simulation(contact, ranks=2, steps=100, every=50).wait()
    window.until(lambda: window.panel("shown") == 3, "three snapshots")
    window.python(f"import os, paraviewdsm\nos.chdir({str(programs.folder)!r})\nserver = paraviewdsm.server()")
    for save, left in (("", "3 snapshots ("), ("server.save(1, 'one.vtkhdf')", "2 snapshots ("),
                       ("server.write_to_disk('three.vtkhdf')", "1 snapshot (")):
        window.python(save or "pass")
        window.wait_for_polls(2)
        window.click(PANEL + "stop")
        assert left in window.question(), window.question()
        window.click(QUESTION + "/cancel")
        window.until(lambda: not window.exists(QUESTION), "the end of the question")
    assert window.get(PANEL + "retention").startswith("2 of 3 snapshots also saved to disk. Room for ")
    # How many more, not how many in all.
    window.set_setting("MaximumSnapshots", 5)
    room = "2 of 3 snapshots also saved to disk. Room for 2 more snapshots; after that the oldest are dropped."
    window.until(lambda: window.get(PANEL + "retention") == room, room)
    window.python("server.save(2, 'two.vtkhdf')")
    assert window.evaluate("list(paraviewdsm.server().status().saved)") == [[1, 2, 3]]
    window.wait_for_polls(2)
    window.click(PANEL + "stop")
    window.until(lambda: window.state() == "Idle" and not window.exists(QUESTION), "the end without a question")
    assert {file.name for file in programs.folder.glob("*.vtkhdf")} == {"one.vtkhdf", "two.vtkhdf", "three.vtkhdf"}


def test_on_disk_as_well(window, programs):
    """The panel says which files are on disk as well, by a rule that changes meanwhile; those are not asked about."""
    contact = programs.folder / "run.dsm"
    window.listen(contact, AlsoOnDisk="every 2")
    programs.simulation(contact, ranks=2, steps=100, every=50).wait()

    def says(where):
        window.until(lambda: window.get(PANEL + "retention").startswith(f"{where} snapshots also saved to disk."),
                     f"where the files are, {window.get(PANEL + 'retention')}")

    says("2 of 3")
    files = list((programs.folder / "live").iterdir())
    assert sorted(map(on_disk, files)) == [False, True, True]
    window.set_setting("AlsoOnDisk", "every now and then")
    assert 'unknown rule "every now and then"' in window.rejection("AlsoOnDisk")
    window.python("import paraviewdsm")
    assert window.evaluate("paraviewdsm.server().also_on_disk") == ["every 2"]
    window.set_setting("AlsoOnDisk", "all")
    says("All 3")
    assert all(map(on_disk, files))
    window.wait_for_polls(2)
    window.click(PANEL + "stop")
    window.until(lambda: window.state() == "Idle" and not window.exists(QUESTION), "the end without a question")
    assert len(files) == 3 and all(map(on_disk, files))


def test_saved_while_it_writes(window, programs):
    """All that is there when saving begins is saved, also while a simulation writes faster than that."""
    contact, saved = programs.folder / "run.dsm", programs.folder / "saved"
    saved.mkdir()
    window.listen(contact, MaximumSnapshots="20")
    simulation = programs.simulation(contact, ranks=1, steps=1000000, every=10, size=16)
    window.until(lambda: window.panel("shown") > 30, "pictures")
    window.click(PANEL + "stop")
    window.question()
    window.click(QUESTION + "/save")
    window.until(lambda: window.ask(do="choose", file=str(saved)), "the dialog for a folder")
    window.until(lambda: window.state() == "Idle", "the end")
    assert simulation.process.poll() is None, "it writes to disk now"
    # The last may not have been whole yet.
    assert len(list(saved.iterdir())) >= 19, sorted(saved.iterdir())
    simulation.stop(kill=True)


def test_saving_pauses_once(window, programs):
    """A simulation goes to disk once when saving begins, stays there, and comes back once if saving is cancelled."""
    contact = programs.folder / "run.dsm"
    window.listen(contact)
    simulation = programs.start(
        [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", SIMULATION, programs.folder],
        "fast")
    window.until(lambda: window.panel("shown") > 5, "pictures")

    def written():
        return sum(map(on_disk, programs.folder.glob("fast.*.h5")))

    # pqDSMSnapshotSaver does the same, but takes only a moment for small files.
    window.python(f"from paraview.simple import *\n{HOSTS}.InvokeCommand('TakeNoMore')")
    window.until(lambda: written() >= 80, "80 files on disk, which take four seconds")
    assert simulation.text.count("go to disk") == 1, simulation.text
    assert " is back " not in simulation.text, simulation.text
    window.python(f"from paraview.simple import *\n{HOSTS}.InvokeCommand('TakeAgain')")
    newest = window.panel("shown")
    window.until(lambda: window.panel("shown") > newest + 5, "pictures again")
    assert simulation.text.count("go to disk") == 1, simulation.text
    assert simulation.text.count(" is back ") == 1, simulation.text
    simulation.stop(kill=True)

# SPDX-License-Identifier: BSD-3-Clause
"""The walk of a newcomer, who knows ParaView, has read Widgets/PANEL.md, and uses nothing but what the window and a
terminal show. Each step quotes the sentence of the guide that says so."""

import os
import pathlib
import re
import signal

from PIL import Image

from test_panel_newcomer import MANAGER as PLUGINS
from test_panel_newcomer import load
from window import BIN, MPIEXEC, PANEL, PICTURES, QUESTION, STEERING, processes_called, usual_ranks

GUIDE = pathlib.Path(__file__).parents[2] / "Widgets" / "PANEL.md"
EDITOR = "window pqPythonScriptEditor"
CONNECT = "pqServerConnectDialog"


def plain(text):
    return re.sub(r"\s+", " ", re.sub(r"[*`]", "", text))


TEXT = plain(GUIDE.read_text(encoding="utf-8"))


def guide(sentence):
    """What the newcomer has just read. A step that the guide does not have fails the test."""
    assert plain(sentence) in TEXT, f"{GUIDE.name} does not say: {sentence}"


def kinds_of_colour(file):
    with Image.open(file) as picture:
        return len(set(picture.convert("RGB").resize((200, 200)).getdata()))


class Newcomer:
    """What somebody does with the mouse and the keyboard."""

    def __init__(self, programs):
        self.programs = programs
        self.window = programs.window(plugin=False)
        self.contact = programs.folder / "run.dsm"

    def menu(self, action, **where):
        self.window.until(lambda: self.window.ask(do="trigger", action=action, **where), f"{action} in the menu")

    def press(self, text):
        """A button of the dialog in front."""
        self.window.until(lambda: self.window.ask(do="press", text=text), f"a button {text}")

    def choose(self, file):
        self.window.until(lambda: self.window.ask(do="choose", file=str(file)), "the file dialog")

    def sees(self, condition, what, limit=60):
        self.window.until(condition, what, limit)

    def sees_state(self, *states):
        self.sees(lambda: self.window.state().startswith(states), f"the state {states[0]}")

    def sees_newest(self, number):
        """The picture of a snapshot, or of a later one."""
        self.sees(lambda: self.window.panel("shown") >= number, f"snapshot {number}")

    def colours(self):
        """How many colours the view has: few if nothing is drawn."""
        self.window.screenshot("walk-view", "activeView")
        return kinds_of_colour(PICTURES / "walk-view.png")

    def applies(self):
        """Apply of the Properties panel."""
        self.sees(lambda: self.window.get("propertiesPanel/Accept", "enabled"), "Apply")
        self.window.click("propertiesPanel/Accept")

    def pastes(self, *options, name="terminal", ranks=2):
        """The launch command, with another program and another number of ranks, in a terminal."""
        guide("Copy the command that appears, replace the program and the number of ranks with your own, and run it "
              "in a terminal.")
        self.window.click(PANEL + "copy")
        line = self.window.ask(do="clipboard")
        offered = f"mpiexec -n {usual_ranks()} ./my_simulation"
        assert offered in line, line
        program = " ".join(map(str, [BIN / "gray_scott", "--output", self.programs.folder / name, *options]))
        line = line.replace(offered, f"{' '.join(MPIEXEC)} -n {ranks} {program}")
        return self.programs.start(["bash", "-c", line], name)


def starts(walk):
    guide("Load the plugin: Tools > Manage Plugins > Load New, and choose `ParaViewDSM.so`")
    load(walk.window)
    walk.sees_state("Idle")
    guide("Click **Start**.")
    guide("**Start** shares the memory and creates the *contact file*")
    walk.window.click(PANEL + "start")
    walk.sees_state("Listening")
    assert walk.contact.exists()


def runs(walk):
    simulation = walk.pastes("--size", "24", "--steps", "1000000", "--every", "20")
    guide("The first file that your simulation closes becomes a picture.")
    walk.sees_newest(3)
    assert walk.colours() > 20
    guide("A simulation is connected: the line below the pages names its program, its number of ranks, its computer")
    walk.sees(lambda: "gray_scott" in walk.window.details() and "2 ranks" in walk.window.details(), "the simulation")
    walk.window.screenshot("walk-run")
    return simulation


def changes(walk):
    window = walk.window
    guide("Most settings can be changed while a simulation runs, most of them from its next file on.")
    window.show_page("Settings")
    window.set_setting("BlockSize", "64 KiB")
    walk.sees(lambda: "block size 64.0 KiB" in window.get(PANEL + "settingsNote"), "the new block size in force")
    guide("A size needs its unit, as in `64 MiB`. If a value is refused, a message at its field gives the reason")
    window.set_setting("MemoryPerHost", "8")
    assert "unit" in window.rejection("MemoryPerHost")
    window.screenshot("walk-change")


def holds(walk):
    window = walk.window
    window.show_page("Snapshots")
    guide("**Pause View** keeps the picture while the simulation continues. To view another snapshot, click its row")
    window.click(PANEL + "hold")
    held = window.rows()[2][0]
    window.pick(held)
    walk.sees(lambda: window.rows()[0][0] > held + 5, "newer snapshots")
    assert window.panel("shown") == held
    guide("**Follow Newest** shows the newest snapshot")
    window.click(PANEL + "follow")
    walk.sees_newest(held + 5)


def filters(walk):
    guide("Filters work on snapshots as on any data in ParaView, and are updated with each snapshot.")
    walk.menu("Contour")
    walk.applies()
    walk.sees_newest(walk.window.panel("shown") + 5)
    walk.sees(lambda: walk.colours() > 20, "the contour")
    walk.window.screenshot("walk-filter")


def steers(walk):
    window = walk.window
    guide("**Apply** sends all changes together: they take effect at the same step or not at all.")
    window.show_page("Steering")
    window.enter("feed", 0.05)
    window.click(STEERING + "steeringApply")
    walk.sees(lambda: window.steering("outcome").startswith("Applied"), "the answer")
    guide("The buttons are commands: Pause, Resume")
    window.click(STEERING + "command pause/button")
    walk.sees_state("Paused")
    window.click(STEERING + "command resume/button")
    walk.sees_state("Connected", "Receiving")
    window.screenshot("walk-steer")
    window.show_page("Snapshots")


def kills(walk, simulation):
    window = walk.window
    guide("If a simulation dies, its snapshots stay, and the next simulation can connect.")
    for pid in processes_called("gray_scott"):
        os.kill(pid, signal.SIGKILL)
    simulation.status()
    walk.sees_state("Simulation lost")
    assert window.rows()
    window.screenshot("walk-killed")
    guide("The box with the warning sign, below the pages, gives the reason and the remedy")
    if window.get(PANEL + "errorBox", "visible"):
        window.click(PANEL + "dismiss")


def restarts_in_a_trace(walk):
    """The script, and how the simulation was started."""
    window = walk.window
    guide("A trace (Tools > Start Trace) can begin at any time")
    walk.menu("actionToolsStartStopTrace")
    walk.press("OK")
    last = window.rows()[0][0]
    again = walk.pastes("--size", "24", "--steps", "200", "--every", "20", name="again", ranks=3)
    walk.sees_newest(last + 11)
    again.wait()
    guide("the list keeps the files of its last run below, as *(previous run)*")
    walk.sees(lambda: any("previous run" in group[0] for group in window.groups()), "the run before, told apart")
    guide("Tools > Stop Trace shows the script; its File > Save As writes it to a file.")
    walk.menu("actionToolsStartStopTrace")
    walk.sees(lambda: window.exists(EDITOR), "the script")
    walk.menu("Save As...", window="pqPythonScriptEditor")
    trace = walk.programs.folder / "trace.py"
    walk.choose(trace)
    walk.sees(trace.exists, "the trace on disk")
    window.ask(do="closeLater", object=EDITOR)
    walk.sees(lambda: not window.exists(EDITOR), "the editor's end")
    return trace, again.command


def saves_its_state(walk):
    guide("File > Save State keeps the pipeline and the server's settings")
    state = walk.programs.folder / "session.pvsm"
    walk.menu("actionFileSaveServerState")
    walk.choose(state)
    walk.sees(state.exists, "the state on disk")
    return state


def quits(walk, server=None):
    """`server`: the pvserver, which removes the contact file when it ends."""
    guide("If a simulation is connected or snapshots are not saved, ParaView asks before you stop hosting, close "
          "ParaView, disconnect or reset the session")
    walk.menu("actionFileExit")
    assert "snapshots" in walk.window.question()
    guide("| Stop Hosting, Close ParaView, … | Unsaved snapshots are lost.")
    walk.window.click(QUESTION + "/letGo")
    assert walk.window.program.status() == 0, walk.window.output
    if server:
        server.wait()
    assert not walk.contact.exists()


def loads(walk, state):
    """In a new ParaView."""
    window = walk.window
    load(window)
    walk.sees_state("Idle")
    guide("File > Load State restores them and listens, and the next simulation is shown in your pipeline.")
    walk.menu("actionFileLoadServerState")
    walk.choose(state)
    walk.press("OK")
    walk.sees_state("Listening")
    walk.pastes("--size", "24", "--steps", "100", "--every", "50", name="of-the-state").wait()
    walk.sees_newest(3)
    walk.sees(lambda: walk.colours() > 20, "the contour of the state")
    window.screenshot("walk-state")
    guide("**Stop Hosting** releases the memory and deletes the contact file")
    window.click(PANEL + "stop")
    window.question()
    window.click(QUESTION + "/letGo")
    walk.sees_state("Idle")
    assert not walk.contact.exists()


def connects(walk):
    """To a pvserver that knows nothing of the plugin."""
    window = walk.window
    server, url = walk.programs.pvserver(2, PV_PLUGIN_CONFIG_FILE="")
    guide("To use a `pvserver`, connect with File > Connect before you start; its ranks are then the hosts.")
    walk.menu("actionServerConnect")
    # ParaView's own question: the pipeline goes.
    walk.press("Yes")
    walk.press("Add Server")
    window.ask(do="set", object=CONNECT + "/name", property="text", value="here")
    window.ask(do="set", object=CONNECT + "/port", property="value", value=int(url.rpartition(":")[2]))
    for button in ("Configure", "Save", "Connect"):
        walk.press(button)
    guide("The ParaView server has not loaded the plugin. Load it on the remote side of Tools > Manage Plugins.")
    walk.sees_state("Plugin missing")
    walk.menu("actionManage_Plugins")
    walk.sees(lambda: window.exists(PLUGINS), "the plugin manager")
    window.ask(do="clickLater", object=PLUGINS + "/loadRemote")
    walk.choose(pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"]) / "ParaViewDSM" / "ParaViewDSM.so")
    walk.sees_state("Idle")
    window.ask(do="call", object=PLUGINS, method="reject")
    window.click(PANEL + "start")
    walk.sees_state("Listening")
    walk.pastes("--size", "24", "--steps", "100", "--every", "50", name="of-the-pvserver").wait()
    walk.sees_newest(3)
    assert walk.colours() > 20
    window.screenshot("walk-pvserver")
    return server


def runs_the_trace(walk, trace, command):
    """In pvbatch, with a picture of each snapshot as its comment says."""
    guide("`pvbatch` runs the script unchanged, also if the trace was stopped before the server: it shows each "
          "snapshot that arrives, or only the newest if they arrive faster, and ends when the simulation has ended. "
          "The comment at its end says how to save a picture of each snapshot.")
    text = trace.read_text()
    (following,) = re.findall(r"dsm\.follow\(lambda .*?\.png'\)\)", text)
    trace.write_text(text.replace("\ndsm.follow()", "\n" + following))
    batch = walk.programs.pvbatch(trace)
    batch.wait_for_file(walk.contact)
    walk.programs.start(command, "traced").wait()
    batch.wait()
    pictures = sorted(walk.programs.folder.glob("picture.*.png"))
    assert pictures[-1].name == "picture.00011.png", "that of the last snapshot"
    assert all(kinds_of_colour(picture) > 20 for picture in pictures), pictures


def test_walk(programs):
    walk = Newcomer(programs)
    starts(walk)
    simulation = runs(walk)
    changes(walk)
    holds(walk)
    filters(walk)
    steers(walk)
    kills(walk, simulation)
    trace, command = restarts_in_a_trace(walk)
    state = saves_its_state(walk)
    quits(walk)
    walk = Newcomer(programs)
    loads(walk, state)
    server = connects(walk)
    quits(walk, server)
    runs_the_trace(walk, trace, command)

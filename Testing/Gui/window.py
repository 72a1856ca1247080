# SPDX-License-Identifier: BSD-3-Clause
"""ParaView's window on an X server of its own, the programs that a test starts beside it, and what a test
asks of them."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from PIL import Image, ImageChops, ImageStat

from processes import Job, descendants, free_port

HERE = pathlib.Path(__file__).parent
BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
PICTURES = pathlib.Path(os.environ["DSM_TEST_PICTURES"])
PANEL = "pqDSMPanel/"
# The panel of a second server.
FURTHER = "pqDSMPanel 2"
STEERING = PANEL + "steering/"
RETURN = 0x01000004  # Qt's number of the key
# What the panel asks before memory goes that somebody needs.
QUESTION = PANEL + "leaveQuestion"
# The question before a setting drops snapshots.
DISCARD = PANEL + "discardQuestion"
# The setting that keeps data in host processes; ParaView remembers it.
SEPARATE = PANEL + "proxyWidget/Separate"
# The proxy of the server, in ParaView's Python.
MANAGER = "servermanager.ActiveConnection.Session.GetSessionProxyManager()"
HOSTS = f"{MANAGER}.GetProxy('dsm_servers', {MANAGER}.GetProxyName('dsm_servers', 0))"
# The only folders that pictures for the documentation may show; empty where there are none (neutral_folders.sh).
NEUTRAL_FOLDERS = [folder for folder in os.environ.get("DSM_TEST_NEUTRAL_FOLDERS", "").split(":") if folder]


def processes_called(program):
    """The processes of this name that the test has started."""
    found = []
    for pid in descendants():
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as name:
                if name.read().strip() == program[:15]:
                    found.append(pid)
        except OSError:
            pass  # it has ended
    return found


def usual_ranks():
    """How many ranks the launch command has: 4, or as many as there are cores."""
    siblings = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    return min(4, len({pathlib.Path(siblings.format(thread)).read_text() for thread in os.sched_getaffinity(0)}))


@contextlib.contextmanager
def display():
    """The name of a new X display."""
    read, write = os.pipe()
    server = subprocess.Popen(
        [os.environ["DSM_TEST_XVFB"], "-displayfd", str(write), "-screen", "0", "2560x1440x24", "-noreset", "-nolisten",
         "tcp"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    assert number, "Xvfb did not start"
    try:
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(10)


# Writes files that say nothing of the places of their values.
PLAIN_SIMULATION = """
import sys, h5py, numpy
for step in range(2):
    with h5py.File(f"{sys.argv[1]}/run-{step:03d}.h5", "w") as file:
        file["pressure"] = numpy.arange(24.0).reshape(2, 3, 4) + step
        file["seeds"], file["about"] = [1, 2, 3], "a simulation"
        file.attrs["clock"] = (step + 1) / 4
"""


class Programs:
    """Starts programs in a folder, and stops those that still run at the end."""

    def __init__(self, folder, screen):
        self.folder = folder
        self.screen = screen
        self.running = []

    def environment(self, **more):
        plugin = os.environ["DSM_PLUGIN_FOLDER"]
        return {
            **os.environ, "DISPLAY": self.screen, "UCX_ERROR_SIGNALS": "", "DSM_SHELL": "", "PYTHONPATH": plugin,
            "PV_PLUGIN_CONFIG_FILE": f"{plugin}/plugins.xml", "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"), "QT_QPA_PLATFORM": "xcb", "LC_ALL": "C.UTF-8",
            **{name: str(value) for name, value in more.items()},
        }

    def start(self, command, name, talk=False, **more):
        job = Job(command, self.environment(**more), self.folder / f"{name}.{len(self.running)}.log", self.folder, talk)
        self.running.append(job)
        return job

    def simulation(self, contact, ranks=3, steps=40, every=10, size=24, name="live", *options):
        return self.start(
            [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", ranks, BIN / "gray_scott",
             "--output", self.folder / name, "--size", size, "--steps", steps, "--every", every, *options],
            "simulation",
        )

    def plain_simulation(self, contact):
        return self.start(
            [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", PLAIN_SIMULATION, self.folder],
            "simulation")

    def pvserver(self, ranks, **more):
        """A pvserver that waits for its client, and the URL for that."""
        port = free_port()
        server = self.start(
            [*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVSERVER"], f"--server-port={port}"], "pvserver", **more
        )
        server.wait_to_say("Accepting connection")
        return server, f"cs://localhost:{port}"

    def pvbatch(self, script):
        """Two ranks that run a script, which loads the plugin by itself."""
        return self.start(
            [*MPIEXEC, "-n", 2, os.environ["DSM_TEST_PVBATCH"], script], "pvbatch", PYTHONPATH="",
            PV_PLUGIN_CONFIG_FILE="")

    def window(self, *options, plugin=True, settings=False):
        """A new ParaView. With `settings`, it has those that the last one in this folder has left."""
        # A short path: the length of sockets' names is limited.
        path = pathlib.Path(tempfile.mkdtemp(prefix="dsm")) / "s"
        window = Window(self, path, options if settings else ("--dr", *options), plugin)
        self.running.append(window.program)
        return window

    def stop(self):
        for program in self.running:
            program.stop()


class Window:
    """ParaView's window."""

    def __init__(self, programs, path, options, plugin):
        self.folder = path.parent
        self.problems = []
        self.documented = ({}, {})
        self.variables = set()
        self.program = programs.start(
            [os.environ["DSM_TEST_PARAVIEW"], *options], "paraview",
            LD_PRELOAD=os.environ["DSM_TEST_REMOTE_CONTROL"], DSM_GUI_SOCKET=path,
            **({} if plugin else {"PV_PLUGIN_CONFIG_FILE": ""}),
        )
        self.firstLine = 0
        self.program.wait_for_file(path)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rw")
        expected = "pqDSMPanel" if plugin else "propertiesPanel"
        self.until(lambda: self.exists(expected), f"ParaView's window with {expected}", 60)
        self.ask(do="resize", object="", width=1280, height=800)
        if plugin:
            self.until(lambda: self.state() == "Idle", "idle", 90)

    # Requests

    def ask(self, **request):
        answer = self.answer(request)
        assert "error" not in answer, f"{request}: {answer['error']}\n{self.output}"
        return answer["value"]

    def answer(self, request):
        self.file.write(json.dumps(request) + "\n")
        self.file.flush()
        line = self.file.readline()
        assert line, f"ParaView has ended:\n{self.output}"
        return json.loads(line)

    @property
    def output(self):
        """What ParaView has printed in this test."""
        return "".join(self.program.lines[self.firstLine:])

    def exists(self, name):
        return "error" not in self.answer({"do": "size", "object": name})

    def get(self, name, property="text", child=None):
        """A widget's property, or that of its first child of some class."""
        return self.ask(do="get", object=name, property=property, child=child)

    def panel(self, property):
        return self.get("pqDSMPanel", property)

    def click(self, name):
        self.ask(do="play", object=name, command="activate", arguments="")

    def press_enter(self, name):
        """Presses Enter in a widget."""
        self.ask(do="play", object=name, command="key", arguments=str(RETURN))

    def hover(self, name, x, y):
        """Moves the mouse to a place in a widget."""
        self.ask(do="play", object=name, command="mouseMove", arguments=f"0,0,0,{x},{y}")

    def set_text(self, name, text):
        """Types into, or chooses in, a widget."""
        self.ask(do="play", object=name, command="set_string", arguments=str(text))

    def set_checked(self, name, checked):
        self.ask(do="play", object=name, command="set_boolean", arguments="true" if checked else "false")

    def until(self, condition, what, limit=60):
        """Waits for a state of the window, which goes on meanwhile."""
        end = time.monotonic() + limit
        while True:
            found = condition()
            if found:
                return found
            assert self.program.process.poll() is None, f"ParaView has ended:\n{self.output}"
            if time.monotonic() > end:
                self.screenshot("failed")
                raise AssertionError(
                    f"{what}: not after {limit} s; state {self.state()!r}, error {self.panel('errorText')!r}\n"
                    f"{self.output}"
                )
            time.sleep(0.02)

    def python(self, code):
        assert self.ask(do="python", code=code) == 0, f"{code}\n{self.output}"

    def processor_time(self):
        """Seconds that ParaView's threads have had a processor."""
        stat = pathlib.Path(f"/proc/{self.program.process.pid}/stat").read_text(encoding="utf-8")
        user, system = map(int, stat.rsplit(")", 1)[1].split()[11:13])
        return (user + system) / os.sysconf("SC_CLK_TCK")

    def evaluate(self, *expressions):
        """Values of expressions in ParaView's own Python."""
        file = self.folder / "values.json"
        self.python(
            "import json\nfrom paraview.simple import *\n"
            f"json.dump([{', '.join(expressions)}], open({str(file)!r}, 'w'))"
        )
        return json.loads(file.read_text())

    def version(self):
        """ParaView's: [major, minor]."""
        return self.evaluate("GetParaViewVersion().major", "GetParaViewVersion().minor")

    def server_output(self):
        """What the pvserver that this window is connected to has printed in this test."""
        return "".join(self.server.lines[self.serverLines:])

    # The session

    def reset(self):
        """As after the start: another session, nothing chosen in the panel."""
        self.reset_panel()
        assert self.ask(do="resetSession")
        self.begin_test()

    def clear(self):
        """The same for a session that goes on: on a pvserver a new one takes long."""
        self.reset_panel()
        self.python(
            "from paraview.simple import *\nfor source in list(GetSources().values()): Delete(source)\n"
            "for view in GetViews():\n    if view.GetXMLName() != 'RenderView': Delete(view)\n"
            # The panel makes another one.
            f"manager = {MANAGER}\nname = manager.GetProxyName('dsm_servers', 0)\n"
            f"manager.UnRegisterProxy('dsm_servers', name, {HOSTS})")
        self.wait_for_polls(2)
        self.begin_test()

    def reset_panel(self):
        if self.get(PANEL + "stop", "enabled"):
            self.stop_hosting()
        self.light()
        self.show_page("Snapshots")
        self.set_checked(PANEL + "automatic", True)
        self.advanced_settings(False)
        self.set_checked(SEPARATE, False)
        self.click(PANEL + "follow")
        self.poll_as_usual()
        # Variables of tests before hold proxies of their sessions.
        self.python("for name in [name for name in globals() if not name.startswith('_')]: del globals()[name]")
        for name in self.variables:
            self.python(f"import os\nos.environ.pop({name!r}, None)")
        self.variables.clear()

    def begin_test(self):
        self.until(lambda: self.state() == "Idle", "idle", 90)
        self.firstLine = len(self.program.lines)
        self.problems = []
        self.documented = ({}, {})

    def connect(self, url):
        assert self.ask(do="connect", url=url), f"no connection to {url}\n{self.output}"
        self.until(lambda: self.state() == "Idle" and self.is_connected(), "the connection", 90)

    def disconnect(self):
        self.ask(do="disconnect")
        self.until(lambda: self.state() == "Idle" and not self.is_connected(), "its own server", 90)

    def is_connected(self):
        return self.evaluate("servermanager.ActiveConnection.IsRemote()") == [True]

    def set_variable(self, name, value):
        """An environment variable of ParaView, until the session is reset."""
        self.variables.add(name)
        self.python(f"import os\nos.environ[{name!r}] = {str(value)!r}")

    def exit(self):
        """File > Exit, as Ctrl+Q does, while something would be lost."""
        self.ask(do="trigger", action="actionFileExit")
        self.question()
        self.click(QUESTION + "/letGo")
        assert self.program.status() == 0, self.output
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self):
        self.ask(do="quit")
        self.program.status()
        shutil.rmtree(self.folder, ignore_errors=True)

    # The panel

    def show_page(self, name):
        """Brings a page of the panel to the front."""
        assert self.ask(do="tab", object=PANEL + "tabs", name=name), f"there is no page {name}"

    def state(self):
        return self.get(PANEL + "state", "stateText")

    def details(self):
        """Returns the text about the state, below the pages."""
        return self.get(PANEL + "notices/details")

    def rows(self):
        """The table of snapshots, newest first. A check box is 2 if it is checked."""
        return self.ask(do="rows", object=PANEL + "table")

    def groups(self):
        """The streams and runs that the table of snapshots tells apart: the text, the check state (None: no box),
        whether it is open, and the numbers of its snapshots. None for the snapshots of a single stream."""
        return self.ask(do="groups", object=PANEL + "table")

    def tick(self, stream):
        """Clicks the check box of a stream."""
        assert self.ask(do="clickRow", object=PANEL + "table", row=stream, column=0)

    def pick(self, number):
        """Clicks the row of a snapshot."""
        assert self.ask(do="clickRow", object=PANEL + "table", row=number, column=1)

    def click_row(self, number, column=1, held=""):
        """Clicks the row of a snapshot with the mouse, perhaps with "shift" or "control"."""
        assert self.ask(do="mouseRow", object=PANEL + "table", row=number, column=column, held=held)

    def click_title(self, column):
        """Clicks the title of a column of the list."""
        assert self.ask(do="mouseTitle", object=PANEL + "table", column=column)

    def selected(self):
        """The numbers of the snapshots whose rows are selected, from top to bottom."""
        return self.ask(do="selectedRows", object=PANEL + "table")

    def press_key(self, key, held=""):
        """Presses a key where the keyboard is."""
        assert self.ask(do="pressKey", key=key, held=held)

    def changed_rows(self):
        """How many rows of the list were added, removed or changed since the last call, and how often all were."""
        return self.ask(do="changedRows", object=PANEL + "table")

    def pin(self, number):
        """Clicks the check box of a snapshot."""
        assert self.ask(do="clickRow", object=PANEL + "table", row=number, column=5)

    def choose_from_menu(self, number, choice):
        """A right click on the row of a snapshot, or of a stream by its name, and a choice from its menu; of a menu
        in it, "Menu > choice"."""
        # As a user does, who clicks again where the list has just changed.
        self.until(lambda: self.ask(do="chooseFromMenu", object=PANEL + "table", row=number, choice=choice),
                   f"{choice} in the menu of {number}", 10)

    def in_sight(self, number):
        """Whether the row of a snapshot can be seen without scrolling."""
        return self.ask(do="inSight", object=PANEL + "table", row=number)

    def drawn_name(self, number):
        return self.ask(do="drawnText", object=PANEL + "table", row=number, column=3)

    def pinned(self):
        return sorted(row[0] for row in self.rows() if row[5] == 2)

    def set_setting(self, name, value):
        self.set_text(f"{PANEL}proxyWidget/{name}", value)

    def setting(self, name):
        """What the field of a setting shows."""
        return self.get(f"{PANEL}proxyWidget/{name}", "currentText", "QComboBox")

    def rejection(self, name):
        """What is said beside the field of an entry that was rejected; empty if it was not."""
        message = f"{PANEL}settings/rejection of {name}"
        text = self.get(message)
        if self.get(PANEL + "settings", "visible"):
            assert self.get(message, "visible") == (text != "")
        return text

    def places(self):
        """Where the pages and some settings are: nothing that the panel says may move them."""
        rows = [f"proxyWidget/{name}" for name in ("MemoryPerHost", "MaximumSnapshots", "ExpectedFileSize")]
        return {name: self.get(PANEL + name, "y") for name in ("tabs", "proxyWidget", *rows)}

    def advanced_settings(self, shown):
        self.set_checked(PANEL + "settingsAdvanced", shown)

    def listen(self, contact, memory="64 MiB", **settings):
        """Starts the server."""
        for name, value in {"ContactFile": contact, "MemoryPerHost": memory, **settings}.items():
            self.set_setting(name, value)
        self.click(PANEL + "start")
        self.until(lambda: self.state() == "Listening", "listening")

    def stop_hosting(self, answer="letGo"):
        """Stops the server, and answers the question if something would be lost."""
        self.click(PANEL + "stop")
        if self.exists(QUESTION):
            self.click(f"{QUESTION}/{answer}")

    def question(self):
        """The question that the panel asks, when it does."""
        self.until(lambda: self.exists(QUESTION), "the question")
        return self.get(QUESTION) + "\n" + self.get(QUESTION, "informativeText")

    def contents(self, path):
        """Type, shape and check state (2: checked) of a group or dataset on the page Contents, or None."""
        return self.ask(do="treeRow", object=PANEL + "tree", path=path)

    def load_array(self, path, load):
        found = self.ask(do="setCheckState", object=PANEL + "tree", path=path, checked=load)
        assert found, f"{path} is not on the page Contents"

    def enter(self, name, value):
        """Changes a parameter's field on the page Steering."""
        field = f"{STEERING}parameter {name}"
        self.set_checked(field, value) if isinstance(value, bool) else self.set_text(field, value)

    def steering(self, property):
        return self.get("pqDSMPanel/steering", property)

    def wait_for_polls(self, count=1):
        """Waits until the panel has asked the server for its status as often."""
        polls = self.panel("polls")
        self.until(lambda: self.panel("polls") >= polls + count, "the panel to poll the server")

    def poll_every(self, milliseconds, looks=False):
        """Sets the time between two polls, and whether the panel looks for new snapshots in between, as it usually
        does."""
        self.ask(do="set", object="pqDSMPanel", property="looks", value=looks)
        self.ask(do="set", object="pqDSMPanel", property="pollInterval", value=milliseconds)

    def poll_as_usual(self):
        self.poll_every(250, looks=True)

    @contextlib.contextmanager
    def looks_alone(self):
        """Within it the panel hears of new snapshots only because it looks for them between two polls."""
        self.poll_every(3600000, looks=True)
        yield
        self.poll_as_usual()

    # Times

    def start_timing(self):
        """From now on, times how long the window does not handle events."""
        self.ask(do="set", object="pqDSMPanel", property="longestPoll", value=0)
        self.ask(do="eventGap")

    def report_times(self, what=""):
        """The longest times since `start_timing`. The panel must not keep the window from handling events."""
        poll, wall, update = (self.panel(name) for name in ("longestPoll", "longestPollWallTime", "longestUpdate"))
        gap, own = self.ask(do="eventGap")
        print(
            f"\n{what}{': ' if what else ''}longest poll of the server {poll:.1f} ms ({wall:.1f} ms with the waits for "
            f"a processor); longest update of pipeline and views {update:.0f} ms; longest gap between two events "
            f"{gap:.0f} ms, {own:.0f} ms without pipelines and rendering"
        )
        assert poll < 1000

    # What it looks like

    def dark(self):
        self.ask(do="dark")

    def light(self):
        self.ask(do="light")

    def screenshot(self, name, widget=""):
        """A picture of the window in the build's Testing/pictures, for people to look at."""
        file = PICTURES / f"{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        self.ask(do="grab", object=widget, file=str(file))

    def check_appearance(self, name, dialog="", panel="pqDSMPanel"):
        """Screenshots in ParaView's light colours and in dark ones; collects problems of legibility, and folders of
        this machine that a picture for the documentation would show. Of the window and a panel, or of a dialog."""
        for theme, choose in (("dark", self.dark), ("light", self.light)):
            choose()
            self.screenshot(f"{theme}-{name}", dialog)
            self.problems += [
                f"{theme} {name}: {problem}" for problem in self.ask(do="problems", object=dialog or panel)]

        # Cut out of the whole: ParaView's fields for numbers are not drawn in pictures of a part.
        left, top, width, height = (self.panel(name) for name in ("x", "y", "width", "height"))
        whole, part = self.documented
        for names, widget, area in ((whole, "", None), (part, "pqDSMPanel", (left, top, left + width, top + height))):
            if name not in names:
                continue
            found = foreign_folders(self.ask(do="texts", object=widget))
            self.problems += [
                f"{name}, a picture for the documentation, shows a folder of this machine: {text}" for text in found
            ]
            (PICTURES / "documented").mkdir(exist_ok=True)
            with Image.open(PICTURES / f"light-{name}.png") as picture:
                picture.crop(area).save(PICTURES / "documented" / f"{names[name]}.png", optimize=True)

    def check_gallery(self, name):
        """The same of the whole window, for the documentation in both kinds of colours (Widgets/PAGES.md): there are
        many, so they are small."""
        self.check_appearance(name)
        if not NEUTRAL_FOLDERS:
            return
        self.problems += [f"{name} shows a folder of this machine: {text}"
                          for text in foreign_folders(self.ask(do="texts", object=""))]
        gallery = PICTURES / "documented" / "pages"
        gallery.mkdir(parents=True, exist_ok=True)
        for theme in ("light", "dark"):
            with Image.open(PICTURES / f"{theme}-{name}.png") as picture:
                picture.convert("RGB").save(gallery / f"{name}-{theme}.webp", quality=92, method=6)

    def assert_no_problems(self):
        """Fails if check_appearance() has found problems."""
        assert not self.problems, "\n".join(self.problems)

    def compare(self, name):
        """The active view with baseline/<name>.png, or that of this ParaView's version, whose colours differ. Edges and
        fonts may differ."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        made = PICTURES / f"view-{name}.png"
        self.python(
            f"from paraview.simple import *\nSaveScreenshot({str(made)!r}, GetActiveView(), ImageResolution=[300, 300])"
        )
        own = HERE / "baseline" / "{}-{}.{}.png".format(name, *self.version())
        expected = Image.open(own if own.exists() else HERE / "baseline" / f"{name}.png").convert("RGB")
        found = Image.open(made).convert("RGB")
        assert found.size == expected.size
        difference = sum(ImageStat.Stat(ImageChops.difference(found, expected)).mean) / 3
        print(f"{name}: mean difference from the baseline {difference:.2f} of 255")
        assert difference < 6, f"{made} differs from its baseline by {difference:.1f} of 255 on average: look at both"


def foreign_folders(texts):
    """Texts with paths on this machine that are not in the neutral folders. Of two words with a slash between them, or
    of a path in an HDF5 file, the first part is no folder here."""
    def is_foreign(path):
        return pathlib.Path("/", path.split("/")[1]).exists() and not any(
            path == folder or path.startswith(folder + "/") for folder in NEUTRAL_FOLDERS)

    # Without the marks that pqDSMText::breakable puts into paths.
    plain = [text.translate({0x200B: None, 0x2060: None, 0x2011: "-"}) for text in texts]
    paths = re.compile(r"(?<![\w.])/[\w.@+~-]+(?:/[\w.@+~-]+)*")
    return [text for text in plain if any(map(is_foreign, paths.findall(text)))]

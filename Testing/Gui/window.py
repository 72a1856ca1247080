# SPDX-License-Identifier: BSD-3-Clause
"""ParaView's window on an X server of its own, and what a test asks of it."""

import contextlib
import json
import os
import pathlib
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
DSM = "pqDSMPanel/"
STEERING = DSM + "steering/"


def tab(window, name):
    """Brings a page of the panel to the front."""
    assert window.ask(do="tab", object=DSM + "tabs", name=name), f"there is no page {name}"


def ranks(program):
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


@contextlib.contextmanager
def display():
    """The name of a new X display."""
    read, write = os.pipe()
    server = subprocess.Popen(
        [os.environ["DSM_TEST_XVFB"], "-displayfd", str(write), "-screen", "0", "1280x800x24", "-noreset", "-nolisten", "tcp"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    assert number, "Xvfb did not start"
    try:
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(10)


class Workshop:
    """Starts programs in a test's folder; ends them at the latest with the test."""

    def __init__(self, folder, screen):
        self.folder = folder
        self.screen = screen
        self.running = []

    def environment(self, **more):
        plugin = os.environ["DSM_PLUGIN_FOLDER"]
        return {
            **os.environ, "DISPLAY": self.screen, "UCX_ERROR_SIGNALS": "", "PYTHONPATH": plugin,
            "PV_PLUGIN_CONFIG_FILE": f"{plugin}/plugins.xml", "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"), "QT_QPA_PLATFORM": "xcb", "LC_ALL": "C.UTF-8",
            **{name: str(value) for name, value in more.items()},
        }

    def start(self, command, name, talk=False, **more):
        made = Job(command, self.environment(**more), self.folder / f"{name}.{len(self.running)}.log", self.folder, talk)
        self.running.append(made)
        return made

    def simulation(self, contact, ranks=3, steps=40, every=10, size=24, name="live", *options):
        return self.start(
            [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", ranks, BIN / "gray_scott",
             "--output", self.folder / name, "--size", size, "--steps", steps, "--every", every, *options],
            "simulation",
        )

    def pvserver(self, ranks, **more):
        """A pvserver that waits for its client, and the option by which a window becomes that."""
        port = free_port()
        server = self.start([*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVSERVER"], f"--server-port={port}"], "pvserver", **more)
        server.wait_to_say("Accepting connection")
        return server, f"--server-url=cs://localhost:{port}"

    def window(self, *options, bare=False):
        """ParaView, with the plugin unless it is bare."""
        # A short name: sockets' names are limited.
        path = pathlib.Path(tempfile.mkdtemp(prefix="dsm")) / "s"
        window = Window(self, path, options, bare)
        self.running.append(window.program)
        return window

    def connected(self, ranks=2, **more):
        """A pvserver and a window connected to it, whose panel is ready."""
        server, connection = self.pvserver(ranks, **more)
        window = self.window(connection)
        window.until(lambda: window.state() == "Idle", "idle", 90)
        return server, window

    def end(self):
        for program in self.running:
            program.stop()


class Window:
    """ParaView's window."""

    def __init__(self, workshop, path, options, bare):
        self.folder = path.parent
        self.illegible = []
        self.documented = ({}, {})
        self.program = workshop.start(
            [os.environ["DSM_TEST_PARAVIEW"], "--dr", *options], "paraview",
            LD_PRELOAD=os.environ["DSM_TEST_REMOTE"], DSM_GUI_SOCKET=path,
            **({"PV_PLUGIN_CONFIG_FILE": ""} if bare else {}),
        )
        self.program.wait_for_file(path)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rw")
        expected = "propertiesPanel" if bare else "pqDSMPanel"
        self.until(lambda: self.try_("size", expected), f"ParaView's window with {expected}", 60)
        self.play("", "resize", width=1280, height=800)

    def ask(self, **what):
        self.file.write(json.dumps(what) + "\n")
        self.file.flush()
        answer = self.file.readline()
        assert answer, f"ParaView has gone:\n{self.program.text}"
        answer = json.loads(answer)
        assert "error" not in answer, f"{what}: {answer['error']}\n{self.program.text}"
        return answer["value"]

    def try_(self, do, name):
        self.file.write(json.dumps({"do": do, "object": name}) + "\n")
        self.file.flush()
        return "error" not in json.loads(self.file.readline())

    def get(self, name, property="text", child=None):
        """A widget's property, or that of the child of some class in it."""
        return self.ask(do="get", object=name, property=property, child=child)

    def panel(self, property):
        return self.get("pqDSMPanel", property)

    def click(self, name):
        self.ask(do="play", object=name, command="activate", arguments="")

    def play(self, name, do, **what):
        return self.ask(do=do, object=name, **what)

    def state(self):
        return self.get("pqDSMPanel/state", "stateText")

    def rows(self):
        return self.ask(do="rows", object="pqDSMPanel/table")

    def setting(self, name, value):
        """Types into, or chooses in, the widget that ParaView made of a property."""
        widget = f"{DSM}proxyWidget/{name}"
        self.ask(do="play", object=widget, command="set_string", arguments=str(value))

    def listen(self, contact, memory="64 MiB", **settings):
        """Starts the server."""
        for name, value in {"ContactFile": contact, "MemoryPerHost": memory, **settings}.items():
            self.setting(name, value)
        self.click(DSM + "start")
        self.until(lambda: self.state() == "Listening", "listening")

    def entered(self, name):
        """What stands in a setting's field."""
        return self.get(f"{DSM}proxyWidget/{name}", "currentText", "QComboBox")

    def refused(self, name):
        """What is said below that widget of an entry that makes no sense; empty where it does."""
        return self.get(f"{DSM}proxyWidget/{name}/problem")

    def enter(self, name, value):
        """Changes a parameter's field on the page Steering."""
        command = "set_boolean" if isinstance(value, bool) else "set_string"
        self.ask(do="play", object=f"{STEERING}parameter {name}", command=command, arguments=str(value).lower() if isinstance(value, bool) else str(value))

    def steering(self, property):
        return self.get("pqDSMPanel/steering", property)

    def pick(self, number):
        """Clicks the row of a snapshot."""
        assert self.ask(do="clickRow", object=DSM + "table", row=number, column=1)

    def dark(self):
        self.ask(do="dark")

    def light(self):
        self.ask(do="light")

    def looks(self, name):
        """Pictures in ParaView's light colours and in dark ones; notes what could not be read in them."""
        for theme, choose in (("dark", self.dark), ("light", self.light)):
            choose()
            self.picture(f"{theme}-{name}")
            self.illegible += [f"{theme} {name}: {what}" for what in self.ask(do="illegible", object="pqDSMPanel")]

        # Cut out of the whole: ParaView's fields for numbers are not drawn in pictures of a part.
        left, top, width, height = (self.panel(name) for name in ("x", "y", "width", "height"))
        for names, part in zip(self.documented, (None, (left, top, left + width, top + height))):
            if name in names:
                (PICTURES / "documented").mkdir(exist_ok=True)
                with Image.open(PICTURES / f"light-{name}.png") as whole:
                    whole.crop(part).save(PICTURES / "documented" / f"{names[name]}.png")

    def legible(self):
        """Fails where looks() noted something."""
        assert not self.illegible, "\n".join(self.illegible)

    def contents(self, path):
        """Type, shape and tick (2: ticked) of a group or dataset on the page Contents; None: not there."""
        return self.ask(do="treeRow", object=DSM + "tree", path=path)

    def tick(self, path, on):
        assert self.ask(do="tick", object=DSM + "tree", path=path, on=on), f"{path} is not on the page Contents"

    def looked(self, times=1):
        """Waits for that many of the panel's looks at the server to be over."""
        looks = self.panel("looks")
        self.until(lambda: self.panel("looks") >= looks + times, "the panel to look at the server")

    def begin(self):
        """Measures anew how long the window does not answer."""
        self.ask(do="set", object="pqDSMPanel", property="longestLook", value=0)
        self.ask(do="silence", again=True)

    def report(self, what=""):
        """How long the window did not answer since `begin`; no more than people bear, but for pictures."""
        look, wall, picture = (self.panel(name) for name in ("longestLook", "longestLookOnTheWall", "longestPicture"))
        silence = self.ask(do="silence", again=True)
        print(f"\n{what}{': ' if what else ''}longest look at the server {look:.1f} ms ({wall:.1f} ms with the time that other programs had the processors); longest update of the picture "
              f"{picture:.0f} ms; longest silence of the window, whoever kept it, {silence:.0f} ms")
        assert look < 1000

    def until(self, condition, what, limit=60):
        """Waits for a state of the window, which goes on meanwhile."""
        end = time.monotonic() + limit
        while True:
            found = condition()
            if found:
                return found
            assert self.program.process.poll() is None, f"ParaView has gone:\n{self.program.text}"
            if time.monotonic() > end:
                self.picture("failed")
                raise AssertionError(
                    f"{what}: not after {limit} s; state {self.state()!r}, error {self.panel('errorText')!r}\n{self.program.text}"
                )
            time.sleep(0.05)

    def picture(self, name, widget=""):
        """What is on the screen, for people to look at: in the build's Testing/pictures."""
        file = PICTURES / f"{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        self.ask(do="grab", object=widget, file=str(file))

    def compare(self, name):
        """The active view against baseline/<name>.png. Edges and text differ with drivers and fonts."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        made = PICTURES / f"view-{name}.png"
        self.python(f"from paraview.simple import *\nSaveScreenshot({str(made)!r}, GetActiveView(), ImageResolution=[300, 300])")
        expected = Image.open(HERE / "baseline" / f"{name}.png").convert("RGB")
        found = Image.open(made).convert("RGB")
        assert found.size == expected.size
        difference = sum(ImageStat.Stat(ImageChops.difference(found, expected)).mean) / 3
        print(f"{name}: mean difference from the baseline {difference:.2f} of 255")
        assert difference < 6, f"{made} differs from its baseline by {difference:.1f} of 255 on average: look at both"

    def python(self, code):
        assert self.ask(do="python", code=code) == 0, f"{code}\n{self.program.text}"

    def information(self, *names):
        """Python expressions' values in ParaView's own interpreter."""
        file = self.folder / "told.json"
        self.python(f"import json\nfrom paraview.simple import *\njson.dump([{', '.join(names)}], open({str(file)!r}, 'w'))")
        return json.loads(file.read_text())

    def close(self):
        self.ask(do="quit")
        self.program.status()
        shutil.rmtree(self.folder, ignore_errors=True)

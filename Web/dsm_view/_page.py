# SPDX-License-Identifier: BSD-3-Clause
"""The page: what it knows, what its buttons do, and how it learns of what is new."""

import asyncio
import datetime
import pathlib
import socket
import time

from trame.app import get_server
from trame_client.module import vue3

from . import _access, _layout, _steering
from ._chart import Chart, observed_of
from ._painter import Painter
from ._watch import Watch

AREA = "picture"
# Pixels of the largest picture; a larger window shows this one enlarged.
PIXELS = 2_000_000
# Snapshots in the list; a browser takes long to lay thousands out.
LISTED = 200
# The names in the state that say how the data is shown.
DISPLAY = ("array", "colours", "representation", "position", "axis", "locked")


class Page:
    """One page, which all browsers with its address share: they see the same picture."""

    def __init__(self, contact, stream):
        self._server = get_server("dsm-view", client_type="vue3")
        self._state = self._server.state
        self._contact, self._stream = contact, stream
        self._loop = self._painter = self._watch = None
        self._snapshots, self._programs, self._program = [], [], None
        self._asked = None  # the snapshot that was asked for last
        self._chosen = None  # the snapshot that somebody chose from the list
        self._waiting = {}  # numbers of changes whose outcomes are to come, with the names of what they change
        self._chart = Chart()
        self._area = _Area(self)
        self._token = _access.new_token()
        self._set_up()

    # ---- Serving ----

    async def serve(self, host, port, started):
        """Serves the page until it is cancelled. `started` is called with the address of the page."""
        self._loop = asyncio.get_running_loop()
        controller = self._server.controller
        controller.on_server_bind.add(self._protect)
        controller.on_server_ready.add(lambda **_: self._begin(host, started))
        try:
            await self._server.start(host=host, port=port, open_browser=False, show_connection_info=False, timeout=0,
                                     thread=True, exec_mode="coroutine", disable_logging=True)
        finally:
            for part in (self._watch, self._painter):
                if part:
                    part.close()

    @property
    def trame_arguments(self):
        """The options of trame's command line: the page's own routes replace trame's."""
        # The secret may begin with a dash, which would be another option behind a blank.
        return f"--no-http --ws-endpoint={self._token}/ws"

    def _protect(self, server):
        folders = {name: folder if isinstance(folder, str) else folder[0]
                   for name, folder in self._server.serve.items()}
        _access.protect(server.app, self._token, {**folders, "": vue3.www})

    def _begin(self, host, started):
        self._server.root_server.controller.rc_area_register(self._area)
        self._painter = Painter(self._contact, self._from_thread(self._take_picture))
        self._watch = Watch(self._contact, self._stream, self._from_thread(self._take_news))
        self._ask_picture(settings=self._settings())
        name = "127.0.0.1" if host in {"0.0.0.0", ""} else f"[{host}]" if ":" in host else host
        started(f"http://{name}:{self._server.port}/{self._token}/")

    def _from_thread(self, function):
        """Returns a function that has the event loop call this one, with the state flushed afterwards."""
        def called(*arguments):
            with self._state:
                function(*arguments)

        def call(*arguments):
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(called, *arguments)
        return call

    # ---- What the page knows ----

    def _set_up(self):
        self._state.update({
            "trame__title": f"{pathlib.Path(self._contact).name} - ParaView DSM",
            "contact": self._contact, "trouble": "", "problems": {}, "picture_problem": "", "busy": False,
            "mode": "follow", "snapshots": [], "unlisted": 0, "shown": None, "shown_text": "",
            "arrays": [], "array": None, "shown_array": None, "statistics": None, "limits": None, "chart": None,
            "colours": "viridis", "representation": "surface", "position": 0.5, "axis": "x", "locked": False,
            "programs": [], "steered": None, "program": None, "observed": [],
            "fields": [], "commands": [], "edits": {}, "reasons": {}, "told": "",
            "advance_by": "1", "pause_at": "", "asks_to_stop": False, "peers": [],
        })
        self._state.change(*DISPLAY)(self._change_display)
        self._state.change("mode")(self._change_mode)
        self._state.change("steered")(self._change_steered)
        for name, action in (
                ("show", self._show_number), ("reset_camera", lambda: self._ask_picture(camera=None)),
                ("apply", self._apply), ("command", self._command), ("forget_edits", self._forget_edits)):
            self._server.trigger(name)(action)
        _layout.build(self._server, AREA)

    def _settings(self):
        return {name: self._state[name] for name in DISPLAY}

    def _change_display(self, **_):
        self._ask_picture(settings=self._settings())

    def _change_mode(self, **_):
        if self._state.mode == "follow":
            self._chosen = None
            if self._snapshots:
                self._show(self._snapshots[-1])
        elif self._chosen is None and self._painter:
            # The page holds the snapshot that it shows now, not the one that would have come next.
            self._painter.withdraw("snapshot")
            self._asked = None

    # ---- News of the server ----

    def _take_news(self, what, value):
        getattr(self, f"_take_{what}")(value)

    def _take_connected(self, trouble):
        if self._state.trouble and not trouble:
            # It may be another server, whose snapshots have the same numbers.
            self._painter.restart()
            self._asked = None
            self._chart.clear()
            self._change_mode()
        self._state.trouble = trouble

    def _take_problem(self, told):
        part, problem = told
        self._state.problems = {**self._state.problems, part: problem}

    def _take_snapshots(self, snapshots):
        self._snapshots = snapshots
        self._state.snapshots = [
            {"number": one["number"], "name": pathlib.Path(one["file"]).name, "step": _step_text(one),
             "size": _bytes_text(one["size"]), "time": _clock_text(one["sealed"])}
            for one in reversed(snapshots[-LISTED:])]
        self._state.unlisted = max(0, len(snapshots) - LISTED)
        if self._state.mode == "follow":
            self._change_mode()

    def _take_peers(self, peers):
        # The process that draws belongs to the page.
        own = (socket.gethostname(), self._painter.process)
        self._state.peers = [
            {"who": peer["guest"] or "owner", "program": peer["program"], "role": peer["role"], "node": peer["node"],
             "ranks": peer["ranks"], "since": _clock_text(peer["since"])}
            for peer in peers if (peer["node"], peer["process"]) != own]

    def _take_steering(self, status):
        self._programs = [program for program in status["programs"] if program["state"] == "connected"]
        self._state.programs = sorted(program["name"] for program in self._programs)
        if self._state.steered not in self._state.programs:
            # The one that connected last comes first.
            self._state.steered = self._programs[0]["name"] if self._programs else None
        self._show_program()
        for outcome in status["outcomes"]:
            if outcome["transaction"] in self._waiting:
                self._finish(outcome, self._waiting.pop(outcome["transaction"]))

    def _change_steered(self, **_):
        if self._program and self._program["name"] != self._state.steered:
            self._forget_edits()
            self._show_program()

    def _show_program(self):
        program = next((one for one in self._programs if one["name"] == self._state.steered), None)
        self._program = program
        self._state.program = program and {
            **{name: program[name] for name in ("name", "time", "paused")}, "progress": _steering.progress_of(program)}
        self._state.fields = _steering.fields_of(program) if program else []
        self._state.commands = _steering.commands_of(program) if program else []
        self._state.observed = observed_of(program) if program else []

    # ---- The picture ----

    def _show_number(self, number):
        """Holds a snapshot that somebody chose."""
        self._chosen = next((one for one in self._snapshots if one["number"] == number), None)
        self._state.mode = "hold"
        if self._chosen:
            self._show(self._chosen)

    def _show(self, snapshot):
        if snapshot != self._asked:
            self._asked = snapshot
            self._ask_picture(snapshot=snapshot)

    def _ask_picture(self, **changes):
        if self._painter:
            self._state.busy = True
            self._painter.ask(**changes)

    def resize(self, width, height, ratio):
        scale = min(ratio, (PIXELS / (width * height)) ** 0.5)
        self._ask_picture(size=(int(width * scale), int(height * scale)))
        return scale

    def event(self, event):
        if self._painter:
            self._painter.event(event)

    def _take_picture(self, answer):
        self._state.picture_problem = answer.get("error", "")
        self._state.busy = not answer["last"]
        if "picture" in answer:
            self._area.push(answer["picture"], *answer["size"])
        if "snapshot" not in answer:
            return
        snapshot = answer["snapshot"]
        self._state.shown = snapshot["number"]
        self._state.shown_text = f'{pathlib.Path(snapshot["file"]).name}, step {_step_text(snapshot)}'
        self._state.arrays = answer["arrays"]
        self._state.shown_array = answer["array"]
        if self._state.array not in answer["arrays"]:
            # Otherwise somebody may have chosen another one meanwhile.
            self._state.array = answer["array"]
        self._state.statistics = answer.get("statistics")
        self._state.limits = answer.get("limits")
        if "statistics" in answer:
            self._chart.add(answer["array"], snapshot["step"], answer["statistics"])
        self._state.chart = self._chart.drawn(answer["array"])

    # ---- Steering ----

    def _forget_edits(self):
        self._state.edits, self._state.reasons, self._state.told = {}, {}, ""

    def _apply(self, edits):
        """Changes all that was edited: all of it at one step, or nothing.

        The page sends `edits` along, since its state may arrive here after the click."""
        kinds = {field["name"]: field["kind"] for field in self._state.fields}
        wanted = {name: _steering.value_of(kinds[name], text) for name, text in edits.items() if name in kinds}
        if wanted:
            self._steer(list(wanted), lambda viewer, program: viewer.set(program, **wanted))

    def _command(self, name, count=None):
        self._state.asks_to_stop = False
        count = None if count is None else _steering.value_of("int64", count)
        self._steer([name], lambda viewer, program: viewer.command(name, count, program))

    def _steer(self, names, work):
        if self._program is None:
            return  # it has left while somebody pressed a button
        program = self._program["name"]
        self._state.reasons, self._state.told = {}, ""
        self._watch.request(lambda viewer: work(viewer, program),
                            self._from_thread(lambda answer, error: self._take_answer(names, answer, error)))

    def _take_answer(self, names, answer, error):
        if error:
            # The server says to whoever has no right to steer that this is so.
            self._state.reasons = dict.fromkeys(names, error)
        elif answer["state"] == "pending":
            self._waiting[answer["transaction"]] = names
            self._state.told = "The simulation takes the change at its next step."
        else:
            self._finish(answer, names)

    def _finish(self, outcome, names):
        reasons = _steering.reasons_of(outcome)
        self._state.reasons = reasons
        self._state.told = _steering.sentence_of(outcome)
        if not reasons:
            self._state.edits = {name: text for name, text in self._state.edits.items() if name not in names}


class _Area:
    """The part of the page that has the picture: trame's RemoteControlledArea calls it."""

    def __init__(self, page):
        self.area_name = AREA
        self._page, self._streamer = page, None
        self._scale = 1.0

    def set_streamer(self, streamer):
        self._streamer = streamer

    def update_size(self, _origin, size):
        width, height = max(10, size.get("w", 300)), max(10, size.get("h", 300))
        self._scale = self._page.resize(width, height, size.get("p", 1))

    def on_interaction(self, _origin, event):
        for key in ("x", "y", "w", "h"):
            if key in event:
                event[key] = int(event[key] * self._scale)
        self._page.event(event)

    def reset(self):
        """Does nothing: each picture is whole."""

    @staticmethod
    def video_codecs():
        return []

    def push(self, picture, width, height):
        self._streamer.push_content(self.area_name, {
            "type": "image/jpeg", "codec": "", "w": width, "h": height, "st": int(time.time() * 1000), "key": "key",
        }, picture)


def _step_text(snapshot):
    """Returns the step as the file's name has it: a step is a number that need not be whole."""
    return f'{snapshot["step"]:.15g}'


def _clock_text(seconds):
    return datetime.datetime.fromtimestamp(seconds).strftime("%H:%M:%S")


def _bytes_text(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} GiB"

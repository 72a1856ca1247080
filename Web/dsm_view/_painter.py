# SPDX-License-Identifier: BSD-3-Clause
"""The page's side of the process that draws."""

import multiprocessing
import threading

from . import _drawing


class Painter:
    """Keeps one process that draws, and asks it for pictures.

    There is one request under way at a time. What changes meanwhile is gathered into the next one: of two snapshots
    only the newer is read, and of two positions of the mouse only the last is drawn. So a slow machine skips, and
    nothing piles up.
    """

    def __init__(self, contact, deliver):
        """`deliver` is called with each answer, in a thread. "last" says whether nothing else is to be drawn."""
        self._contact = contact
        self._deliver = deliver
        self._next, self._events = {}, []
        self._standing = {}  # what a new process has to know
        self._is_closed = False
        self._changed = threading.Condition()
        self._process = self._connection = None
        self._thread = threading.Thread(target=self._run, name="painter", daemon=True)
        self._thread.start()

    @property
    def process(self):
        """The number of the process that draws now, or None."""
        process = self._process
        return process.pid if process else None

    def ask(self, **changes):
        """Has the next picture show these changes, which `Drawing` describes."""
        with self._changed:
            self._next.update(changes)
            self._changed.notify()

    def withdraw(self, what):
        """Leaves a change out that has not been asked for yet, such as a snapshot that is not to be shown any more."""
        with self._changed:
            self._next.pop(what, None)

    def event(self, event):
        """Passes on what the mouse did."""
        with self._changed:
            if self._events and event["type"] == self._events[-1]["type"] == "MouseMove":
                self._events.pop()
            self._events.append(event)
            self._changed.notify()

    def restart(self):
        """Has the next request start a new process: the server is another one."""
        with self._changed:
            self._next["restart"] = True
            self._next.pop("snapshot", None)

    def close(self):
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        # The process may be reading from a server that does not answer.
        if process := self._process:
            process.kill()
        self._thread.join(5)

    def _run(self):
        while (request := self._taken()) is not None:
            if request.pop("restart", False):
                self._end()
                self._standing.pop("snapshot", None)
            self._standing.update({key: value for key, value in request.items() if key != "events"})
            if self._process is None:
                self._start()
                request = {**self._standing, **request}
            try:
                self._connection.send(request)
                answer = self._connection.recv()
            except (EOFError, OSError):
                answer = self._loss()
            if answer.pop("fatal", False):
                self._end()
            self._standing["camera"] = answer.get("camera", self._standing.get("camera"))
            with self._changed:
                answer["last"] = not self._next and not self._events
            self._deliver(answer)
        self._end()

    def _taken(self):
        """Waits for something to do and returns it, or None if there is nothing to do any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._next or self._events or self._is_closed)
            if self._is_closed:
                return None
            request = {**self._next, "events": self._events}
            self._next, self._events = {}, []
            return request

    def _start(self):
        # A fork would take the page's threads and sockets along.
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_drawing.draw, args=(other, self._contact), daemon=True)
        self._process.start()
        other.close()

    def _loss(self):
        """Says why the process is gone. A snapshot that it died of is not tried again."""
        self._process.join(5)
        status = self._process.exitcode
        self._end()
        self._standing.pop("snapshot", None)
        return {"error": f"The process that draws has ended ({_ending(status)}). The next snapshot starts it again."}

    def _end(self):
        if self._process is not None:
            self._connection.close()
            self._process.join(2)
            self._process.kill()
            self._process = self._connection = None


def _ending(status):
    return f"signal {-status}" if status is not None and status < 0 else f"status {status}"

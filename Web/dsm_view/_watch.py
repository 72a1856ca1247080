# SPDX-License-Identifier: BSD-3-Clause
"""The page's connection to the server."""

import queue
import threading
import time

import dsm

# Seconds between two looks at the snapshots, at what can be steered, and at who is connected.
SNAPSHOTS, STEERING, PEERS = 0.2, 0.5, 3.0
# Seconds that the server may take to answer.
LIMIT = 5.0
LOST = {dsm.NO_SERVER, dsm.PEER_LOST, dsm.TIMED_OUT}


class Watch:
    """Looks at what a server has, again and again in a thread, and passes on what people ask of it.

    `report` is called in that thread with a dictionary of what is new: connected (with a text if it is not),
    snapshots, steering, peers, or error.
    """

    def __init__(self, contact, stream, report):
        self._contact, self._stream, self._report = contact, stream, report
        self._viewer = None
        self._requests = queue.SimpleQueue()
        self._last, self._due = {}, {}
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()

    def request(self, work, done):
        """Calls work(viewer) in the thread, and then done(result, error), one of which is None."""
        self._requests.put((work, done))

    def close(self):
        self._is_closed = True
        self._thread.join(1)  # the server may not answer

    def _run(self):
        while not self._is_closed:
            try:
                self._look()
            except dsm.Error as error:
                if error.status in LOST:
                    self._lose(f"{error}. The page waits for the server.")
                else:
                    self._tell("error", _words(error))
            self._serve(time.monotonic() + SNAPSHOTS)
        self._lose("")

    def _look(self):
        if self._viewer is None:
            self._viewer = dsm.Viewer(self._contact, timeout=LIMIT)
            self._last, self._due = {}, {}
        self._tell("snapshots", self._viewer.newest_run(self._stream))
        self._tell("connected", "")
        self._tell("error", "")
        if self._is_due("steering", STEERING):
            self._tell("steering", self._viewer.status())
        if self._is_due("peers", PEERS):
            try:
                self._tell("peers", {"peers": self._viewer.connected(), "why": ""})
            except dsm.Error as error:
                if error.status != dsm.REFUSED:
                    raise
                self._tell("peers", {"peers": [], "why": _words(error)})

    def _lose(self, why):
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None
        self._tell("connected", why)

    def _is_due(self, what, seconds):
        now = time.monotonic()
        if now < self._due.get(what, 0):
            return False
        self._due[what] = now + seconds
        return True

    def _tell(self, what, value):
        """Reports what differs from what was reported before."""
        if what not in self._last or self._last[what] != value:
            self._last[what] = value
            self._report({what: value})

    def _serve(self, until):
        """Does what people ask, until it is time to look again."""
        while (left := until - time.monotonic()) > 0:
            try:
                work, done = self._requests.get(timeout=left)
            except queue.Empty:
                return
            if self._viewer is None:
                done(None, "no server is connected")
                continue
            try:
                done(work(self._viewer), None)
            except dsm.Error as error:
                done(None, _words(error))
            self._due["steering"] = 0


def _words(error):
    """Returns what is wrong as the page says it."""
    return str(error).removeprefix("dsm.Viewer: ")

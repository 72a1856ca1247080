# SPDX-License-Identifier: BSD-3-Clause
"""The page's connection to the server."""

import queue
import threading
import time

import dsm

# Seconds between two looks at the snapshots, if no new one comes, at what can be steered, and at who is connected.
SNAPSHOTS, STEERING, PEERS = 0.5, 0.5, 3.0
# Seconds that the server may take to answer.
LIMIT = 5.0
LOST = {dsm.NO_SERVER, dsm.PEER_LOST, dsm.TIMED_OUT}


class Watch:
    """Looks at what a server has, again and again in a thread, and passes on what people ask of it. A second thread
    waits for new snapshots and wakes the first.

    report(what, value) is called in that thread with what is new: "connected", with a text that says why if it is not;
    "snapshots", "steering" and "peers", as dsm.Viewer returns them; and "problem", with the part and what is wrong.
    """

    def __init__(self, contact, stream, report):
        self._contact, self._stream, self._report = contact, stream, report
        self._viewer = None
        self._requests = queue.SimpleQueue()
        self._last, self._due = {}, {}
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()
        threading.Thread(target=self._wake_for_snapshots, name="wait", daemon=True).start()

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
                self._lose(f"{_words(error)}. The page waits for the server.")
            self._serve(time.monotonic() + SNAPSHOTS)
        self._lose("")

    def _look(self):
        """Raises `dsm.Error` if there is no server. Reports all else that goes wrong."""
        if self._viewer is None:
            self._viewer = dsm.Viewer(self._contact, timeout=LIMIT)
            self._last, self._due = {}, {}
        self._look_at("snapshots", 0, lambda: self._viewer.newest_run(self._stream))
        self._tell("connected", "")
        self._look_at("steering", STEERING, self._viewer.status)
        self._look_at("peers", PEERS, self._viewer.connected)

    def _look_at(self, what, seconds, function):
        now = time.monotonic()
        if now < self._due.get(what, 0):
            return
        self._due[what] = now + seconds
        try:
            found, problem = function(), ""
        except dsm.Error as error:
            if error.status in LOST:
                raise
            found, problem = None, _words(error)
        self._tell("problem", (what, problem))
        if found is not None:
            self._tell(what, found)

    def _lose(self, why):
        self._tell("connected", why)
        viewer, self._viewer = self._viewer, None
        if viewer is not None:
            viewer.close()  # the other thread may still wait for the server

    def _tell(self, what, value):
        """Reports what differs from what was reported before."""
        key = (what, value[0]) if what == "problem" else what
        if key not in self._last or self._last[key] != value:
            self._last[key] = value
            self._report(what, value)

    def _serve(self, until):
        """Does what people ask, until it is time to look again, or there is a new snapshot."""
        while (left := until - time.monotonic()) > 0:
            try:
                request = self._requests.get(timeout=left)
            except queue.Empty:
                return
            if request is None:
                return
            work, done = request
            if self._viewer is None:
                done(None, "no server is connected")
                continue
            try:
                done(work(self._viewer), None)
            except dsm.Error as error:
                done(None, _words(error))
            self._due["steering"] = 0

    def _wake_for_snapshots(self):
        """Has the other thread look as soon as there is a new snapshot."""
        viewer, seen = None, 0
        while not self._is_closed:
            if self._viewer is not viewer:
                viewer, seen = self._viewer, 0
            try:
                if viewer is not None and (number := viewer.wait(seen, SNAPSHOTS)):
                    seen = number
                    self._requests.put(None)
            except dsm.Error:
                viewer = None  # the other thread connects again
            if viewer is None:
                time.sleep(SNAPSHOTS)


def _words(error):
    """Returns what is wrong as the page says it."""
    return str(error).removeprefix("dsm.Viewer: ")

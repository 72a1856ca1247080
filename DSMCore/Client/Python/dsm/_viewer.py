# SPDX-License-Identifier: BSD-3-Clause
"""Lists a running server's snapshots for viewers, and steers."""

import ctypes
import functools
import json
import os
import threading

from . import _places
from ._array import Piece, SentArray
from ._errors import UNSUPPORTED, USAGE, Error
from ._handle import Closing, declare


@functools.cache
def _library():
    """The library behind dsm_viewer.h, its functions declared."""
    try:
        library = ctypes.CDLL(_places.library("libdsm-viewer.so"))
    except OSError as error:
        raise Error(f"dsm.Viewer: {error}", UNSUPPORTED) from None
    text, viewer = ctypes.c_char_p, ctypes.c_void_p
    declare(library, {
        "dsm_viewer_open": ([text, ctypes.c_double], viewer),
        "dsm_viewer_limit": ([viewer, ctypes.c_double], None),
        "dsm_viewer_close": ([viewer], None),
        "dsm_viewer_error": ([], text),
        "dsm_viewer_status_of_error": ([], ctypes.c_int),
        "dsm_viewer_snapshots": ([viewer, text], text),
        "dsm_viewer_wait": ([viewer, ctypes.c_uint64, ctypes.c_double, ctypes.POINTER(ctypes.c_uint64)],
                            ctypes.c_void_p),
        "dsm_viewer_connected": ([viewer], text),
        "dsm_viewer_status": ([viewer], text),
        "dsm_viewer_steer": ([viewer, text], text),
        "dsm_viewer_store": ([viewer, text, ctypes.POINTER(Piece), ctypes.c_size_t, ctypes.c_uint64], text),
    })
    return library


class Viewer(Closing):
    """A connection to a running server, to see what it has and to steer.

    `contact` is the contact file; without it DSM_CONTACT names it, else it is run.dsm. Connects within `timeout`
    seconds, and again when the connection was lost. Each call waits as long for the server at most. Raises `Error`
    where there is no server, as the methods do. Needs neither MPI nor HDF5 nor ParaView. One thread uses a viewer at a
    time, and another one may wait meanwhile.

        with dsm.Viewer("run.dsm") as viewer:
            for snapshot in viewer.snapshots():
                print(snapshot["file"], snapshot["step"])

    After `dsm.attach` HDF5 opens a snapshot as `snapshot["name"]`.
    """

    def __init__(self, contact=None, timeout=10.0):
        contact = contact or os.environ.get("DSM_CONTACT") or "run.dsm"
        self._viewer = None
        self._waits = threading.Lock()  # held during `wait`
        self._timeout = timeout
        self._viewer = self._checked(_library().dsm_viewer_open(os.fsencode(contact), timeout))
        _library().dsm_viewer_limit(self._viewer, timeout)

    def close(self):
        """Takes leave as soon as no thread is in `wait` any more."""
        with self._waits:
            if self._viewer:
                _library().dsm_viewer_close(self._viewer)
                self._viewer = None

    def snapshots(self, pattern=""):
        """The snapshots in memory, oldest first, of files or streams that fit a shell pattern: a list of dictionaries
        (dsm_viewer.h has their entries)."""
        return self._asked("snapshots", pattern.encode())["snapshots"]

    def wait(self, after=0, seconds=10.0):
        """Waits until there is a snapshot with a number above `after`, and returns the number of the newest one.
        Returns None if none came within so many seconds. It waits even if no program is connected that could write
        one."""
        number = ctypes.c_uint64()
        with self._waits:
            self._require_open()
            self._checked(_library().dsm_viewer_wait(self._viewer, after, seconds, number))
        return number.value or None

    def newest_run(self, pattern=""):
        """The snapshots that fit a shell pattern, or without one those of the newest one's stream and run.

        Raises `Error` if each is in several files, which only ParaView's compiled plugin shows."""
        everything = self.snapshots(pattern)
        whole = [one for one in everything if not one["parts"]]
        if everything and not whole:
            raise Error(
                f'each snapshot of {everything[-1]["file"]} is in several files, which only the compiled plugin shows',
                UNSUPPORTED,
            )
        if pattern or not whole:
            return whole
        return [one for one in whole if (one["stream"], one["run"]) == (whole[-1]["stream"], whole[-1]["run"])]

    def connected(self):
        """Returns the programs that are connected besides this process: a list of dictionaries (dsm_viewer.h has their
        entries). Raises `Error` for guests, since the server refuses them this."""
        return self._asked("connected")["connected"]

    def status(self):
        """Tells what can be steered in connected programs, with the values, and the outcomes of changes."""
        return self._asked("status")

    def set(self, program="", **values):
        """Changes parameters of a running program, all of them at one step or none. An empty program is the one that
        connected last. Returns the transaction's number, or its outcome if the server refuses it."""
        request = {"do": "apply", "program": program, "set": values}
        return self._asked("steer", json.dumps(request).encode())

    def send(self, name, values, program="", seconds=10.0):
        """Sets an array of a running program (dsm_array) to `values`, a NumPy array of the declared sizes and type, or
        what NumPy makes one of. Each rank gets its part, all of them at one step. Returns the outcome; its state is
        "pending" if the program has not reached its next step within so many seconds, and "refused" with the reason if
        sizes or type differ, or the array has left the memory.

        The elements travel through the hosts' memory. The server saves them beside its steering log, for
        `dsm-run --replay`.
        Needs numpy and h5py. Raises `Error` if the server has no room, or refuses this process to write."""
        array = SentArray(name, values)
        pieces = array.pieces
        snapshot = self._asked("store", name.encode(), pieces, len(pieces), array.size)["snapshot"]
        answer = self.set(program, **{name: array.text(snapshot)})
        return self.outcome(answer["transaction"], seconds) if answer["state"] == "pending" else answer

    def command(self, name, argument=None, program=""):
        """Has a program do something: pause, resume, advance, pause at (`argument` is the step), stop, or one of its
        own commands."""
        command = {"name": name} if argument is None else {"name": name, "argument": argument}
        request = {"do": "apply", "program": program, "commands": [command]}
        return self._asked("steer", json.dumps(request).encode())

    def outcome(self, transaction, seconds=10.0):
        """Waits up to so many seconds for the outcome of a change, and returns it. Its state is "pending" if the
        program has not reached its next step by then."""
        _library().dsm_viewer_limit(self._viewer, self._timeout + seconds)
        try:
            request = {"do": "wait", "transaction": transaction, "seconds": seconds}
            return self._asked("steer", json.dumps(request).encode())
        finally:
            _library().dsm_viewer_limit(self._viewer, self._timeout)

    def _asked(self, name, *arguments):
        self._require_open()
        text = getattr(_library(), f"dsm_viewer_{name}")(self._viewer, *arguments)
        return json.loads(self._checked(text))

    def _require_open(self):
        if not self._viewer:
            raise Error("dsm.Viewer: it is closed", USAGE)

    @staticmethod
    def _checked(result):
        if result is None:
            why = _library().dsm_viewer_error().decode(errors="replace")
            raise Error(f"dsm.Viewer: {why}", _library().dsm_viewer_status_of_error())
        return result

# SPDX-License-Identifier: BSD-3-Clause
"""A steered simulation."""

import atexit
import ctypes
import functools
import os
import sys
import warnings

from . import _library, _mpi
from ._array import TYPES
from ._errors import Error
from ._parameter import Parameter


@functools.cache
def _loaded():
    """The library and None, or None and why there is none."""
    try:
        return _library.load(), None
    except _library.NotFound as why:
        return None, str(why)


class Session:
    """What can be steered of this program. Collective: every rank makes one, with the same calls.

    `comm` is a communicator of mpi4py; without it, COMM_WORLD where the program has imported mpi4py's
    MPI, else this process alone. `contact` is the contact file; without it, DSM_CONTACT names it.
    """

    def __init__(self, comm=None, contact=None):
        if comm is None and "mpi4py.MPI" in sys.modules:
            comm = sys.modules["mpi4py.MPI"].COMM_WORLD
        self._parameters = {}
        self._arrays = {}
        self._actions = []
        self._observables = set()
        self._failure = None
        self._step = 0
        self._interval = 0
        self._handle = ctypes.c_void_p()
        self._library, missing = _loaded()
        if self._library is None:
            # Only somebody who wants to steer needs to know.
            if (contact or os.environ.get("DSM_CONTACT")) and (comm is None or comm.Get_rank() == 0):
                warnings.warn(f"dsm: nothing can be steered, since {missing}", RuntimeWarning, stacklevel=2)
            return
        path = os.fsencode(contact) if contact else None
        if comm is None:
            status = self._library.dsm_open_serial(path, ctypes.byref(self._handle))
        else:
            mpi = _mpi.of_mpi4py()
            status = self._library.dsm_open_mpi(
                ctypes.byref(mpi), _mpi.handle_of(comm), path, ctypes.byref(self._handle)
            )
        self._check(status)
        atexit.register(self._at_exit)

    # ---- Parameters, commands and observables ----

    def parameter(
        self, name, default, *, range=(None, None), choices=None, capacity=255, unit="", text="", group="", meaning=""
    ):
        """Declares a parameter; the type follows from the default: bool, int, float, a text, three
        numbers, or with choices=("a", "b") an enumeration. Returns it; its `value` is what counts.

        range=(smallest, largest), either may be None. meaning="position" (or "direction", "plane
        origin", "plane normal", "box minimum", "box maximum") gives a vector a handle in ParaView.
        """
        made = Parameter(name, default, choices, capacity)
        if self._library:
            self._check(made._declare(self._library, self._handle))
        elif name in self._parameters:
            raise Error(f'"{name}" is declared already', 1)
        self._parameters[name] = made
        for function, limit in zip(("dsm_minimum", "dsm_maximum"), range, strict=False):
            if limit is not None:
                self._call(function, name, float(limit))
        self._describe(name, unit, text, group)
        if meaning:
            self._call("dsm_meaning", name, meaning)
        return made

    def array(self, name, values, *, sizes=None, starts=None, unit="", text="", group=""):
        """Declares an array that viewers may set. `values`, a NumPy array without gaps, is this rank's part, which
        step() changes in place. Its elements are uint8, int32, int64, float32 or float64.

        Without `sizes` the ranks' parts follow one another in the first direction, in the order of the ranks. Else
        `sizes` are those of the whole array, and this rank's part begins at the indices `starts`.
        """
        if values.dtype.name not in TYPES or not values.dtype.isnative:
            raise TypeError(f"array {name!r}: its elements can be {', '.join(TYPES)}, not {values.dtype}")
        if not values.flags.c_contiguous or not values.flags.writeable:
            raise ValueError(f"array {name!r}: its elements must follow one another in memory "
                             "(numpy.ascontiguousarray), and be writeable")
        if (sizes is None) != (starts is None) or any(
                len(given) != values.ndim for given in (sizes, starts) if given is not None):
            raise ValueError(f"array {name!r}: give sizes and starts, each with {values.ndim} numbers, or neither")
        numbers = ctypes.c_size_t * values.ndim
        kind, part = TYPES.index(values.dtype.name), numbers(*values.shape)
        if sizes is None:
            self._call("dsm_array", name, kind, values.ndim, part, values.ctypes.data)
        else:
            self._call("dsm_array_block", name, kind, values.ndim, numbers(*sizes), numbers(*starts), part,
                       values.ctypes.data)
        self._arrays[name] = values  # as long as the library writes to it
        self._describe(name, unit, text, group)

    def changed(self, name):
        """Returns whether the last step() changed a parameter or an array."""
        return self._library.dsm_changed(self._handle, name.encode("utf-8")) if self._library else False

    def __getitem__(self, name):
        """The value of a parameter now."""
        return self._parameters[name].value

    def __setitem__(self, name, value):
        self._parameters[name].value = value

    def command(self, name, action=None, *, text="", group=""):
        """Declares something that viewers can tell the program to do. `action` is called without
        arguments in step(), on every rank; or ask commanded() after each step."""
        call = _library.ACTION(lambda _: self._act(action)) if action else _library.ACTION()
        self._actions.append(call)
        self._call("dsm_command", name, call, None)
        self._describe(name, "", text, group)

    def commanded(self, name):
        """How often a command came in the last step()."""
        return self._library.dsm_commanded(self._handle, name.encode("utf-8")) if self._library else 0

    def observable(self, name, *, unit="", text="", group=""):
        """Declares a number that the program reports."""
        self._call("dsm_observable", name)
        self._observables.add(name)
        self._describe(name, unit, text, group)

    def observe(self, name, value):
        """Reports a number; rank 0's counts. Declares it if need be."""
        if name not in self._observables:
            self.observable(name)
        self._call("dsm_observe", name, float(value))

    # ---- The time loop ----

    def step(self, step, time):
        """Collective. Changes what was applied since the last call, on all ranks, and calls actions.
        Waits while paused; Ctrl+C ends that."""
        self._step = step
        self._failure = None
        if self._library:
            self._check(self._library.dsm_step(self._handle, int(step), float(time)))
        if self._failure:
            raise self._failure

    @property
    def running(self):
        """False once somebody commanded "stop"."""
        return self._library.dsm_running(self._handle) if self._library else True

    @property
    def connected(self):
        """Whether a server is connected; known on rank 0 only."""
        return self._library.dsm_connected(self._handle) if self._library else False

    def last_step(self, step):
        """Sets the step at which the run ends; None if the program does not know it. Viewers then show how far the run
        is, and how long it still takes."""
        self._call("dsm_last_step", None, -1 if step is None else int(step))

    # ---- What is written ----

    def output_interval(self, interval, write=None):
        """Offers "output interval" and "write snapshot". `write`, if given, writes a snapshot: step()
        calls it on every rank when somebody wants one while the program is paused."""
        self._interval = interval
        self._call("dsm_output_interval", None, int(interval))
        if write:
            call = _library.ACTION(lambda _: self._act(write))
            self._actions.append(call)
            self._call("dsm_output_action", None, call, None)

    @property
    def output_due(self):
        """Whether this step is to be written."""
        if self._library:
            return self._library.dsm_output_due(self._handle)
        return self._interval > 0 and self._step % self._interval == 0

    def enabled(self, path):
        """Whether a dataset or group is to be written; from the first call on it can be switched off."""
        return self._library.dsm_enabled(self._handle, path.encode("utf-8")) if self._library else True

    # ---- The end ----

    def close(self):
        """Collective; before MPI is finalised. At the program's end it happens by itself."""
        if self._library and self._handle:
            self._check(self._library.dsm_close(ctypes.byref(self._handle)))

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        # After an error on this rank the others may never come to a collective close.
        if kind is None:
            self.close()

    def _at_exit(self):
        if not hasattr(sys, "last_value"):
            self.close()

    # ---- Calls of the library ----

    def _call(self, function, name, *arguments):
        if self._library:
            arguments = [word.encode("utf-8") if isinstance(word, str) else word for word in arguments]
            named = [] if name is None else [name.encode("utf-8")]
            self._check(getattr(self._library, function)(self._handle, *named, *arguments))

    def _describe(self, name, unit, text, group):
        for function, words in (("dsm_unit", unit), ("dsm_text", text), ("dsm_group", group)):
            if words:
                self._call(function, name, words)

    def _check(self, status):
        if status:
            raise Error(self._library.dsm_last_error().decode("utf-8", "replace"), status)

    def _act(self, action):
        """An exception cannot pass through the library: step() raises it again."""
        try:
            action()
        except BaseException as error:  # noqa: BLE001 (step() raises it again)
            self._failure = self._failure or error

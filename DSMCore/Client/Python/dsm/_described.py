# SPDX-License-Identifier: BSD-3-Clause
"""Describes a file, whatever program has written it, and reads its numbers."""

import ctypes
import functools
import json
import os
import weakref

from . import _places
from ._attach import load_on_hdf5
from ._errors import UNSUPPORTED, USAGE, Error
from ._handle import Closing, declare


@functools.cache
def _library():
    """The library behind dsm_described.h, on top of an HDF5 of this process, its functions declared."""
    library = load_on_hdf5(_places.library("libdsm-described.so"))
    text, number, described, filled = ctypes.c_char_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_void_p
    declare(library, {
        "dsm_described_open": ([text, text, ctypes.c_long], described),
        "dsm_described_close": ([described], None),
        "dsm_described_error": ([], text),
        "dsm_described_text": ([described], text),
        "dsm_described_fill": ([described, number, number, number], filled),
        "dsm_filled_free": ([filled], None),
        "dsm_filled_text": ([filled], text),
        "dsm_filled_buffer": ([filled, number], ctypes.c_void_p),
    })
    return library


def _checked(result):
    if not result:
        raise Error(f"dsm.Described: {_library().dsm_described_error().decode(errors='replace')}", UNSUPPORTED)
    return result


class Described(Closing):
    """An HDF5 file, described by rules that know the formats of many simulations: its parts, arrays and times.

    `name` is the file's, or a snapshot's, as HDF5 opens it after `dsm.attach`; `written_as` the name that the program
    gave it, beside which recipes are looked for; `step` one of its steps, else the last. Raises `Error` if the file
    cannot be shown, with a remedy. `entries` is the description (dsm_described.h has its entries). Not for several
    threads at once, since HDF5 is called.
    """

    def __init__(self, name, written_as=None, step=None):
        self._described = None
        words = [os.fsencode(name), os.fsencode(written_as or name)]
        self._described = _checked(_library().dsm_described_open(*words, -1 if step is None else step))
        self.entries = json.loads(_library().dsm_described_text(self._described))

    def close(self):
        """Closes the file. What was read stays."""
        if self._described:
            _library().dsm_described_close(self._described)
            self._described = None

    def read(self, part=0, piece=0, pieces=1):
        """Reads one of so many pieces of a part: a list of data sets, dictionaries of what FilledPart.h says, with
        NumPy arrays (tuples first) for numbers. All pieces have each cell once."""
        if not self._described:
            raise Error("dsm.Described: it is closed", USAGE)
        filled = _Filled(_checked(_library().dsm_described_fill(self._described, part, piece, pieces)))
        sets = filled.entries["sets"]
        for one in sets:
            one["coordinates"] = [filled.array(buffer) for buffer in one["coordinates"]]
            for key in "connectivity", "offsets", "types", "covered":
                one[key] = filled.array(one[key]) if key in one else None
            for array in one["arrays"]:
                array["values"] = filled.array(array.pop("buffer"))
        return sets


class _Filled:
    """Numbers that belong to the library, until no array has them any more."""

    def __init__(self, handle):
        self._handle = handle
        self.entries = json.loads(_library().dsm_filled_text(handle))
        weakref.finalize(self, _library().dsm_filled_free, handle)

    def array(self, buffer):
        """The numbers without a copy. They keep this object."""
        import numpy

        entry = self.entries["buffers"][buffer]
        kind = numpy.dtype(entry["type"])
        shape = (entry["tuples"], entry["components"]) if entry["components"] > 1 else (entry["tuples"],)
        size = kind.itemsize * entry["tuples"] * entry["components"]
        if size == 0:
            return numpy.empty(shape, kind)
        memory = (ctypes.c_char * size).from_address(_library().dsm_filled_buffer(self._handle, buffer))
        memory.owner = self
        return numpy.frombuffer(memory, kind).reshape(shape)

# SPDX-License-Identifier: BSD-3-Clause
"""Finds the library behind dsm.h."""

import ctypes
import os

from . import _places
from ._mpi import Mpi

ACTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_session = ctypes.c_void_p
_name = ctypes.c_char_p
_sizes = ctypes.POINTER(ctypes.c_size_t)
# Each function of dsm.h that is used here: what it takes and gives. An int is a dsm_status.
_FUNCTIONS = {
    "dsm_last_error": ([], ctypes.c_char_p),
    "dsm_open_serial": ([_name, ctypes.POINTER(_session)], ctypes.c_int),
    "dsm_open_mpi": ([ctypes.POINTER(Mpi), ctypes.c_ssize_t, _name, ctypes.POINTER(_session)], ctypes.c_int),
    "dsm_close": ([ctypes.POINTER(_session)], ctypes.c_int),
    "dsm_bool": ([_session, _name, ctypes.c_void_p], ctypes.c_int),
    "dsm_int64": ([_session, _name, ctypes.c_void_p], ctypes.c_int),
    "dsm_double": ([_session, _name, ctypes.c_void_p], ctypes.c_int),
    "dsm_vector": ([_session, _name, ctypes.c_void_p], ctypes.c_int),
    "dsm_enum": ([_session, _name, ctypes.c_void_p, _name], ctypes.c_int),
    "dsm_string": ([_session, _name, ctypes.c_void_p, ctypes.c_size_t], ctypes.c_int),
    "dsm_minimum": ([_session, _name, ctypes.c_double], ctypes.c_int),
    "dsm_maximum": ([_session, _name, ctypes.c_double], ctypes.c_int),
    "dsm_unit": ([_session, _name, _name], ctypes.c_int),
    "dsm_text": ([_session, _name, _name], ctypes.c_int),
    "dsm_array": ([_session, _name, ctypes.c_int, ctypes.c_int, _sizes, ctypes.c_void_p], ctypes.c_int),
    "dsm_array_block": ([_session, _name, ctypes.c_int, ctypes.c_int, _sizes, _sizes, _sizes, ctypes.c_void_p],
                        ctypes.c_int),
    "dsm_changed": ([_session, _name], ctypes.c_bool),
    "dsm_group": ([_session, _name, _name], ctypes.c_int),
    "dsm_meaning": ([_session, _name, _name], ctypes.c_int),
    "dsm_command": ([_session, _name, ACTION, ctypes.c_void_p], ctypes.c_int),
    "dsm_commanded": ([_session, _name], ctypes.c_int64),
    "dsm_observable": ([_session, _name], ctypes.c_int),
    "dsm_observe": ([_session, _name, ctypes.c_double], ctypes.c_int),
    "dsm_step": ([_session, ctypes.c_int64, ctypes.c_double], ctypes.c_int),
    "dsm_running": ([_session], ctypes.c_bool),
    "dsm_connected": ([_session], ctypes.c_bool),
    "dsm_last_step": ([_session, ctypes.c_int64], ctypes.c_int),
    "dsm_output_interval": ([_session, ctypes.c_int64], ctypes.c_int),
    "dsm_output_action": ([_session, ACTION, ctypes.c_void_p], ctypes.c_int),
    "dsm_output_due": ([_session], ctypes.c_bool),
    "dsm_enabled": ([_session, _name], ctypes.c_bool),
}


class NotFound(Exception):
    """Why there is no library to use, and what to do."""


def _path():
    return os.environ.get("DSM_LIBRARY") or _places.library("libdsm.so")


def load():
    """The library, its functions declared. Raises NotFound."""
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise NotFound(
            f"libdsm.so could not be loaded ({error}): name it with DSM_LIBRARY, or its folder with LD_LIBRARY_PATH"
        ) from None
    for name, (takes, gives) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise NotFound(f"{path} has no function {name}: it is older than this package") from None
        function.argtypes, function.restype = takes, gives
    return library

# SPDX-License-Identifier: BSD-3-Clause
"""Finds the library behind dsm.h, the one for the MPI library that this process uses."""

import ctypes
import os
import pathlib
import re

FLAVOURS = ("openmpi", "mpich")
ACTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_session = ctypes.c_void_p
_name = ctypes.c_char_p
# Each function of dsm.h that is used here: what it takes and gives. An int is a dsm_status.
_FUNCTIONS = {
    "dsm_last_error": ([], ctypes.c_char_p),
    "dsm_open_serial": ([_name, ctypes.POINTER(_session)], ctypes.c_int),
    "dsm_open_fortran": ([ctypes.c_int, _name, ctypes.POINTER(_session)], ctypes.c_int),
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
    "dsm_group": ([_session, _name, _name], ctypes.c_int),
    "dsm_meaning": ([_session, _name, _name], ctypes.c_int),
    "dsm_command": ([_session, _name, ACTION, ctypes.c_void_p], ctypes.c_int),
    "dsm_commanded": ([_session, _name], ctypes.c_int64),
    "dsm_observable": ([_session, _name], ctypes.c_int),
    "dsm_observe": ([_session, _name, ctypes.c_double], ctypes.c_int),
    "dsm_step": ([_session, ctypes.c_int64, ctypes.c_double], ctypes.c_int),
    "dsm_running": ([_session], ctypes.c_bool),
    "dsm_connected": ([_session], ctypes.c_bool),
    "dsm_output_interval": ([_session, ctypes.c_int64], ctypes.c_int),
    "dsm_output_action": ([_session, ACTION, ctypes.c_void_p], ctypes.c_int),
    "dsm_output_due": ([_session], ctypes.c_bool),
    "dsm_enabled": ([_session, _name], ctypes.c_bool),
}


class NotFound(Exception):
    """Why there is no library to use, and what to do."""


def _mpi_libraries():
    """The MPI libraries that are in this process already (h5py and mpi4py bring one)."""
    try:
        maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return set()
    return set(re.findall(r"/(libmpi(?:ch)?\.so[.0-9]*)$", maps, re.MULTILINE))


def _flavours(loaded):
    """Which builds of the library fit this process: that of its MPI; any, when it has none yet."""
    if any(name.startswith("libmpich") for name in loaded):
        return ("mpich",)
    # MPICH calls itself libmpi.so.12 too; Open MPI's is 40.
    if any(name.startswith("libmpi.so.12") for name in loaded):
        return ("mpich",)
    return ("openmpi",) if loaded else FLAVOURS


def _candidates(flavours):
    named = os.environ.get("DSM_LIBRARY")
    if named:
        return [named]
    # <prefix>/lib/paraview-dsm/dsm/_library.py, built as installed.
    near = pathlib.Path(__file__).resolve().parents[2]
    files = [f"libdsmcore-{flavour}.so" for flavour in flavours]
    return [str(near / file) for file in files if (near / file).exists()] + files


def load():
    """The library, its functions declared. Raises NotFound."""
    before = _mpi_libraries()
    flavours = _flavours(before)
    candidates = _candidates(flavours)
    said = []
    for candidate in candidates:
        try:
            library = ctypes.CDLL(candidate)
        except OSError as error:
            said.append(str(error))
            continue
        now = _mpi_libraries()
        if before and now - before:
            raise NotFound(
                f"{candidate} uses {', '.join(now - before)}, but this process has {', '.join(before)} already: "
                "name the build for that MPI library with DSM_LIBRARY"
            )
        for name, (takes, gives) in _FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise NotFound(f"{candidate} has no function {name}: it is older than this package") from None
            function.argtypes, function.restype = takes, gives
        return library
    wanted = f" for {flavours[0]}, which this process uses" if before else ""
    raise NotFound(
        f"no library libdsmcore-*.so{wanted} could be loaded ({'; '.join(said)}): name it with DSM_LIBRARY, "
        "or its folder with LD_LIBRARY_PATH"
    )

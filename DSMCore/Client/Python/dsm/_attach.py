# SPDX-License-Identifier: BSD-3-Clause
"""Couples a Python that runs already with a server."""

import ctypes
import functools
import importlib.machinery
import os

from . import _places
from ._errors import NO_SERVER, UNSUPPORTED, Error


@functools.cache
def _loader():
    """The library that knows the HDF5 libraries of this process."""
    try:
        library = ctypes.CDLL(_places.library("dsm/libdsm-loader.so"))
    except OSError as error:
        raise Error(f"dsm.attach: {error}", UNSUPPORTED) from None
    library.DsmAttach.argtypes, library.DsmAttach.restype = [ctypes.c_char_p], ctypes.c_char_p
    library.DsmAttachLoaded.argtypes, library.DsmAttachLoaded.restype = [], None
    library.DsmLoad.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    library.DsmLoad.restype = ctypes.c_void_p
    library.DsmDetach.argtypes, library.DsmDetach.restype = [], None
    return library


@functools.cache
def _watch_imports():
    """Modules that are imported later may bring an HDF5 of their own."""
    original = importlib.machinery.ExtensionFileLoader.create_module

    @functools.wraps(original)
    def create_module(self, spec):
        module = original(self, spec)
        _loader().DsmAttachLoaded()
        return module

    importlib.machinery.ExtensionFileLoader.create_module = create_module


def attach(contact=None):
    """Has the HDF5 of this process write to, and read from, the memory of a running server.

    From then on files that h5py, netCDF4, VTK, PyVista and others open here are those in memory, by the names that
    they were written with, and as `run.dsm#latest`; files that they create become snapshots. It is what `dsm-run` does
    for a program that starts. Each HDF5 library counts that a module brings, whether it is imported before or after.
    One older than 1.14 stays as it is, which one line on standard error says. Files that are opened with MPI-IO go to
    disk: only `dsm-run` reaches those.

    `contact` is the contact file; without it DSM_CONTACT names it, else it is run.dsm. Raises `Error` where there is
    none. May be called again, also for another server. No other thread may use HDF5 meanwhile.
    """
    problem = _loader().DsmAttach(os.fsencode(contact) if contact else None)
    if problem:
        raise Error(f"dsm.attach: {os.fsdecode(problem)}", NO_SERVER)
    _watch_imports()


def detach():
    """Undoes `attach`. Files that are open stay where they are."""
    _loader().DsmDetach()


def load_on_hdf5(path):
    """Loads a library of ours on top of an HDF5 of this process, which is attached. Raises `Error`."""
    problem = ctypes.c_char_p()
    handle = _loader().DsmLoad(os.fsencode(path), ctypes.byref(problem))
    if not handle:
        raise Error(f"dsm: {os.fsdecode(problem.value)}", UNSUPPORTED)
    return ctypes.CDLL(str(path), handle=handle)

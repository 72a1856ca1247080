# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's MPI library, as dsm.h takes it: its functions and handles."""

import ctypes
import sys

_FUNCTIONS = {
    "initialized": "MPI_Initialized",
    "finalized": "MPI_Finalized",
    "library_version": "MPI_Get_library_version",
    "error_string": "MPI_Error_string",
    "comm_rank": "MPI_Comm_rank",
    "comm_size": "MPI_Comm_size",
    "comm_dup": "MPI_Comm_dup",
    "comm_free": "MPI_Comm_free",
    "comm_set_errhandler": "MPI_Comm_set_errhandler",
    "bcast": "MPI_Bcast",
    "ibcast": "MPI_Ibcast",
    "test": "MPI_Test",
    "allreduce": "MPI_Allreduce",
}
_HANDLES = {
    "comm_null": "COMM_NULL",
    "errors_return": "ERRORS_RETURN",
    "byte": "BYTE",
    "uint64": "UINT64_T",
    "maximum": "MAX",
    "sum": "SUM",
}


class Mpi(ctypes.Structure):
    """`dsm_mpi` of dsm.h."""

    _fields_ = (
        [("size", ctypes.c_size_t), ("handle_size", ctypes.c_size_t)]
        + [(name, ctypes.c_ssize_t) for name in _HANDLES]
        + [(name, ctypes.c_void_p) for name in _FUNCTIONS]
    )


def handle_of(thing):
    """The handle of a communicator, datatype or operation of mpi4py: a number with its sign."""
    mpi = sys.modules["mpi4py.MPI"]
    data = ctypes.string_at(mpi._addressof(thing), mpi._sizeof(thing))
    return int.from_bytes(data, sys.byteorder, signed=True)


def of_mpi4py():
    """The library that mpi4py's MPI is linked with."""
    mpi = sys.modules["mpi4py.MPI"]
    library = ctypes.CDLL(mpi.__file__)
    made = Mpi(size=ctypes.sizeof(Mpi), handle_size=mpi._sizeof(mpi.COMM_NULL))
    for name, constant in _HANDLES.items():
        setattr(made, name, handle_of(getattr(mpi, constant)))
    for name, function in _FUNCTIONS.items():
        setattr(made, name, ctypes.cast(getattr(library, function), ctypes.c_void_p).value)
    return made

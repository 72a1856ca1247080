# SPDX-License-Identifier: BSD-3-Clause
"""Steering for simulations in Python, and coupling for a Python that runs already.

    import dsm

    dsm.attach("run.dsm")                              # h5py, netCDF4, VTK: files are in memory from now on

A simulation says what ParaView may change while it runs, and reports:

    import dsm

    session = dsm.Session(MPI.COMM_WORLD)              # the contact file is in DSM_CONTACT
    feed = session.parameter("feed", 0.04, range=(0, 0.1), unit="1/s")
    while session.running:                             # until somebody presses Stop
        session.step(step, time)                       # the only place where feed changes
        ...                                            # use feed.value
    session.close()

Without a server, or without the library, parameters keep their values and nothing else happens.
It stands on the library's C interface alone (dsm.h), by ctypes, and needs neither mpi4py nor NumPy.
"""

from ._attach import attach, detach
from ._errors import Error
from ._parameter import Parameter
from ._session import Session

__all__ = ["Error", "Parameter", "Session", "attach", "detach"]

# SPDX-License-Identifier: BSD-3-Clause
"""Steering for simulations in Python; coupling, and a view of the memory, for a Python that runs already.

    import dsm

    dsm.attach("run.dsm")                              # h5py, netCDF4, VTK: files are in memory from now on

    with dsm.Viewer("run.dsm") as viewer:              # what the server has, without ParaView
        print([snapshot["file"] for snapshot in viewer.snapshots()])

In a notebook, dsm.view("run.dsm") shows the simulation in a cell, dsm.snapshots() lists what there is, and
dsm.steer(feed=0.04) changes it.

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
from ._described import Described
from ._errors import NO_SERVER, PEER_LOST, REFUSED, SYSTEM, TIMED_OUT, UNSUPPORTED, USAGE, Error
from ._notebook import snapshots, steer, view
from ._parameter import Parameter
from ._session import Session
from ._viewer import Viewer

__all__ = [
    "NO_SERVER",
    "PEER_LOST",
    "REFUSED",
    "SYSTEM",
    "TIMED_OUT",
    "UNSUPPORTED",
    "USAGE",
    "Described",
    "Error",
    "Parameter",
    "Session",
    "Viewer",
    "attach",
    "detach",
    "snapshots",
    "steer",
    "view",
]

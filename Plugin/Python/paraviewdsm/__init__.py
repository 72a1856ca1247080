# SPDX-License-Identifier: BSD-3-Clause
"""ParaView DSM from a script: show what a running simulation writes, while it runs.

In pvbatch, pvpython or ParaView's Python shell::

    import paraviewdsm
    from paraview.simple import *

    with paraviewdsm.Server(contact="run.dsm") as server:
        reader = server.reader()
        contour = Contour(Input=reader, ContourBy=["POINTS", "v"], Isosurfaces=[0.3])
        Show(contour)
        for snapshot in server.snapshots(timeout=60):
            SaveScreenshot(f"v.{snapshot.number:05d}.png")

and, in another terminal, the simulation with ``DSM_CONTACT=run.dsm`` or ``dsm-run --contact run.dsm``.

server() is the server that runs already, such as that of the panel DSM of ParaView's window, for its Python shell.

The package works in the same way if every rank runs the script (``pvbatch --sym``), if only the first does, and
with a connection to a pvserver.
"""

from ._colours import apply_preset
from ._compare import Comparison
from ._errors import Error
from ._plugin import load
from ._run import Origin, Run
from ._server import Server, resume, server, start
from ._snapshot import Snapshot
from ._steering import Refused, Steering

__all__ = [
    "Comparison", "Error", "Origin", "Refused", "Run", "Server", "Snapshot", "Steering", "apply_preset", "load",
    "resume", "server", "start",
]

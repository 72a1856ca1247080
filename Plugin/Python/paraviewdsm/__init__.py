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
watch("run.dsm") shows a server that another program has started, beside that program.

The package works in the same way if every rank runs the script (``pvbatch --sym``), if only the first does, and
with a connection to a pvserver.
"""

import importlib

# These modules have the names. Python imports a module when a name of it is used: python3 -m paraviewdsm runs without
# ParaView.
_MODULES = {
    "_colours": ["apply_preset"],
    "_compare": ["Comparison"],
    "_errors": ["Error"],
    "_plugin": ["load"],
    "_run": ["Origin", "Run"],
    "_server": ["Server", "resume", "server", "start", "watch"],
    "_snapshot": ["Snapshot"],
    "_steering": ["Refused", "Steering"],
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names stand above


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)


def __dir__():
    return sorted({*globals(), *__all__})

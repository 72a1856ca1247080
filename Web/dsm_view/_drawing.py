# SPDX-License-Identifier: BSD-3-Clause
"""The process that reads snapshots and draws them.

A process of its own keeps the page responsive while a large snapshot is read or drawn, and keeps the page alive if
VTK crashes. It also keeps `dsm.attach` away from a notebook's HDF5.
"""

import os
import pathlib
import signal

import dsm
from dsm import _meshes


class Drawing:
    """Answers requests: each is a dictionary of what is new, and each answer has a picture or says what is wrong.

    snapshot: which one to read, as dsm.Viewer lists it.
    settings: array, colours, representation, position, axis, locked (keep the range of the colours).
    size: width and height in pixels.
    events: what the mouse did.
    camera: None to look at everything, or what an answer had as "camera".
    """

    def __init__(self, contact):
        # VTK's HDF5 is to find that it is attached.
        dsm.attach(contact)
        from dsm import vtk

        from . import _scene

        self._scenes = _scene
        self._files = vtk.Files(contact)
        self._scene = _scene.Scene()
        self._snapshot, self._meshes = None, []
        self._settings, self._limits = None, None

    def answer(self, request):
        answer = {}
        try:
            self._take(request, answer)
        except (dsm.Error, self._scenes.CannotShow) as error:
            answer["error"] = str(error)
        except Exception as error:  # noqa: BLE001 (VTK and PyVista raise errors of many kinds, and the page goes on)
            answer["error"] = f'cannot draw {self._snapshot["file"]}: {error}'
        if self._meshes:
            answer["picture"], *answer["size"] = self._scene.picture()
            answer["camera"] = self._scene.camera
        return answer

    def _take(self, request, answer):
        if "size" in request:
            self._scene.resize(*request["size"])
        self._settings = request.get("settings", self._settings)
        if "snapshot" in request:
            self._read(request["snapshot"])
        if self._meshes and request.keys() & {"settings", "snapshot"}:
            self._show(answer)
        if self._meshes and "camera" in request:
            if request["camera"]:
                self._scene.camera = request["camera"]
            else:
                self._scene.reset_camera(self._meshes)
        for event in request.get("events", ()):
            self._scene.handle(event)

    def _read(self, snapshot):
        self._snapshot = snapshot
        meshes = _meshes.meshes_of(self._files.open(snapshot).data())
        self._meshes = [mesh for mesh in meshes if mesh.n_points]
        if not self._meshes:
            raise dsm.Error(f'{snapshot["file"]} has nothing that can be drawn', dsm.USAGE)

    def _show(self, answer):
        names = _meshes.array_names(self._meshes)
        wanted = self._settings["array"]
        array = wanted if wanted in names else next(iter(names), None)
        answer.update(snapshot=self._snapshot, arrays=names, array=array)
        if array:
            values = [self._scenes.values_of(mesh, array) for mesh in self._meshes if array in mesh.array_names]
            low, high = float(min(each.min() for each in values)), float(max(each.max() for each in values))
            mean = float(sum(each.sum(dtype=float) for each in values) / sum(each.size for each in values))
            answer["statistics"] = {"minimum": low, "maximum": high, "mean": mean}
            is_kept = self._settings["locked"] and self._limits and self._limits[0] == array
            self._limits = self._limits if is_kept else (array, [low, high])
            answer["limits"] = self._limits[1]
        self._scene.show(self._meshes, array, self._settings, self._limits[1] if array else None)


def draw(connection, contact):
    """Answers the requests that come over a connection, until the other end closes it."""
    # Ctrl+C is for the page, which closes the connection.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The simulation may need all cores of this machine.
    os.nice(5)
    try:
        if not _meshes.has_opengl():
            raise dsm.Error("this machine has no OpenGL library, which a picture needs. Install one (Debian: libegl1).",
                            dsm.USAGE)
        drawing = Drawing(str(pathlib.Path(contact)))
    except dsm.Error as error:
        connection.recv()
        connection.send({"error": str(error), "fatal": True})
        return
    while True:
        try:
            connection.send(drawing.answer(connection.recv()))
        except (EOFError, OSError):
            return

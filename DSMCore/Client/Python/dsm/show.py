# SPDX-License-Identifier: BSD-3-Clause
"""Shows what a running simulation writes, in a window or as pictures: python3 -m dsm.show

    python3 -m dsm.show                              # a window that follows the files in run.dsm's memory
    python3 -m dsm.show --picture live.png           # the same, as a file that is replaced with each snapshot
    python3 -m dsm.show --array pressure --contact /scratch/run.dsm

Needs PyVista (pip install pyvista).
"""

import argparse
import os
import pathlib
import sys
import time

from . import NO_SERVER, PEER_LOST, USAGE, Error, Viewer, _meshes, attach

# Seconds between two attempts to connect, and between two looks at the window.
_INTERVAL = 0.1


def _arguments():
    parser = argparse.ArgumentParser(
        prog="python3 -m dsm.show", description="Shows the newest file in a server's memory while a simulation runs.")
    parser.add_argument("--contact", default=os.environ.get("DSM_CONTACT") or "run.dsm",
                        help="the contact file of the server (default: DSM_CONTACT, or run.dsm)")
    parser.add_argument("--stream", default="", help='files that fit this pattern, such as "out.*.h5" (default: the '
                        "files that belong with the newest one)")
    parser.add_argument("--array", help="the array that gives the colours (default: the first one)")
    parser.add_argument("--picture", type=pathlib.Path,
                        help="write the picture into this file, and again with each new snapshot, without a window")
    parser.add_argument("--wait", type=float, default=60,
                        help="seconds to wait for a server and its first snapshot (default: %(default)s)")
    return parser.parse_args()


def _connected(contact, deadline):
    """A viewer of the server, once it is there."""
    while True:
        try:
            return Viewer(contact)
        except Error:
            if time.monotonic() > deadline:
                raise
            time.sleep(_INTERVAL)


def _array_of(meshes, wanted, file):
    """The name of the array that gives the colours; None if there are none."""
    names = _meshes.array_names(meshes)
    if wanted and wanted not in names:
        raise Error(f'{file} has no array {wanted}: it has {", ".join(names) or "none"}', USAGE)
    return wanted or (names[0] if names else None)


class _Window:
    """Draws by OpenGL, in a window or for a file."""

    def __init__(self, off_screen):
        if off_screen:
            _meshes.draw_without_window()
        import pyvista

        self._off_screen = off_screen
        self._plotter = pyvista.Plotter(off_screen=off_screen, title="ParaView DSM")
        self._is_first = True

    def draw(self, file, meshes, array):
        is_flat = _meshes.are_flat(meshes)
        for number, mesh in enumerate(meshes):
            self._plotter.add_mesh(mesh, scalars=array if array in mesh.array_names else None, name=f"part{number}",
                                   lighting=not is_flat, reset_camera=self._is_first)
        self._plotter.add_text(file, font_size=10, name="file")
        if self._is_first and is_flat:
            self._plotter.view_xy()
        if self._is_first and not self._off_screen:
            self._plotter.show(interactive_update=True, auto_close=False)
        self._is_first = False

    def save(self, path):
        self._plotter.screenshot(str(path))

    def is_open(self):
        """Returns whether the user has not closed the window, and has the window handle what the user does."""
        if not self._is_first and not self._off_screen:
            self._plotter.update()
        return self._plotter.render_window is not None


class _Plot:
    """Draws by Matplotlib, for a file, where there is no OpenGL: a plane through the middle of what is deep."""

    def __init__(self):
        from matplotlib.figure import Figure

        self._figure = Figure(figsize=(10.24, 7.68), dpi=100)

    def draw(self, file, meshes, array):
        self._figure.clear()
        axes = self._figure.add_subplot(title=file, aspect="equal", xlabel="x", ylabel="y")
        drawn = None
        for mesh in meshes:
            flat = mesh.slice("z") if mesh.bounds[4] < mesh.bounds[5] and mesh.n_cells > mesh.n_verts else mesh
            flat = flat.cell_data_to_point_data().extract_surface(algorithm="dataset_surface").triangulate()
            values = flat.point_data[array] if array in flat.point_data else flat.points[:, 2]
            if values.ndim > 1:
                values = (values**2).sum(axis=1) ** 0.5
            x, y, triangles = flat.points[:, 0], flat.points[:, 1], flat.faces.reshape(-1, 4)[:, 1:]
            drawn = axes.tripcolor(x, y, triangles, values) if len(triangles) else axes.scatter(x, y, c=values, s=2)
        self._figure.colorbar(drawn, label=array)

    def save(self, path):
        self._figure.savefig(path)

    @staticmethod
    def is_open():
        return True


def _canvas(arguments):
    if _meshes.has_opengl():
        return _Window(off_screen=arguments.picture is not None)
    if arguments.picture is None:
        raise Error("this machine has no OpenGL library (Debian: libgl1), which a window needs; --picture needs none",
                    USAGE)
    return _Plot()


def _follow(arguments):
    from . import vtk

    deadline = time.monotonic() + arguments.wait
    with _connected(arguments.contact, deadline) as viewer:
        attach(arguments.contact)
        files = vtk.Files(arguments.contact)
        canvas, shown, seen = _canvas(arguments), None, 0
        while canvas.is_open():
            try:
                seen = viewer.wait(seen, _INTERVAL) or seen
                newest = viewer.newest_run(arguments.stream)[-1:]
            except Error as error:
                if shown is None or error.status not in {NO_SERVER, PEER_LOST}:
                    raise
                return  # the server has ended
            if newest and newest[0]["number"] != shown:
                _draw(canvas, newest[0], files.open(newest[0]).data(), arguments)
                shown = newest[0]["number"]
            elif shown is None and time.monotonic() > deadline:
                raise Error(f"the server of {arguments.contact} has had no file for {arguments.wait:g} s", NO_SERVER)


def _draw(canvas, snapshot, data, arguments):
    meshes = [mesh for mesh in _meshes.meshes_of(data) if mesh.n_points]
    if not meshes:
        raise Error(f'{snapshot["file"]} has nothing that can be drawn', USAGE)
    canvas.draw(pathlib.Path(snapshot["file"]).name, meshes, _array_of(meshes, arguments.array, snapshot["file"]))
    if arguments.picture is not None:
        new = arguments.picture.with_name(f".{arguments.picture.stem}.new{arguments.picture.suffix}")
        canvas.save(new)
        new.replace(arguments.picture)
    print(snapshot["file"], flush=True)


def main():
    arguments = _arguments()
    try:
        _follow(arguments)
    except KeyboardInterrupt:
        return 0
    except ImportError as error:
        print(f"dsm.show: {error}: pip install pyvista", file=sys.stderr)
        return 1
    except Error as error:
        print(f"dsm.show: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

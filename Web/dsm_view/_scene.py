# SPDX-License-Identifier: BSD-3-Clause
"""The picture: meshes, shown in one of several ways, seen by a camera that the mouse moves."""

import io
import json

import numpy
import pyvista
from PIL import Image
from vtkmodules.vtkWebCore import vtkRemoteInteractionAdapter

from dsm import _meshes

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
# Cells along the longest side of the grid that a volume of any other mesh is sampled on.
SAMPLES = 96
QUALITY = 90
BAR = {"vertical": True, "position_x": 0.87, "position_y": 0.2, "height": 0.6, "width": 0.05, "color": "black",
       "n_labels": 5, "fmt": "%.3g", "title_font_size": 18, "label_font_size": 15}


class CannotShow(Exception):
    """The data cannot be shown in the way that was chosen; the text says why."""


def values_of(mesh, array):
    """Returns the numbers that give the colours: an array's values, or the lengths of its vectors."""
    values = mesh.point_data[array] if array in mesh.point_data else mesh.cell_data[array]
    return numpy.linalg.norm(values, axis=1) if values.ndim > 1 else values


class Scene:
    """A renderer without a window, and what it shows."""

    def __init__(self):
        _meshes.draw_without_window()
        self._plotter = pyvista.Plotter(off_screen=True, window_size=(800, 600))
        self._plotter.set_background("white")
        self._plotter.enable_trackball_style()
        self._plotter.iren.initialize()
        self._plotter.iren.interactor.EnableRenderOff()
        self._plotter.suppress_rendering = True  # PyVista would draw after each change
        self._is_flat = None

    def show(self, meshes, array, settings, limits):
        """Replaces what is shown. `limits` are the numbers of the first and the last colour. Raises CannotShow."""
        parts = [_coloured(mesh, array) for mesh in meshes] if array else meshes
        shown = list(_WAYS[settings["representation"]](parts, array, settings, limits))
        self._plotter.clear_actors()
        self._plotter.scalar_bars.clear()
        is_flat = _meshes.are_flat(meshes)
        options = {"cmap": settings["colours"], "clim": limits, "reset_camera": False,
                   "scalar_bar_args": BAR | {"title": f"{array}\n"}}
        for number, part in enumerate(shown):
            if settings["representation"] == "volume":
                self._plotter.add_volume(part, scalars=array, name=f"part{number}", **options)
            elif part.n_points:
                look = {"scalars": array} if array in part.array_names else {"color": "lightgrey"}
                self._plotter.add_mesh(part, name=f"part{number}", line_width=3, lighting=not is_flat, ambient=0.3,
                                       **look, **options)
        if self._is_flat is None or is_flat != self._is_flat:
            self._is_flat = is_flat
            self.reset_camera(meshes)

    def reset_camera(self, meshes):
        """Looks at all of the data: from above if it is flat."""
        bounds = numpy.array([mesh.bounds for mesh in meshes])
        whole = [edge(bounds[:, side]) for side, edge in enumerate((numpy.min, numpy.max) * 3)]
        if self._is_flat:
            self._plotter.view_xy(bounds=whole)
        else:
            self._plotter.view_isometric(bounds=whole)
        self._plotter.camera.zoom(0.9)  # leaves room for the colors' bar

    @property
    def camera(self):
        return [list(vector) for vector in self._plotter.camera_position] + [self._plotter.camera.parallel_scale]

    @camera.setter
    def camera(self, camera):
        self._plotter.camera_position = camera[:3]
        self._plotter.camera.parallel_scale = camera[3]
        self._plotter.renderer.camera_set = True

    def resize(self, width, height):
        self._plotter.window_size = (width, height)
        self._plotter.iren.interactor.UpdateSize(width, height)

    def handle(self, event):
        """Does what the mouse did in the browser."""
        if event["type"] in {"StartInteractionEvent", "EndInteractionEvent"}:
            return  # these are for viewers that draw less meanwhile
        vtkRemoteInteractionAdapter.ProcessEvent(self._plotter.iren.interactor, json.dumps(event))

    def picture(self):
        """Draws, and returns a JPEG picture."""
        self._plotter.renderer.ResetCameraClippingRange()
        self._plotter.suppress_rendering = False
        self._plotter.render()
        written = io.BytesIO()
        pixels = self._plotter.screenshot(return_img=True)
        self._plotter.suppress_rendering = True
        Image.fromarray(pixels).save(written, "jpeg", quality=QUALITY, subsampling=0)
        return written.getvalue(), pixels.shape[1], pixels.shape[0]


def _coloured(mesh, array):
    """Returns the mesh with the numbers that give the colours as its active array."""
    if array not in mesh.array_names:
        return mesh
    where = "point_data" if array in mesh.point_data else "cell_data"
    copy = mesh.copy(deep=False)
    getattr(copy, where)[array] = values_of(mesh, array)
    copy.set_active_scalars(array, preference=where.split("_", maxsplit=1)[0])
    return copy


# ---- The ways to show meshes. ----


def _surface(parts, _array, _settings, _limits):
    return parts


def _on_points(part, array):
    return part if array in part.point_data else part.cell_data_to_point_data()


def _contour(parts, array, settings, limits):
    """Lines or surfaces of one value. `position` 0 to 1 is from the smallest value to the largest."""
    if not array:
        raise CannotShow("A contour needs an array, and this snapshot has none.")
    value = limits[0] + settings["position"] * (limits[1] - limits[0])
    return [_on_points(part, array).contour([value], scalars=array) for part in parts if array in part.array_names]


def _place(parts, settings):
    """Returns the normal and the origin of the plane that cuts all parts."""
    axis = list(AXES).index(settings["axis"])
    low = min(part.bounds[2 * axis] for part in parts)
    high = max(part.bounds[2 * axis + 1] for part in parts)
    origin = numpy.zeros(3)
    # A plane in the very edge would cut nothing.
    origin[axis] = low + (0.001 + 0.998 * settings["position"]) * (high - low)
    return AXES[settings["axis"]], origin


def _slice(parts, _array, settings, _limits):
    normal, origin = _place(parts, settings)
    return [part.slice(normal, origin=origin) for part in parts]


def _clip(parts, _array, settings, _limits):
    normal, origin = _place(parts, settings)
    return [part.clip(normal, origin=origin) for part in parts]


def _volume(parts, array, _settings, _limits):
    """Volumes of grids as they are, and one of samples for all other meshes."""
    if not array:
        raise CannotShow("A volume needs an array, and this snapshot has none.")
    if _meshes.are_flat(parts):
        raise CannotShow("A volume needs data in three dimensions, and this data is flat.")
    return [_on_points(part, array) if isinstance(part, pyvista.ImageData) else _sampled(part)
            for part in parts if array in part.array_names]


def _sampled(part):
    sides = numpy.array(part.bounds[1::2]) - numpy.array(part.bounds[::2])
    counts = numpy.maximum(2, numpy.ceil(SAMPLES * sides / sides.max())).astype(int)
    grid = pyvista.ImageData(dimensions=counts, spacing=sides / (counts - 1), origin=part.bounds[::2])
    return grid.sample(part)


_WAYS = {"surface": _surface, "contour": _contour, "slice": _slice, "clip": _clip, "volume": _volume}

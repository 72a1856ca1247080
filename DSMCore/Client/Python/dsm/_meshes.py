# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of viewers that draw with PyVista: meshes of VTK's data objects, and whether this machine has OpenGL."""

import ctypes
import os


def meshes_of(data):
    """Returns the meshes of a data object that can be drawn."""
    import pyvista

    if not data.IsA("vtkCompositeDataSet"):
        return [pyvista.wrap(data)] if data.IsA("vtkDataSet") else []
    found, each = [], data.NewIterator()
    each.InitTraversal()
    while not each.IsDoneWithTraversal():
        found += meshes_of(each.GetCurrentDataObject())
        each.GoToNextItem()
    return found


def array_names(meshes):
    """Returns the names of all arrays on points and cells of the meshes, each once, in their order."""
    names = [name for mesh in meshes for data in (mesh.point_data, mesh.cell_data) for name in data]
    return [name for name in dict.fromkeys(names) if name != "vtkGhostType"]


def are_flat(meshes):
    """Returns whether all meshes lie in a plane of constant z."""
    return all(mesh.bounds[4] == mesh.bounds[5] for mesh in meshes)


def has_opengl():
    """Returns whether VTK can draw on this machine. VTK ends the process where it finds no OpenGL."""
    return any(_is_there(name) for name in ("libGL.so.1", "libEGL.so.1", "libOSMesa.so.8"))


def draw_without_window():
    """Has VTK draw by EGL, if this machine has EGL and no display."""
    if not os.environ.get("DISPLAY") and _is_there("libEGL.so.1"):
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")


def _is_there(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True

# SPDX-License-Identifier: BSD-3-Clause
"""The picture that all ways within ParaView draw: a slice through the middle of the field."""

from pathlib import Path

from paraview import simple


def show_slice(source, view):
    """Shows a slice of a source in a view, and returns it."""
    cut = simple.Slice(Input=source)
    simple.ColorBy(simple.Show(cut, view), ("POINTS", "u"))
    simple.ResetCamera(view)
    return cut


def draw(cut, view, time):
    """Draws the slice as it is at a time, and returns when the pixels are there."""
    simple.UpdatePipeline(time, cut)
    simple.Render(view)
    wait_for_pixels(view)


def wait_for_pixels(view):
    """Blocks until all that was drawn is in the image: OpenGL may draw later than it is told to."""
    view.GetRenderWindow().WaitForCompletion()


def step_of(proxy):
    """Returns which of the writer's files the data of a source or filter come from."""
    values = proxy.GetClientSideObject().GetOutputDataObject(0).GetPointData().GetArray("u")
    return round(values.GetRange()[1]) - 2


def mark_seen(folder, step):
    """Tells the program that writes that the picture of a file is there."""
    Path(folder, f"seen.{step}").touch()

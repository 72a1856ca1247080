# SPDX-License-Identifier: BSD-3-Clause
"""What these scripts share: their options, caption and legend, a picture's name, and the line about a snapshot."""

import argparse
import os

from paraview.simple import CreateRenderView, GetScalarBar, SaveScreenshot, SetProperties, Show, Text

INK = [0.93, 0.94, 0.96]
DIM = [0.5, 0.54, 0.62]


def options(description, memory):
    """The command line; the folder for the pictures exists afterwards. `memory` is what each rank shares."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--contact", default="run.dsm", help="file by which the simulation finds this")
    parser.add_argument("--pictures", default=".", help="folder for the pictures")
    parser.add_argument("--memory", default=memory, help="what each rank shares")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for a snapshot")
    arguments = parser.parse_args()
    os.makedirs(arguments.pictures, exist_ok=True)
    return arguments


def make_view(size=(1280, 800), **properties):
    """A view with a dark background."""
    return CreateRenderView(
        ViewSize=list(size),
        UseColorPaletteForBackground=0,
        BackgroundColorMode="Gradient",
        Background=[0.16, 0.19, 0.28],
        Background2=[0.04, 0.05, 0.09],
        OrientationAxesVisibility=0,
        **properties,
    )


def outline(source, view):
    """The box that a source fills."""
    shown = Show(source, view)
    shown.SetRepresentationType("Outline")
    SetProperties(shown, ColorArrayName=[None, ""], AmbientColor=DIM, DiffuseColor=DIM, LineWidth=1.5)


def caption(view):
    """A text in the upper left corner of the view; say what it is to show with its property Text."""
    text = Text()
    SetProperties(Show(text, view), WindowLocation="Any Location", Position=[0.03, 0.92], Color=INK, FontSize=24)
    return text


def legend(table, view, title, position, length=0.28):
    """The colour bar of a colour map, its lower left corner at `position` (shares of the view, as its length)."""
    SetProperties(
        GetScalarBar(table, view),
        Visibility=1,
        Title=title,
        ComponentTitle="",
        WindowLocation="Any Location",
        Position=position,
        ScalarBarLength=length,
        ScalarBarThickness=14,
        HorizontalTitle=1,
        TitleColor=INK,
        LabelColor=INK,
        TitleFontSize=18,
        LabelFontSize=15,
        AutomaticLabelFormat=0,
        LabelFormat="%.2f",
        RangeLabelFormat="%.2f",
        DrawTickLabels=0,
        DrawTickMarks=0,
    )


def save(view, snapshot, folder):
    """The view as a picture that is called after the snapshot's file."""
    name = os.path.splitext(os.path.basename(snapshot.file))[0] + ".png"
    SaveScreenshot(os.path.join(folder, name), view, ImageResolution=view.ViewSize)


def report(snapshot):
    """One line of what a snapshot was and cost."""
    rate = snapshot.bytes / snapshot.write_seconds / 1e9 if snapshot.write_seconds > 0 else 0
    return (
        f"snapshot {snapshot.number:3d}  step {snapshot.step:6g}  time {snapshot.time:8g}  "
        f"{snapshot.bytes / 2**20:6.1f} MiB  {rate:5.2f} GB/s  "
        f"blocked {1000 * snapshot.blocked_seconds:6.1f} ms  {snapshot.in_memory:2d} in memory"
    )

# SPDX-License-Identifier: BSD-3-Clause
"""Shows flying particles, one picture per snapshot, and moves the body they circle.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch particles.py --contact run.dsm
    dsm-run --contact run.dsm mpiexec -n 3 python3 particles.py
"""

import argparse
import os

import paraview.simple
from paraview.simple import (
    Box,
    CreateRenderView,
    GetColorTransferFunction,
    SaveScreenshot,
    SetProperties,
    Show,
    Sphere,
    Text,
)

INK = [0.93, 0.94, 0.96]
DIM = [0.5, 0.54, 0.62]

# What changes at which snapshot.
SCRIPT = {
    7: {"body": (0.35, 0.0, 0.15)},
    13: {"body": (-0.3, 0.2, 0.0), "mass": 1.5},
    19: {"body": (0.0, 0.0, 0.0), "walls": "bounce"},
    24: {"drag": 0.6, "wind": (0.0, 0.0, 0.6)},
}


def scene(reader):
    """Builds the pipeline on a reader whose data is there; returns the view, the text and the body."""
    # The camera stands where this function puts it.
    paraview.simple._DisableFirstRenderCameraReset()
    view = CreateRenderView(
        ViewSize=[1280, 800],
        UseColorPaletteForBackground=0,
        BackgroundColorMode="Gradient",
        Background=[0.1, 0.11, 0.18],
        Background2=[0.02, 0.02, 0.05],
        OrientationAxesVisibility=0,
    )
    table = GetColorTransferFunction("speed")
    table.AutomaticRescaleRangeMode = "Never"
    table.ApplyPreset("Inferno (matplotlib)", True)
    table.RescaleTransferFunction(0, 2.5)
    points = Show(reader, view)
    points.SetRepresentationType("Points")
    SetProperties(points, ColorArrayName=["POINTS", "speed"], LookupTable=table, PointSize=2, Ambient=1, Diffuse=0)

    body = Sphere(Radius=0.03, ThetaResolution=24, PhiResolution=24)
    SetProperties(Show(body, view), ColorArrayName=[None, ""], DiffuseColor=[0.5, 0.8, 1], AmbientColor=[0.5, 0.8, 1], Ambient=0.5)
    box = Show(Box(XLength=2, YLength=2, ZLength=2), view)
    box.SetRepresentationType("Outline")
    SetProperties(box, ColorArrayName=[None, ""], AmbientColor=DIM, DiffuseColor=DIM, LineWidth=1.5)
    text = Text()
    SetProperties(Show(text, view), WindowLocation="Any Location", Position=[0.03, 0.92], Color=INK, FontSize=24)

    view.CameraFocalPoint = [0, 0, -0.1]
    view.CameraPosition = [1.2, -3.1, 2.4]
    view.CameraViewUp = [0, 0, 1]
    return view, text, body


def steer(server, number):
    """Applies what the script has for this snapshot; returns it in words."""
    import paraviewdsm

    changes = SCRIPT.get(number)
    if not changes:
        return ""
    for name, value in changes.items():
        server.parameters[name] = value
    try:
        # It takes effect in the simulation's next step; the picture shows it some snapshots later.
        server.apply(timeout=0)
    except paraviewdsm.Error as error:
        return f"  not steered: {error}"
    return "  " + ", ".join(f"{name} = {value}" for name, value in changes.items())


def report(snapshot):
    """One line of what a snapshot was and cost."""
    rate = snapshot.bytes / snapshot.write_seconds / 1e9 if snapshot.write_seconds > 0 else 0
    return (
        f"snapshot {snapshot.number:3d}  step {snapshot.step:6g}  time {snapshot.time:8g}  "
        f"{snapshot.bytes / 2**20:6.1f} MiB  {rate:5.2f} GB/s  "
        f"blocked {1000 * snapshot.blocked_seconds:6.1f} ms  {snapshot.in_ring:2d} in the ring"
    )


def main():
    import paraviewdsm

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--contact", default="run.dsm", help="file by which the simulation finds this")
    parser.add_argument("--pictures", default=".", help="folder for the pictures")
    parser.add_argument("--memory", default="64 MiB", help="what each rank lends")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for a snapshot")
    arguments = parser.parse_args()
    os.makedirs(arguments.pictures, exist_ok=True)

    view = None
    # A short ring: the simulation stays near what is shown, so that one sees what one changes.
    with paraviewdsm.Server(
        contact=arguments.contact, memory_per_host=arguments.memory, full_ring="block", maximum_snapshots=2
    ) as server:
        reader = server.reader()
        for snapshot in server.snapshots(timeout=arguments.timeout):
            reader.UpdatePipeline(snapshot.time)
            if view is None:
                view, text, body = scene(reader)
            text.Text = f"step {snapshot.step:.0f}   time {snapshot.time:.2f}"
            try:
                body.Center = server.parameters["body"]
            except paraviewdsm.Error:
                pass  # a simulation that cannot be steered has it in the middle
            name = os.path.splitext(os.path.basename(snapshot.file))[0] + ".png"
            SaveScreenshot(os.path.join(arguments.pictures, name), view, ImageResolution=view.ViewSize)
            print(report(snapshot) + steer(server, snapshot.number), flush=True)


if __name__ == "__main__":
    main()

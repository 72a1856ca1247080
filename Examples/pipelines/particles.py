# SPDX-License-Identifier: BSD-3-Clause
"""Shows flying particles, one picture per snapshot, and moves the body they circle.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch particles.py --contact run.dsm
    dsm-run --contact run.dsm mpiexec -n 3 python3 particles.py
"""

import contextlib

import paraview.simple
from paraview.simple import (
    Box,
    CreateRenderView,
    GetColorTransferFunction,
    SetProperties,
    Show,
    Sphere,
)

import live
import paraviewdsm

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
    paraviewdsm.apply_preset(table, "Inferno")
    table.RescaleTransferFunction(0, 2.5)
    points = Show(reader, view)
    points.SetRepresentationType("Points")
    SetProperties(points, ColorArrayName=["POINTS", "speed"], LookupTable=table, PointSize=2, Ambient=1, Diffuse=0)

    body = Sphere(Radius=0.03, ThetaResolution=24, PhiResolution=24)
    SetProperties(
        Show(body, view), ColorArrayName=[None, ""], DiffuseColor=[0.5, 0.8, 1], AmbientColor=[0.5, 0.8, 1], Ambient=0.5
    )
    live.outline(Box(XLength=2, YLength=2, ZLength=2), view)
    text = live.caption(view)

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


def main():
    import paraviewdsm

    arguments = live.options(__doc__, memory="64 MiB")

    view = None
    # A short ring: the simulation stays near what is shown, so that one sees what one changes.
    with paraviewdsm.Server(
        contact=arguments.contact, memory_per_host=arguments.memory, when_full="block", maximum_snapshots=2
    ) as server:
        reader = server.reader()
        for snapshot in server.snapshots(timeout=arguments.timeout):
            reader.UpdatePipeline(snapshot.time)
            if view is None:
                view, text, body = scene(reader)
            text.Text = f"step {snapshot.step:.0f}   time {snapshot.time:.2f}"
            # A simulation that cannot be steered has it in the middle.
            with contextlib.suppress(paraviewdsm.Error):
                body.Center = server.parameters["body"]
            live.save(view, snapshot, arguments.pictures)
            print(live.report(snapshot) + steer(server, snapshot.number), flush=True)


if __name__ == "__main__":
    main()

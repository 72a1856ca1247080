# SPDX-License-Identifier: BSD-3-Clause
"""Shows the wave in Meep's ring resonator: one picture per snapshot of Ez.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch meep.py --contact run.dsm
    dsm-run --contact run.dsm mpiexec -n 3 python3 ring.py
"""

import os

import paraview.simple
from paraview.simple import (
    Contour,
    GetColorTransferFunction,
    SetProperties,
    Show,
    Slice,
)

import live

STRONG = 0.045  # |Ez| of the surfaces: crests and troughs
FULL = 0.12  # |Ez| at the ends of the colour map


def colours(view):
    """The colour map of Ez, the same in every picture, and its legend."""
    table = GetColorTransferFunction("ez")
    # Dark where there is no field, so that the wave glows.
    SetProperties(
        table,
        AutomaticRescaleRangeMode="Never",
        ColorSpace="RGB",
        RGBPoints=[
            *(-FULL, 0.55, 0.95, 1.0),
            *(-FULL / 2, 0.05, 0.45, 0.85),
            *(0, 0.03, 0.04, 0.08),
            *(FULL / 2, 0.85, 0.25, 0.1),
            *(FULL, 1.0, 0.85, 0.4),
        ],
    )
    live.legend(table, view, "Ez", [0.9, 0.36])
    return table


def scene(reader, geometry):
    """Builds the pipeline on a reader of Ez and one of the permittivity, whose data is there; returns
    the view and the text in it.

    Crests and troughs of the wave float in the glass of waveguide and ring; below them a plane shows
    the field that leaks out.
    """
    b = geometry.GetDataInformation().GetBounds()
    low, high = b[0::2], b[1::2]
    size = [end - begin for begin, end in zip(low, high, strict=True)]
    middle = [(begin + end) / 2 for begin, end in zip(low, high, strict=True)]

    # The camera stands where this function puts it.
    paraview.simple._DisableFirstRenderCameraReset()
    # One thin translucent body looks right without, in half the time.
    view = live.make_view(DepthPeeling=0)
    table = colours(view)

    wave = Contour(Input=reader, ContourBy=["POINTS", "ez"], Isosurfaces=[-STRONG, STRONG])
    SetProperties(
        Show(wave, view),
        ColorArrayName=["POINTS", "ez"],
        LookupTable=table,
        Specular=0.3,
        SpecularPower=30,
    )

    plane = Slice(Input=reader, SliceType="Plane")
    SetProperties(plane.SliceType, Origin=[middle[0], middle[1], low[2] + 0.32 * size[2]], Normal=[0, 0, 1])
    SetProperties(
        Show(plane, view), ColorArrayName=["POINTS", "ez"], LookupTable=table, Ambient=1, Diffuse=0
    )

    glass = Contour(Input=geometry, ContourBy=["POINTS", "eps"], Isosurfaces=[3])
    SetProperties(
        Show(glass, view),
        ColorArrayName=[None, ""],
        DiffuseColor=[0.75, 0.85, 1],
        AmbientColor=[0.75, 0.85, 1],
        Opacity=0.22,
        Specular=0.6,
    )

    live.outline(geometry, view)

    text = live.caption(view)

    reach = max(size)
    view.CameraFocalPoint = [middle[0], middle[1], middle[2] - 0.04 * reach]
    view.CameraPosition = [middle[0] + 0.25 * reach, middle[1] - 1.45 * reach, middle[2] + 1.25 * reach]
    view.CameraViewUp = [0, 0, 1]
    return view, text


def main():
    import paraviewdsm

    arguments = live.options(__doc__, memory="256 MiB")

    geometry = view = None
    with paraviewdsm.Server(
        contact=arguments.contact, memory_per_host=arguments.memory, when_full="block"
    ) as server:
        reader = server.reader()
        for snapshot in server.snapshots(timeout=arguments.timeout):
            if "-eps-" in os.path.basename(snapshot.file):
                # The permittivity comes once, at the beginning.
                geometry = server.open(snapshot)
                geometry.UpdatePipeline()
                continue
            reader.UpdatePipeline(snapshot.time)
            if view is None:
                view, text = scene(reader, geometry)
            text.Text = f"time {snapshot.time:.2f}"
            live.save(view, snapshot, arguments.pictures)
            print(live.report(snapshot), flush=True)


if __name__ == "__main__":
    main()

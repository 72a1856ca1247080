# SPDX-License-Identifier: BSD-3-Clause
"""Shows a running Gray-Scott simulation: one picture per snapshot.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch gray_scott.py --contact run.dsm
    dsm-run --contact run.dsm mpiexec -n 3 gray_scott
"""

import paraview.simple
from paraview.simple import (
    Clip,
    Contour,
    CreateRenderView,
    GetColorTransferFunction,
    SetProperties,
    Show,
    Slice,
)

import live


def colours(field, preset, low, high, title, view, position, inverted=False):
    """A colour map of fixed range, so that a colour means the same in every picture, and its legend."""
    table = GetColorTransferFunction(field)
    table.AutomaticRescaleRangeMode = "Never"
    table.ApplyPreset(preset, True)
    if inverted:
        table.InvertTransferFunction()
    table.RescaleTransferFunction(low, high)
    live.legend(table, view, title, position)
    return table


def scene(reader):
    """Builds the pipeline on a reader whose data is there; returns the view and the text in it.

    A plane shows v; the surface v = 0.2 stands on it, coloured by u. What lies below the plane is
    cut off, so that one sees where the surface meets it.
    """
    b = reader.GetDataInformation().GetBounds()
    low, high = b[0::2], b[1::2]
    size = [end - begin for begin, end in zip(low, high, strict=True)]
    middle = [(begin + end) / 2 for begin, end in zip(low, high, strict=True)]
    cut = [middle[0], middle[1], low[2] + 0.34 * size[2]]

    # The camera stands where this function puts it.
    paraview.simple._DisableFirstRenderCameraReset()
    view = CreateRenderView(
        ViewSize=[1280, 800],
        UseColorPaletteForBackground=0,
        BackgroundColorMode="Gradient",
        Background=[0.16, 0.19, 0.28],
        Background2=[0.04, 0.05, 0.09],
        OrientationAxesVisibility=0,
    )

    surface = Contour(Input=reader, ContourBy=["POINTS", "v"], Isosurfaces=[0.2])
    upper = Clip(Input=surface, ClipType="Plane", Invert=0)
    SetProperties(upper.ClipType, Origin=cut, Normal=[0, 0, 1])
    SetProperties(
        Show(upper, view),
        ColorArrayName=["POINTS", "u"],
        LookupTable=colours("u", "Inferno (matplotlib)", 0.3, 0.6, "u where v = 0.2", view, [0.88, 0.56]),
        Specular=0.35,
        SpecularPower=30,
    )

    plane = Slice(Input=reader, SliceType="Plane")
    SetProperties(plane.SliceType, Origin=cut, Normal=[0, 0, 1])
    SetProperties(
        Show(plane, view),
        ColorArrayName=["POINTS", "v"],
        LookupTable=colours("v", "Linear Blue (8_31f)", 0, 0.45, "v", view, [0.88, 0.16], inverted=True),
        Ambient=1,
        Diffuse=0,
    )

    outline = Show(reader, view)
    outline.SetRepresentationType("Outline")
    SetProperties(outline, ColorArrayName=[None, ""], AmbientColor=live.DIM, DiffuseColor=live.DIM, LineWidth=1.5)

    text = live.caption(view)

    reach = max(size)
    view.CameraFocalPoint = [middle[0], middle[1], middle[2] - 0.05 * reach]
    view.CameraPosition = [middle[0] + 1.14 * reach, middle[1] - 2.42 * reach, middle[2] + 1.55 * reach]
    view.CameraViewUp = [0, 0, 1]
    return view, text


def main():
    import paraviewdsm

    arguments = live.options(__doc__, memory="256 MiB")

    view = None
    with paraviewdsm.Server(
        contact=arguments.contact, memory_per_host=arguments.memory, when_full="block"
    ) as server:
        reader = server.reader()
        for snapshot in server.snapshots(timeout=arguments.timeout):
            reader.UpdatePipeline(snapshot.time)
            if view is None:
                view, text = scene(reader)
            text.Text = f"step {snapshot.step:.0f}   time {snapshot.time:.1f}"
            live.save(view, snapshot, arguments.pictures)
            print(live.report(snapshot), flush=True)


if __name__ == "__main__":
    main()

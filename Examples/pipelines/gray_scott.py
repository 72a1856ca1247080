# SPDX-License-Identifier: BSD-3-Clause
"""Shows a running Gray-Scott simulation: one picture per snapshot.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch gray_scott.py --contact run.dsm
    dsm-run --contact run.dsm mpiexec -n 3 gray_scott
"""

import paraview.simple
from paraview.simple import (
    Clip,
    Contour,
    GetColorTransferFunction,
    SetProperties,
    Show,
    Slice,
)

import live
import paraviewdsm


def colours(field, preset, low, high, inverted=False):
    """A colour map of fixed range, so that a colour means the same in every picture."""
    table = GetColorTransferFunction(field)
    table.AutomaticRescaleRangeMode = "Never"
    paraviewdsm.apply_preset(table, preset)
    if inverted:
        table.InvertTransferFunction()
    table.RescaleTransferFunction(low, high)
    return table


def box_of(source):
    """Lower corner, size and middle of what a source has."""
    bounds = source.GetDataInformation().GetBounds()
    low, high = bounds[0::2], bounds[1::2]
    return (
        low,
        [end - begin for begin, end in zip(low, high, strict=True)],
        [(begin + end) / 2 for begin, end in zip(low, high, strict=True)],
    )


def cut(source):
    """Where the plane is."""
    low, size, middle = box_of(source)
    return {"Origin": [middle[0], middle[1], low[2] + 0.34 * size[2]], "Normal": [0, 0, 1]}


def make_view(size):
    """A view whose camera stays where it is put."""
    paraview.simple._DisableFirstRenderCameraReset()
    return live.make_view(size)


def draw_plane(source, view, field, table):
    """A plane through the box with the colours of a field."""
    plane = Slice(Input=source, SliceType="Plane")
    SetProperties(plane.SliceType, **cut(source))
    SetProperties(
        Show(plane, view),
        ColorArrayName=["POINTS", field],
        LookupTable=table,
        Ambient=1,
        Diffuse=0,
    )
    live.outline(source, view)


def draw(source, view):
    """A plane shows v; the surface v = 0.2 stands on it, coloured by u. What lies below the plane is cut off, so that
    one sees where the surface meets it. Returns the colours of u and of v."""
    of_u = colours("u", "Inferno", 0.3, 0.6)
    of_v = colours("v", "Linear Blue (8_31f)", 0, 0.45, inverted=True)
    surface = Contour(Input=source, ContourBy=["POINTS", "v"], Isosurfaces=[0.2])
    upper = Clip(Input=surface, ClipType="Plane", Invert=0)
    SetProperties(upper.ClipType, **cut(source))
    SetProperties(
        Show(upper, view),
        ColorArrayName=["POINTS", "u"],
        LookupTable=of_u,
        Specular=0.35,
        SpecularPower=30,
    )
    draw_plane(source, view, "v", of_v)
    return of_u, of_v


def look(view, middle, reach):
    """From above and in front, at something so large."""
    view.CameraFocalPoint = [middle[0], middle[1], middle[2] - 0.05 * reach]
    view.CameraPosition = [middle[0] + 1.14 * reach, middle[1] - 2.42 * reach, middle[2] + 1.55 * reach]
    view.CameraViewUp = [0, 0, 1]


def scene(reader):
    """Builds the pipeline on a reader whose data is there; returns the view and the text in it."""
    view = make_view([1280, 800])
    of_u, of_v = draw(reader, view)
    live.legend(of_u, view, "u where v = 0.2", [0.88, 0.56])
    live.legend(of_v, view, "v", [0.88, 0.16])
    text = live.caption(view)
    _, size, middle = box_of(reader)
    look(view, middle, max(size))
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

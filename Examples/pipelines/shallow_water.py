# SPDX-License-Identifier: BSD-3-Clause
"""Shows running waves, one picture per snapshot, and steers them on the way.

    PYTHONPATH=<build>/lib/paraview-dsm mpiexec -n 2 pvbatch shallow_water.py --contact run.dsm
    dsm-run --contact run.dsm mpiexec -n 3 shallow_water
"""

import paraview.simple
from paraview.simple import (
    GetColorTransferFunction,
    SetProperties,
    Show,
    WarpByScalar,
)

import live

# What happens at which snapshot: parameters that change, and commands. Positions are shares of the grid.
SCRIPT = {
    6: {"set": {"rain": False, "drop height": 0.6, "drop position": (0.75, 0.7)}, "command": "drop"},
    12: {"set": {"boundary": "open sea"}},
    18: {"set": {"boundary": "walls", "drop position": (0.2, 0.5)}, "command": "drop"},
    22: {"set": {"gravity": 3.0}},
}


def scene(reader):
    """Builds the pipeline on a reader whose data is there; returns the view and the text in it."""
    b = reader.GetDataInformation().GetBounds()
    width, depth = b[1] - b[0], b[3] - b[2]
    middle = [b[0] + width / 2, b[2] + depth / 2]
    reach = max(width, depth)

    # The camera stands where this function puts it.
    paraview.simple._DisableFirstRenderCameraReset()
    view = live.make_view()
    # The same colours in every picture: still water has height 1.
    table = GetColorTransferFunction("height")
    SetProperties(
        table,
        AutomaticRescaleRangeMode="Never",
        ColorSpace="Lab",
        RGBPoints=[
            *(0.85, 0.01, 0.06, 0.2),
            *(1.0, 0.05, 0.33, 0.6),
            *(1.08, 0.35, 0.75, 0.85),
            *(1.25, 0.97, 0.99, 1.0),
        ],
    )
    surface = WarpByScalar(Input=reader, Scalars=["POINTS", "height"], ScaleFactor=0.22 * reach)
    SetProperties(
        Show(surface, view), ColorArrayName=["POINTS", "height"], LookupTable=table, Specular=0.5, SpecularPower=40
    )
    text = live.caption(view)

    level = 0.22 * reach
    view.CameraFocalPoint = [middle[0] - 0.03 * reach, middle[1] - 0.05 * reach, level]
    view.CameraPosition = [middle[0] + 0.3 * reach, middle[1] - 1.3 * reach, level + 0.95 * reach]
    view.CameraViewUp = [0, 0, 1]
    return view, text


def steer(server, number):
    """Carries out what the script has for this snapshot; returns it in words."""
    import paraviewdsm

    what = SCRIPT.get(number)
    if not what:
        return ""
    try:
        offered = {known["name"]: known for known in server.steering().describe()["declarations"]["parameters"]}
        for name, given in what["set"].items():
            value = given
            if name == "drop position":
                # The default stands at 0.3 and 0.4 of the grid.
                x, y, _ = offered[name]["default"]
                value = (given[0] * x / 0.3, given[1] * y / 0.4, 0)
            server.parameters[name] = value
        commands = [(what["command"], None)] if "command" in what else []
        # It takes effect in the simulation's next step; the picture shows it some snapshots later.
        server.steering().apply(timeout=0, commands=commands)
    except paraviewdsm.Error as error:
        server.parameters.reset()
        return f"  not steered: {error}"
    return "  " + ", ".join(
        [*(f"{name} = {value}" for name, value in what["set"].items()), *(name for name, _ in commands)]
    )


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
                view, text = scene(reader)
            text.Text = f"step {snapshot.step:.0f}   time {snapshot.time:.1f}"
            live.save(view, snapshot, arguments.pictures)
            print(live.report(snapshot) + steer(server, snapshot.number), flush=True)


if __name__ == "__main__":
    main()

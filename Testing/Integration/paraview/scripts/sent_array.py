# SPDX-License-Identifier: BSD-3-Clause
"""Sends arrays from all kinds of pipelines to array_simulation.py."""

import os

from paraview.simple import (
    AppendDatasets,
    Calculator,
    Disk,
    OutputPort,
    Plane,
    PointDatatoCellData,
    ProgrammableSource,
    Sphere,
    Transform,
    Wavelet,
)

import paraviewdsm
from reporting import report

folder = os.environ["DSM_TEST_FOLDER"]
sent, refused = [], {}

# The field has 31 x 40 values: these have as many points, or cells.
points = Wavelet(WholeExtent=[0, 39, 0, 30, 0, 0])
cells = Wavelet(WholeExtent=[0, 40, 0, 31, 0, 0])
# 100 x + y is what the expected values are made of, exactly.
LINEAR = "100*coordsX + coordsY"
linear = Calculator(Input=points, Function=LINEAR, ResultArrayName="value")
plane = Plane(Origin=[-60, -60, 0], Point1=[60, -60, 0], Point2=[-60, 60, 0], XResolution=7, YResolution=9)
on_plane = Calculator(Input=plane, Function=LINEAR, ResultArrayName="value")


def table(code):
    return ProgrammableSource(OutputDataSetType="vtkTable", Script=code)


with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="16 MiB") as server:
    server.steering().wait_for_simulation()

    def send(what, name, source, *arguments, **options):
        try:
            outcome = server.send(name, source, *arguments, **options)
        except paraviewdsm.Error as error:
            refused[what] = str(error)
        else:
            sent.append([what, name, outcome["step"]])

    send("points", "field", linear, "value")
    of_cells = PointDatatoCellData(Input=Calculator(Input=cells, Function=LINEAR, ResultArrayName="value"))
    send("cells", "field", of_cells, "value")
    turned = Transform(Input=points)
    turned.Transform.Rotate = [0, 0, 30]
    send("structured points", "field", Calculator(Input=turned, Function=LINEAR, ResultArrayName="value"),
         ("POINTS", "value"))
    send("port", "field", OutputPort(linear, 0), "value")
    server.parameters["gain"] = 4.0
    send("with another value", "field", linear, "value")

    send("grid points", "field", on_plane, "value", grid=points)
    send("grid cells", "field", on_plane, "value", grid=cells)
    send("turned points", "field", on_plane, "value", grid=turned)
    turned_cells = Transform(Input=cells)
    turned_cells.Transform.Rotate = [0, 0, 30]
    send("turned cells", "field", on_plane, "value", grid=turned_cells)
    send("bounds", "field", on_plane, "value")
    wall = Plane(Origin=[0, 5, 0], Point1=[39, 5, 0], Point2=[0, 5, 30])
    send("bounds of a wall", "field", Calculator(Input=wall, Function="100*coordsX + coordsZ", ResultArrayName="value"),
         "value")
    send("volume", "volume", Calculator(Input=Wavelet(WholeExtent=[0, 39, 0, 30, 0, 20]),
                                        Function=LINEAR + " + 0.5*coordsZ", ResultArrayName="value"), "value")

    disk = Transform(Input=Disk(InnerRadius=0, OuterRadius=8, CircumferentialResolution=64))
    disk.Transform.Translate = [20.3, 15.2, 0]  # at its centre, no grid point
    send("disk", "mask", disk, grid=points)
    send("disk and outside", "field", disk, grid=points, outside=-1.5)

    numbers = "import numpy; from vtkmodules.util.numpy_support import numpy_to_vtk as to_vtk\n" \
              "def add(name, values):\n" \
              "    array = to_vtk(numpy.array(values), deep=1); array.SetName(name)\n" \
              "    self.GetOutput().AddColumn(array)\n" \
              "from vtkmodules.vtkParallelCore import vtkMultiProcessController as C\n" \
              "if C.GetGlobalController().GetLocalProcessId() == 0:\n    "
    send("table", "long", table(numbers + "add('n', [2**53 + 1, -(2**62) - 3, 0, 1, 2**63 - 1, -(2**63)])"), "n")
    send("rounded", "count", table(numbers + "add('n', [0.4, 0.6, -0.6, 2147483647.2, -2147483648.0, 7])"), "n")
    send("vectors", "arrows", table(numbers + "add('n', numpy.arange(21, dtype='float32').reshape(7, 3) / 4)"), "n")

    for what, values in (("too large", "[1, 2, 3, 4, 5, 3e9]"), ("no number", "[1, 2, 3, 4, 5, numpy.nan]")):
        send(what, "count", table(numbers + f"add('n', {values})"), "n")
    send("does not fit", "mask", linear, "value")
    send("no array", "field", linear, "velocity")
    send("no parameter", "nothing", linear, "value")
    send("a parameter that is no array", "gain", linear, "value")
    send("vectors in a plane", "field",
         Calculator(Input=plane, Function="coords", ResultArrayName="value"), "value", grid=points)
    send("four indices", "four", linear, "value")
    send("in parts", "field", AppendDatasets(Input=[of_cells]), "value")
    send("a wrong number", "arrows", table(numbers + "add('n', [1.0, 2.0])"), "n")
    send("nothing", "field", table("pass"), "n")
    # A surface has no inside.
    send("surface", "mask", Sphere(Center=[20, 15, 0], Radius=8), grid=points)
    send("the last", "field", linear, "value")
    server.command("stop")
report(sent=sent, refused=refused)

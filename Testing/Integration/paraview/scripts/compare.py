# SPDX-License-Identifier: BSD-3-Clause
"""Compares a run with its branch while that comes, and says what cannot be compared; tells where the runs come from."""

import os
import pathlib
import time

from paraview import simple

import paraviewdsm
from reporting import information, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
STREAM = "gray_scott.#.vtkhdf"


def refusal(*arguments, **options):
    """Why it is not made; and how many sources and views there are then."""
    try:
        server.compare(*arguments, **options)
    except paraviewdsm.Error as error:
        return str(error), len(simple.GetSources()), len(simple.GetViews())
    return "none", 0, 0


def largest(source, name):
    """The range of an array's values, all ranks'."""
    return list(source.PointData[name].GetRange())


def coloured(name):
    """The range of an array's colours."""
    points = list(simple.GetColorTransferFunction(name).RGBPoints)
    return [points[0], points[-4]]


def turned():
    """Where the other views look from when the first has been turned."""
    comparison.views[0].CameraPosition = [1, 2, 3]
    simple.Render(comparison.views[0])
    return [list(view.CameraPosition) for view in comparison.views]


with paraviewdsm.Server(contact=folder / "run.dsm", memory_per_host="16 MiB") as server:
    comparison = server.compare(f"{STREAM}@1", f"{STREAM}@2", titles=("first", "branch"), timeout=60)
    end = time.monotonic() + 60
    while not (folder / "go").exists():
        assert time.monotonic() < end, "the simulations do not end"
        time.sleep(0.05)
    server.wait()
    (apart,) = (array.Name for array in comparison.difference.PointData.values() if array.Name.startswith("abs("))
    name = apart.removeprefix("abs(Δ").removesuffix(")")
    simple.GetAnimationScene().GoToLast()
    simple.RenderAllViews()
    report(
        times=[information(reader, "ShownTime") for reader in comparison.readers],
        shown=[information(reader, "ShownSnapshot") for reader in comparison.readers],
        listed=[list(reader.TimestepValues) for reader in comparison.readers],
        difference=largest(comparison.difference, apart),
        array=apart,
        inLayout=[comparison.layout.GetViewLocation(view) for view in comparison.views],
        titles=[each.Input.Text for view in comparison.views for each in view.Representations
                if getattr(each, "Input", None) and each.Input.GetXMLName() == "TextSource"],
    )
    simple.GetAnimationScene().AnimationTime = comparison.readers[0].TimestepValues[0]
    simple.RenderAllViews()
    report(
        atFirst=[information(reader, "ShownTime") for reader in comparison.readers],
        coloured=[coloured(name), coloured(apart)],
        values=[largest(reader, name) for reader in comparison.readers],
        turned=turned(),
        noTime=refusal(f"{STREAM}@1", "other.#.h5"),
        otherMesh=refusal(f"{STREAM}@1", f"{STREAM}@3"),
        noArray=refusal(f"{STREAM}@1", f"{STREAM}@2", array="w"),
        runs=[
            [run.number, run.program, run.is_branch, run.origin and [run.origin.run, run.origin.step, run.origin.file],
             {name: list(values) for name, values in run.changed.items()}]
            for run in server.runs()
        ],
    )

# SPDX-License-Identifier: BSD-3-Clause
"""Steers Gray-Scott and takes a picture of each snapshot, and of the files of a run nobody steered.

A picture shows u in the plane in which the reagent is dropped, gray, ten pixels to a point: what is
where in it can be told.
"""

import os

import paraviewdsm
from paraview.simple import (
    CreateRenderView,
    Delete,
    GetColorTransferFunction,
    OpenDataFile,
    SaveScreenshot,
    SetProperties,
    Show,
    Slice,
    _DisableFirstRenderCameraReset,
)
from reporting import report

folder = os.environ["DSM_TEST_FOLDER"]
size = int(os.environ["DSM_TEST_SIZE"])
place = [float(number) for number in os.environ["DSM_TEST_PLACE"].split(",")]


def picture(source, name):
    _DisableFirstRenderCameraReset()
    middle = (size - 1) / 2
    view = CreateRenderView(
        ViewSize=[10 * size, 10 * size], OrientationAxesVisibility=0, CameraParallelProjection=1,
        CameraParallelScale=size / 2, CameraFocalPoint=[middle, middle, place[2]],
        CameraPosition=[middle, middle, place[2] + 50], CameraViewUp=[0, 1, 0],
        UseColorPaletteForBackground=0, Background=[1, 0, 0])
    plane = Slice(Input=source, SliceType="Plane")
    SetProperties(plane.SliceType, Origin=[middle, middle, place[2]], Normal=[0, 0, 1])
    table = GetColorTransferFunction("u")
    SetProperties(table, AutomaticRescaleRangeMode="Never", ColorSpace="RGB", RGBPoints=[0, 0, 0, 0, 1, 1, 1, 1])
    shown = Show(plane, view)
    SetProperties(shown, ColorArrayName=["POINTS", "u"], LookupTable=table, Ambient=1, Diffuse=0)
    shown.SetScalarBarVisibility(view, False)
    SaveScreenshot(f"{folder}/{name}.png", view, ImageResolution=view.ViewSize)
    Delete(plane)
    Delete(view)


with paraviewdsm.Server(contact=f"{folder}/steer.dsm", memory_per_host="16 MiB") as server:
    # The simulation began paused.
    server.steering().wait_for_simulation()
    server.advance(1)
    # The change and the order to write it are one: the snapshot shows what was done at this step.
    server.parameters["feed"] = 0
    server.parameters["drop position"] = place
    server.parameters["drop radius"] = float(os.environ["DSM_TEST_RADIUS"])
    applied = server.steering().apply(commands=[("drop reagent", None), ("write snapshot", None), ("resume", None)])
    report(applied=[applied["state"], applied["step"]])
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        picture(reader, f"steered.{snapshot.step:.0f}")
        server.save(snapshot, f"{folder}/steered.{snapshot.step:05.0f}.vtkhdf")
for step in (0, int(os.environ["DSM_TEST_STEPS"])):
    picture(OpenDataFile(f"{folder}/disk/gray_scott.{step:05d}.vtkhdf"), f"disk.{step}")

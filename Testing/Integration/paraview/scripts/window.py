# SPDX-License-Identifier: BSD-3-Clause
"""Runs in ParaView's window, connected to a pvserver whose ranks host."""

import json
import os

from paraview import servermanager, simple

import paraviewdsm

folder = os.environ["DSM_TEST_FOLDER"]
steps = []
manager = servermanager.vtkSMProxyManager.GetProxyManager().GetPluginManager()
session = servermanager.ActiveConnection.Session


def loaded(information):
    return any(
        information.GetPluginName(i) == "ParaViewDSM" and information.GetPluginLoaded(i)
        for i in range(information.GetNumberOfPlugins())
    )


with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="16 MiB") as server:
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        steps.append(snapshot.step)
    view = simple.GetActiveViewOrCreate("RenderView")
    surface = simple.Contour(Input=reader, ContourBy=["POINTS", "v"], Isosurfaces=[0.2])
    simple.ColorBy(simple.Show(surface, view), ("POINTS", "u"))
    simple.Show(reader, view).SetRepresentationType("Outline")
    view.ViewTime = snapshot.time
    view.ResetCamera()
    simple.Render(view)
    simple.SaveScreenshot(f"{folder}/view.png", view, ImageResolution=[640, 480])
    seen = {
        "steps": steps,
        "ranks": servermanager.ActiveConnection.GetNumberOfDataPartitions(),
        "remote": loaded(manager.GetRemoteInformation(session)),
        "local": loaded(manager.GetLocalInformation()),
    }
with open(f"{folder}/seen.part", "w") as file:
    json.dump(seen, file)
os.rename(f"{folder}/seen.part", f"{folder}/seen.json")

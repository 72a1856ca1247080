# SPDX-License-Identifier: BSD-3-Clause
"""Asks for the status just before a command, and just behind it, as the panel does."""

import json
import os

from paraview import servermanager

import paraviewdsm
from reporting import report

paraviewdsm.load()
folder = os.environ["DSM_TEST_FOLDER"]
server = servermanager.ProxyManager().SMProxyManager.NewProxy("misc", "DSMServer")
server.UpdateVTKObjects()


def setting(name):
    return servermanager.vtkSMPropertyHelper(server, name)


def restored():
    server.UpdatePropertyInformation()
    return json.loads(setting("ServerStatus").GetAsString()).get("Restored")


for name, value in {"ContactFile": f"{folder}/run.dsm", "MemoryPerHost": 8, "Live": 1, "Active": 1}.items():
    setting(name).Set(value)
server.UpdateVTKObjects()
setting("RestorePath").Set(f"{folder}/nowhere.h5")
setting("RestoreName").Set(f"{folder}/nowhere.h5")
server.UpdateVTKObjects()
before = restored()
server.InvokeCommand("Restore")
report(before=before, behind=restored()["Path"])
setting("Active").Set(0)
server.UpdateVTKObjects()

# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: F403, F405 (as scripts do; what LoadPlugin adds is found among these names)
"""Uses the plugin as a script does that has no package of ours: by ParaView's LoadPlugin, or as it was loaded."""

import json
import os
import sys

from paraview import servermanager
from paraview.simple import *

_, how, plugin, port, folder = sys.argv
if port != "0":
    Connect("localhost", int(port))
if how != "there":
    LoadPlugin(plugin, remote=how == "remote", ns=globals())
server = servermanager.ProxyManager().SMProxyManager.NewProxy("misc", "DSMServer")
server.UpdateVTKObjects()


def setting(name):
    return servermanager.vtkSMPropertyHelper(server, name)


def told(*names):
    server.UpdatePropertyInformation()
    return [setting(name).GetAsString() for name in names]


for name, value in {"ContactFile": f"{folder}/run.dsm", "MemoryPerHost": 8, "Active": 1}.items():
    setting(name).Set(value)
server.UpdateVTKObjects()
found = [*told("State", "CommandError"), setting("NumberOfHosts").GetAsInt(), setting("MemoryBudget").GetAsIdType()]
# The XML's defaults have reached the object.
found += [setting("EffectiveMaximumSnapshots").GetAsInt(), setting("EffectiveLongestWait").GetAsDouble()]
reader = DSMReader(ContactFile=f"{folder}/run.dsm")
reader.UpdatePipeline()
reader.SMProxy.UpdatePropertyInformation()
found += [servermanager.vtkSMPropertyHelper(reader.SMProxy, "ErrorText").GetAsString()]
setting("Active").Set(0)
server.UpdateVTKObjects()
with open(f"{folder}/found.{os.getpid()}.json", "w") as file:
    json.dump(found + told("State"), file)

# SPDX-License-Identifier: BSD-3-Clause
"""A ParaView that hosts nothing: opens the contact file of others, and follows what they have."""

import json
import os
import time

from paraview import servermanager, simple

import paraviewdsm
from reporting import information

folder = os.environ["DSM_TEST_FOLDER"]
if os.environ.get("DSM_TEST_PORT"):
    simple.Connect("localhost", int(os.environ["DSM_TEST_PORT"]))
paraviewdsm.load()

# As File > Open does.
factory = servermanager.vtkSMProxyManager.GetProxyManager().GetReaderFactory()
session = servermanager.ActiveConnection.Session
found = {
    "offered": "*.dsm" in factory.GetSupportedFileTypes(session),
    "other": bool(factory.CanReadFile(f"{folder}/other.dsm", session)),
}
reader = simple.OpenDataFile(f"{folder}/run.dsm")
found["proxy"] = reader.GetXMLName()


def listed():
    reader.SMProxy.InvokeCommand("Refresh")
    reader.MarkModified(reader.SMProxy)
    reader.UpdatePipelineInformation()
    numbers = information(reader, "ListedSnapshots")
    return numbers if isinstance(numbers, list) else [numbers]


def wait_for(numbers):
    end = time.monotonic() + 60
    while listed() != numbers:
        assert time.monotonic() < end, f"{listed()} instead of {numbers}"
        time.sleep(0.05)


# The simulation waits until one of its two files was read: looking at their names and times is not reading.
wait_for([1, 2])
found["times"] = list(reader.TimestepValues)
found["contents"] = information(reader, "FileContents")[::3]
found["waits"] = listed() == [1, 2]
reader.UpdatePipeline(found["times"][1])
found["first"] = [
    information(reader, "ShownSnapshot"),
    reader.GetDataInformation().GetNumberOfPoints(),
    reader.PointData.keys(),
]
wait_for([1, 3])
reader.UpdatePipeline()
found["newest"] = information(reader, "ShownSnapshot")
with open(f"{folder}/found.json", "w") as file:
    json.dump(found, file)

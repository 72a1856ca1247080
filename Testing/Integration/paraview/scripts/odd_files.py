# SPDX-License-Identifier: BSD-3-Clause
"""Reads files that nobody would write on purpose, or only somebody with other purposes, in one process and on the ranks
of a pvserver."""

import glob
import json
import os

from paraview import simple

import paraviewdsm
from paraviewdsm import _proxy

folder = os.environ["DSM_TEST_FOLDER"]
if os.environ["DSM_TEST_PORT"] != "0":
    simple.Connect("localhost", int(os.environ["DSM_TEST_PORT"]))
paraviewdsm.load()

found = {}
for file in sorted(glob.glob(f"{folder}/files/*.h5")):
    reader = simple.DSMFileReader(FileName=file)
    name = os.path.basename(file)[:-3]
    for kind in ("automatic", "VTKHDF", "XDMF", "image", "table", "points"):
        reader.ReadAs = kind
        reader.UpdatePipeline()
        # One rank alone may have met what is broken.
        reader.SMProxy.InvokeCommand("ShareErrors")
        recognised, because, error = _proxy.scalar(reader.SMProxy, "RecognisedAs", "RecognisedBecause", "ErrorText")
        told = reader.GetDataInformation()
        arrays = [told.GetPointDataInformation(), told.GetRowDataInformation()]
        named = {
            one.GetArrayInformation(index).GetName(): [
                one.GetArrayInformation(index).GetNumberOfComponents(),
                *one.GetArrayInformation(index).GetComponentRange(0),
            ]
            for one in arrays for index in range(one.GetNumberOfArrays())
        }
        found.setdefault(name, {})[kind] = [recognised if not error else "", error, named, because]
    simple.Delete(reader)
with open(f"{folder}/found.json", "w") as file:
    json.dump(found, file)

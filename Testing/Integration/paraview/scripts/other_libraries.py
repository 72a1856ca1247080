# SPDX-License-Identifier: BSD-3-Clause
"""Uses the plugin in a process whose HDF5 or MPI seems to be another than it was built with."""

import ctypes
import json
import os

if "DSM_TEST_SECOND" in os.environ:
    ctypes.CDLL(os.environ["DSM_TEST_SECOND"])

import paraviewdsm

paraviewdsm.load()

from paraview.simple import DSMFileReader, DSMReader
from reporting import information

folder = os.environ["DSM_TEST_FOLDER"]
found = {}
for name, reader in (("file", DSMFileReader(FileName=f"{folder}/x.h5")), ("live", DSMReader(ContactFile=f"{folder}/x.dsm"))):
    reader.UpdatePipeline()
    found[name] = information(reader, "ErrorText")
try:
    paraviewdsm.Server(contact=f"{folder}/x.dsm", memory_per_host="8 MiB").stop()
    found["server"] = "started"
except paraviewdsm.Error as error:
    found["server"] = str(error)
with open(f"{folder}/found.json", "w") as file:
    json.dump(found, file)

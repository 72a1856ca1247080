# SPDX-License-Identifier: BSD-3-Clause
"""Uses the plugin in a process whose HDF5 or MPI seems to be another than it was built with."""

import ctypes
import json
import os

if "DSM_TEST_SECOND" in os.environ:
    ctypes.CDLL(os.environ["DSM_TEST_SECOND"])

# Behind that library, as in a process that has it already.
from paraview import simple

import paraviewdsm
from reporting import information

paraviewdsm.load()

folder = os.environ["DSM_TEST_FOLDER"]
found = {}
readers = {
    "file": simple.DSMFileReader(FileName=f"{folder}/x.h5"),
    "live": simple.DSMReader(ContactFile=f"{folder}/x.dsm"),
}
for name, reader in readers.items():
    reader.UpdatePipeline()
    found[name] = information(reader, "ErrorText")
try:
    paraviewdsm.Server(contact=f"{folder}/x.dsm", memory_per_host="8 MiB").stop()
    found["server"] = "started"
except paraviewdsm.Error as error:
    found["server"] = str(error)
with open(f"{folder}/found.json", "w") as file:
    json.dump(found, file)

# SPDX-License-Identifier: BSD-3-Clause
"""A client of a pvserver, whose ranks host."""

import json
import os

from paraview import simple

import paraviewdsm

folder = os.environ["DSM_TEST_FOLDER"]
simple.Connect("localhost", int(os.environ["DSM_TEST_PORT"]))
seen = []
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="16 MiB") as server:
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        extent = list(reader.GetDataInformation().GetExtent())
        seen.append([snapshot.number, snapshot.time, sorted(reader.PointData.keys()), extent])
    budget = server.status().memory_budget
with open(f"{folder}/seen.json", "w") as file:
    json.dump({"seen": seen, "budget": budget}, file)

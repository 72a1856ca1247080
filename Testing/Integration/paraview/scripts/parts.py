# SPDX-License-Identifier: BSD-3-Clause
"""Shows each snapshot of parts_writer.py, and saves the last."""

import os

from paraview import simple

import paraviewdsm
from reporting import on_every_rank, report

folder = os.environ["DSM_TEST_FOLDER"]
LOOK = """
from reporting import found
from vtkmodules.util.numpy_support import vtk_to_numpy
leaves, parts = data.NewIterator(), []
leaves.InitTraversal()
while not leaves.IsDoneWithTraversal():
    points = leaves.GetCurrentDataObject()
    ids, u = (vtk_to_numpy(points.GetPointData().GetArray(name)).tolist() for name in ("id", "u"))
    x = vtk_to_numpy(points.GetPoints().GetData())[:, 0].tolist()
    parts.append([ids, sorted(set(u)), [x[0], x[-1]]])
    leaves.GoToNextItem()
report(data=found().get("data", []) + [parts])
"""

seen = []
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="16 MiB", maximum_snapshots=2,
                        when_full="block") as server:
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        seen.append([snapshot.file, snapshot.files, snapshot.step, snapshot.time, snapshot.size])
        on_every_rank(reader, LOOK, snapshot.time)
        server.save(snapshot, f"{folder}/saved")
    # Also by a reader that has shown nothing before.
    on_every_rank(simple.DSMReader(ContactFile=server.contact, Snapshot=snapshot.number), LOOK)
    status = server.status()
report(seen=seen, listed=status.numbers, sealed=status.sealed, error=status.last_error)

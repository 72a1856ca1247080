# SPDX-License-Identifier: BSD-3-Clause
"""Shows each flush of flush_writer.py's one file."""

import os

import paraviewdsm
from reporting import on_every_rank, report

folder = os.environ["DSM_TEST_FOLDER"]
CHECK = """
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
x0, x1, y0, y1, z0, z1 = data.GetExtent()
expected = (numpy.arange(12 * 7 * 9, dtype="f8").reshape(12, 7, 9) + 1000 * {step} + 7)[z0:z1 + 1, y0:y1 + 1, x0:x1 + 1]
found = vtk_to_numpy(data.GetPointData().GetArray("ez")).reshape(expected.shape)
if not (found == expected).all():
    report(wrong={step})
"""

with paraviewdsm.Server(
    contact=f"{folder}/run.dsm", memory_per_host="1 MiB", block_size="1 KiB", maximum_snapshots=2, when_full="block",
    publish="flush", match="nothing",
) as server:
    server.match = "run*"
    server.declare("flush_writer", [{"name": "offset", "default": 0.5, "maximum": 10}])
    server.parameters["offset"] = 11
    try:
        server.apply()
    except paraviewdsm.Refused as refused:
        reasons = refused.reasons
    server.parameters["offset"] = 7
    change = server.apply(timeout=0)
    with open(f"{folder}/declared.{os.getpid()}", "w"):
        pass
    times, steps = [], []
    for snapshot in server.snapshots(timeout=60):
        times.append(snapshot.time)
        steps.append(snapshot.step)
        if len(steps) == 3:
            saved = server.write_to_disk(f"{folder}/saved.hdf")
            told = server.steering().outcome(change)
        on_every_rank(server.reader(), CHECK.format(step=len(steps)), snapshot.time)
    status = server.status()
report(times=times, steps=steps, abandoned=status.abandoned, error=status.last_error, saved=saved, told=told["state"],
       reason=reasons["offset"])

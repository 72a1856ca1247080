# SPDX-License-Identifier: BSD-3-Clause
"""Shows what plain_writer.py writes: its geometry by a source of its own, the field step by step."""

import os

import paraviewdsm
from reporting import information, on_every_rank, report

folder = os.environ["DSM_TEST_FOLDER"]
CHECK = """
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
x0, x1, y0, y1, z0, z1 = data.GetExtent()
index = numpy.arange(12 * 7 * 9, dtype="f8").reshape(12, 7, 9)
expected = ({expected})[z0:z1 + 1, y0:y1 + 1, x0:x1 + 1]
found = vtk_to_numpy(data.GetPointData().GetArray("{array}")).reshape(expected.shape)
if not (found == expected).all():
    report(wrong="{array} {number}")
"""

times, steps = [], []
# Lock step: there is room for two files only, and the writer waits for us.
with paraviewdsm.Server(
    contact=f"{folder}/run.dsm", memory_per_host="1 MiB", block_size="1 KiB", maximum_snapshots=2, when_full="block"
) as server:
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        if "-geometry-" in snapshot.file:
            geometry = server.open(snapshot)
            geometry.UpdatePipeline()
            continue
        times.append(snapshot.time)
        steps.append(snapshot.step)
        on_every_rank(
            reader,
            CHECK.format(array="ez", expected=f"index + 1000 * {len(steps)}", number=snapshot.number),
            snapshot.time,
        )
        # Long gone from the ring, and still what it was; at any time.
        on_every_rank(geometry, CHECK.format(array="eps", expected="-index", number=snapshot.number), snapshot.time)
    status = server.status()
report(times=times, steps=steps, dropped=status.dropped, sealed=status.sealed, error=information(geometry, "ErrorText"))

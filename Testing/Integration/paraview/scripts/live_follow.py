# SPDX-License-Identifier: BSD-3-Clause
"""Follows fast_writer.py, which is faster, with the smallest ring: each rank tells what it read."""

import os
import pathlib
import time

import paraviewdsm
from paraview.simple import *
from reporting import information, onEveryRank, rank, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
LOOK = """
import numpy
from reporting import found
from vtkmodules.util.numpy_support import vtk_to_numpy
steps = set()
for index in range(data.GetPointData().GetNumberOfArrays()):
    steps.update(int(step) for step in numpy.unique(vtk_to_numpy(data.GetPointData().GetArray(index))))
report(seen=found().get("seen", []) + [sorted(steps)])
"""

errors, shown, instead = [], [], 0
with paraviewdsm.Server(
    contact=folder / "run.dsm", memory_per_host="2 MiB", block_size="4 KiB", maximum_snapshots=2, full_ring="drop oldest"
) as server:
    reader = server.reader()
    assert server.wait(timeout=60)
    for turn in range(24):
        server.refresh()
        times = list(reader.TimestepValues)
        at = times[-1]
        if turn % 4 == 3 and len(times) > 1:
            # The older of the two, when it has left the ring.
            at = times[0]
            last = server.status().sealed
            end = time.monotonic() + 60
            while server.status().sealed < last + 3:
                assert time.monotonic() < end, "the simulation does not write"
        # A filter of its own each time: this is what runs once per picture.
        looker = onEveryRank(reader, LOOK, at)
        shown.append(information(reader, "ShownSnapshot"))
        errors.append(information(reader, "ErrorText"))
        instead += information(reader, "ShownTime") != at
        Delete(looker)
    (folder / "enough").touch()
    while server.wait(timeout=60) is not None:
        pass  # until the simulation has ended
    status = server.status()
report(
    errors=sorted({error for error in errors if error}), trouble=status.last_error, shown=shown, instead=instead,
    dropped=status.dropped, sealed=status.sealed)

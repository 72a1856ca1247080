# SPDX-License-Identifier: BSD-3-Clause
"""Follows fast_writer.py, which is faster, with the smallest ring: each rank tells what it read."""

import os
import pathlib
import time

from paraview import simple

import paraviewdsm
from reporting import information, on_every_rank, rank, report

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


def two(server, reader):
    """The times of two snapshots: of these the reader keeps the newer, and the simulation soon drops the older. It
    computes for a while between its files until then, so that there are two."""
    if rank() == 0:
        (folder / "slow").touch()
    end = time.monotonic() + 60
    while len(times := list(reader.TimestepValues)) < 2:
        assert time.monotonic() < end, "the ring never has two snapshots"
        server.refresh()
    if rank() == 0:
        (folder / "slow").unlink()
    return times


errors, shown, waited, instead = [], [], 0, 0
with paraviewdsm.Server(
    contact=folder / "run.dsm",
    memory_per_host="2 MiB",
    block_size="4 KiB",
    maximum_snapshots=2,
    when_full="drop oldest",
) as server:
    reader = server.reader()
    assert server.wait(timeout=60)
    for turn in range(24):
        server.refresh()
        at = list(reader.TimestepValues)[-1]
        if turn % 4 == 3:
            # The older of the two, when it has left the ring.
            at = two(server, reader)[0]
            waited += 1
            last = server.status().sealed
            end = time.monotonic() + 60
            while server.status().sealed < last + 3:
                assert time.monotonic() < end, "the simulation does not write"
        # A filter of its own each time: this is what runs once per picture.
        looker = on_every_rank(reader, LOOK, at)
        shown.append(information(reader, "ShownSnapshot"))
        errors.append(information(reader, "ErrorText"))
        instead += information(reader, "ShownTime") != at
        simple.Delete(looker)
    (folder / "enough").touch()
    while server.wait(timeout=60) is not None:
        pass  # until the simulation has ended
    status = server.status()
report(
    errors=sorted({error for error in errors if error}), trouble=status.last_error, shown=shown, waited=waited,
    instead=instead,
    dropped=status.dropped, sealed=status.sealed)

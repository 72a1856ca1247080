# SPDX-License-Identifier: BSD-3-Clause
"""Holds the data of all snapshots of array_writer.py, which are more than the ring has room for."""

import collections
import os
import pathlib

import mapped_checks
import paraviewdsm
from reporting import report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
size = int(os.environ["DSM_TEST_SIZE"])
mapped_checks.held = collections.deque()
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host=os.environ["DSM_TEST_MEMORY"]) as server:
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        mapped_checks.see(reader.GetClientSideObject().GetOutputDataObject(0), round(snapshot.step), size)
    report(held=[step for step, data in mapped_checks.held])

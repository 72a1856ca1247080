# SPDX-License-Identifier: BSD-3-Clause
"""Looks at each snapshot of a file that grows by a step at a time, and then at all of them together as the window
does. Has the writer go on when a snapshot was seen."""

import os
import pathlib

from paraview import simple

import paraviewdsm
from reporting import report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])


def value(reader):
    return reader.PointData["u"].GetRange()


each, whole = [], []
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="16 MiB") as server:
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        each.append([snapshot.time, *value(reader)])
        if len(each) == 5:
            window = simple.DSMReader(ContactFile=f"{folder}/run.dsm")
            window.UpdatePipeline()
            newest = value(window)[0]
            for time in window.TimestepValues:
                window.UpdatePipeline(time)
                data = window.GetClientSideObject().GetOutputDataObject(0)
                whole.append([time, *value(window), data.GetInformation().Get(data.DATA_TIME_STEP())])
            report(each=each, whole=whole, newest=newest)
        (folder / f"seen {len(each)}").touch()

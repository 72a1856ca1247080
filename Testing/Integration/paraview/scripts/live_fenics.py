# SPDX-License-Identifier: BSD-3-Clause
"""Shows what a FEniCSx program writes, each time that its file is seen."""

import os
import pathlib

import paraviewdsm
from reporting import found, information, on_every_rank, report

folder = os.environ["DSM_TEST_FOLDER"]
# Each rank's points, what the function has there, and the cells.
COLLECT = """
from reporting import found
from vtkmodules.util.numpy_support import vtk_to_numpy
arrays = {name: data.GetPointData().GetArray(name) for name in "fv"}
seen = {name: vtk_to_numpy(array).tolist() for name, array in arrays.items() if array}
seen["time"] = data.GetInformation().Get(data.DATA_TIME_STEP())
seen["step"] = int(seen["f"][0] // 1000)
seen["points"], seen["cells"] = vtk_to_numpy(data.GetPoints().GetData()).tolist(), data.GetNumberOfCells()
report(seen=found().get("seen", []) + [seen])
"""
told = []
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB") as server:
    for snapshot in server.snapshots(timeout=120):
        reader = server.reader()
        reader.UpdatePipelineInformation()
        # Of the file's steps the last; the text, on disk, may name fewer than the file has by now, or more.
        steps = list(reader.TimestepValues)
        time = steps[-1] if steps else snapshot.time
        reader.UpdatePipeline(time)
        state = [information(reader, one) for one in ("RecognisedAs", "RecognisedBecause", "ErrorText")]
        told.append([*state, steps])
        if not state[2] and state[0] == "XDMF" and reader.PointData.GetArray("f"):
            on_every_rank(reader, COLLECT, time)
            pathlib.Path(f"{folder}/drawn.{found()['seen'][-1]['step']}").touch()
report(told=told)

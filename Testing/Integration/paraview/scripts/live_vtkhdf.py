# SPDX-License-Identifier: BSD-3-Clause
"""Shows each kind of VTKHDF file from memory, and compares it on every rank with what ParaView's own
reader gives there for the same file on disk."""

import os

import paraviewdsm
from reporting import information, on_every_rank, report

folder = os.environ["DSM_TEST_FOLDER"]
COMPARE = """
import reporting
from compare_data import as_on_disk
from vtkmodules.vtkParallelCore import vtkMultiProcessController

ranks = vtkMultiProcessController.GetGlobalController().GetNumberOfProcesses()
wrong, points = as_on_disk(data, "{folder}/disk/{name}.vtkhdf", rank(), ranks, {time})
seen = reporting.found()
report(
    wrong=seen.get("wrong", []) + ["{name} " + text for text in wrong],
    points=seen.get("points", {{}}) | {{"{name} {time}": points}},
)
"""

contents, times = {}, {}
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB", block_size="4 KiB") as server:
    for snapshot in server.snapshots(timeout=60):
        name = os.path.basename(snapshot.file).split(".")[0]
        reader = server.open(snapshot)
        reader.UpdatePipelineInformation()
        times[name] = list(reader.TimestepValues)
        # None: the last, as a pipeline that knows no time gets it.
        for time in [*times[name], None]:
            asked = time if time is not None else (times[name] or [None])[-1]
            on_every_rank(reader, COMPARE.format(folder=folder, name=name, time=asked), time)
            if information(reader, "ErrorText"):
                report(error=information(reader, "ErrorText"))
        contents[name] = information(reader, "FileContents")
        assert information(reader, "RecognisedAs") == "VTKHDF"
report(times=times, contents=contents)

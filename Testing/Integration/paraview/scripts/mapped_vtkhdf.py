# SPDX-License-Identifier: BSD-3-Clause
"""Shows what vtkhdf_large.py writes from memory, and compares it on every rank with what ParaView's own reader gives
there for the same file on disk."""

import os

import paraviewdsm
from reporting import information, on_every_rank, report

folder, disk = os.environ["DSM_TEST_FOLDER"], os.environ["DSM_TEST_DISK"]
COMPARE = """
import mapped_checks
mapped_checks.compare_with_disk(data, "{disk}/{name}.vtkhdf", "{name} {time}", {time})
"""

memory, errors = {}, []
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host=os.environ["DSM_TEST_MEMORY"]) as server:
    for snapshot in server.snapshots(timeout=60):
        name = os.path.basename(snapshot.file).split(".")[0]
        reader = server.open(snapshot)
        reader.UpdatePipelineInformation()
        for kind in ("PointArrays", "CellArrays"):
            status = reader.GetProperty(kind)
            setattr(reader, kind, [array for array in status.Available if array != "off"])
        for time in list(reader.TimestepValues) or [None]:
            on_every_rank(reader, COMPARE.format(disk=disk, name=name, time=time), time)
            notes = information(reader, "MemoryOfArrays")
            memory[f"{name} {time}"] = dict(zip(notes[::2], notes[1::2], strict=True))
            if information(reader, "ErrorText"):
                errors.append(information(reader, "ErrorText"))
report(memory=memory, errors=errors)

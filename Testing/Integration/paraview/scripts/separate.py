# SPDX-License-Identifier: BSD-3-Clause
"""Shows what processes of their own hold in memory, and saves each snapshot. DSM_TEST_LEAVE says how it ends: "stop"
(default), "leave" (the script ends, the memory stays), "die" (killed, after three snapshots) or "crash" (in the
reader, at the fourth)."""

import os
import signal

from paraview import simple

import paraviewdsm
from reporting import information, report

folder = os.environ["DSM_TEST_FOLDER"]
leave = os.environ.get("DSM_TEST_LEAVE", "stop")
saved = f"{folder}/saved"
os.makedirs(saved, exist_ok=True)

settings = {"when_full": "block", "memory_per_host": "4 MiB", "strategy": "contiguous"}
if leave == "stop":
    # It finds the others as they were.
    settings = {"block_size": "64 KiB"}
server = paraviewdsm.Server(contact=f"{folder}/run.dsm", separate=True, longest_wait=100, **settings)
status = server.status()
report(
    process=os.getpid(), attached=server.attached, at_start=status.numbers,
    hosts=information(server.proxy, "NumberOfHosts"),
    in_force=[server.when_full, server.memory_per_host, server.strategy, server.block_size],
)
seen, refused = [], {}
for snapshot in server.snapshots(timeout=100):
    reader = server.reader()
    reader.UpdatePipeline(snapshot.time)
    if error := information(reader, "ErrorText"):
        # Told what to read it as, it does.
        insisting = simple.DSMReader(ContactFile=server.contact, Snapshot=snapshot.number, ReadAs="VTKHDF")
        insisting.UpdatePipeline()
        refused[snapshot.number] = [error, insisting.GetDataInformation().GetNumberOfPoints()]
        simple.Delete(insisting)
    server.save(snapshot, f"{saved}/{os.path.basename(snapshot.file)}")
    seen.append(snapshot.number)
    report(seen=seen, points=reader.GetDataInformation().GetNumberOfPoints())
    if leave == "die" and len(seen) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if leave == "crash" and len(seen) == 3:
        os.environ["DSM_TEST_PRETEND"] = "crash"
report(state=server.status().state, refused=refused, crashes=status.crashes)
if leave == "stop":
    server.stop()

# SPDX-License-Identifier: BSD-3-Clause
"""Shows the first snapshot of array_writer.py, is suspended by the test, and looks whether it still has it."""

import os
import pathlib
import time

import mapped_checks
import paraviewdsm
from reporting import report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
size = int(os.environ["DSM_TEST_SIZE"])
server = paraviewdsm.Server(
    contact=f"{folder}/run.dsm", memory_per_host=os.environ["DSM_TEST_MEMORY"], separate=True
)
reader = server.reader()
snapshot = next(iter(server.snapshots(timeout=60)))
reader.UpdatePipeline(snapshot.time)
mapped_checks.see(reader.GetClientSideObject().GetOutputDataObject(0), round(snapshot.step), size)
report(process=os.getpid(), number=snapshot.number)
print("suspend me", flush=True)
while not (folder / "suspended").exists():
    time.sleep(0.01)
(step, data) = mapped_checks.held[0]
report(right=mapped_checks.is_right(data, step, size), private=mapped_checks.private_memory())
print("awake", flush=True)
while not (folder / "ended").exists():
    time.sleep(0.01)

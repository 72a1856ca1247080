# SPDX-License-Identifier: BSD-3-Clause
"""Follows a simulation whose files are to be on disk as well, from the third snapshot on, with what is in memory
then."""

import os
import pathlib

import paraviewdsm
from reporting import report

folder = os.environ["DSM_TEST_FOLDER"]


def on_disk():
    files = sorted(pathlib.Path(folder, "live").iterdir())
    return [file.name for file in files if b"paraview-dsm-placeholder" not in file.read_bytes()[:16384]]


refusals = []
try:
    paraviewdsm.Server(contact=f"{folder}/refused.dsm", also_on_disk="every 0")
except paraviewdsm.Error as error:
    refusals.append(str(error))
server = paraviewdsm.Server(
    contact=f"{folder}/run.dsm", memory_per_host="8 MiB", when_full="block", longest_wait=100,
    separate=bool(os.environ.get("DSM_TEST_SEPARATE")),
)
before = None
for snapshot in server.snapshots(timeout=100):
    server.reader().UpdatePipeline(snapshot.time)
    if snapshot.number == 3:
        before = on_disk()
        try:
            server.also_on_disk = "every"
        except paraviewdsm.Error as error:
            refusals.append(str(error))
        server.also_on_disk = "all"
status = server.status()
report(before=before, rule=server.also_on_disk, refusals=refusals, trouble=status.disk_trouble)
server.stop()
report(after=on_disk())

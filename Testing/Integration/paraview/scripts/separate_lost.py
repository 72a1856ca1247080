# SPDX-License-Identifier: BSD-3-Clause
"""Processes of their own hold the memory, and the test kills them: what the script is told, and a new beginning."""

import os
import time

import paraviewdsm
from reporting import report

contact = f"{os.environ['DSM_TEST_FOLDER']}/run.dsm"
server = paraviewdsm.Server(contact=contact, memory_per_host="4 MiB", separate=True)
print("killing", flush=True)
end = time.monotonic() + 60
while server.status().state == "listening" and time.monotonic() < end:
    time.sleep(0.1)
status = server.status()
report(state=status.state, error=status.last_error)
try:
    list(server.snapshots(timeout=5))
except paraviewdsm.Error as error:
    report(wait=f"Error: {error}")
server.stop()
with paraviewdsm.Server(contact=contact, memory_per_host="4 MiB", separate=True) as again:
    report(again=[again.attached, again.status().state])

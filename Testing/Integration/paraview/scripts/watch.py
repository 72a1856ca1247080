# SPDX-License-Identifier: BSD-3-Clause
"""Watches a server that another program has started; may steer, and may die: see test_watch.py."""

import os
import signal

import paraviewdsm
import paraviewdsm._proxy
from reporting import report

DOES = os.environ["DSM_TEST_DOES"]
server = paraviewdsm.watch(os.environ["DSM_TEST_WATCHED"])
reader = server.reader()
report(watched=server.watched, attached=server.attached)
try:
    server.maximum_snapshots = 3
except paraviewdsm.Error as error:
    report(setting=str(error))
if DOES == "guest":
    try:
        paraviewdsm._proxy.command(server._proxy, "Drop", Number=1)
    except paraviewdsm.Error as error:
        report(drop=str(error))

seen, steered = {}, None
for snapshot in server.snapshots(timeout=100):
    reader.UpdatePipeline()
    seen[snapshot.number] = reader.GetDataInformation().GetPointDataInformation().GetArrayInformation(
        "v").GetComponentRange(0)
    report(seen=seen)
    if DOES == "dies" and snapshot.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if DOES == "steers" and steered is None:
        server.parameters["feed"] = 0.05
        steered = server.apply()["step"]
        report(steered=steered)
server.stop()
report(stopped=not server._running)

# SPDX-License-Identifier: BSD-3-Clause
"""Is suspended by the test, for longer than the hosts wait for it: with a snapshot before its eyes (DSM_TEST_WHEN is
"shown"), or when it was given one and had not shown it yet ("given")."""

import os
import pathlib
import time

import paraviewdsm
from reporting import report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
when = os.environ["DSM_TEST_WHEN"]


def wait_to_be_suspended():
    report(process=os.getpid())
    print("suspend me", flush=True)
    while not (folder / "suspended").exists():
        time.sleep(0.01)


server = paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="1 MiB", maximum_snapshots=4, separate=True)
reader = server.reader()
if when == "given":
    entry = server._entry

    def waiting(number):
        found = entry(number)
        wait_to_be_suspended()
        return found

    server._entry = waiting
before = []
try:
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        before.append(snapshot.number)
        if when == "shown":
            wait_to_be_suspended()
    error = None
except paraviewdsm.Error as raised:
    error = str(raised)
server._entry = type(server)._entry.__get__(server)
after = []
for snapshot in server.snapshots(timeout=60):
    reader.UpdatePipeline(snapshot.time)
    after.append([snapshot.number, snapshot.time, reader.GetDataInformation().GetNumberOfPoints()])
report(before=before, error=error, after=after, state=server.status().state)
server.stop()

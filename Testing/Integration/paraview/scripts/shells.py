# SPDX-License-Identifier: BSD-3-Clause
"""Shows each snapshot of shells_writer.py that it is told of."""

import os
import pathlib
import time

import paraviewdsm
from reporting import on_every_rank, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
LOOK = """
from reporting import found
field = data.GetPointData().GetArray("u") if hasattr(data, "GetPointData") else None
report(values=found().get("values", []) + [list(field.GetRange()) if field else None])
"""

numbers, times = [], []
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="4 MiB", block_size="4 KiB") as server:
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        numbers.append(snapshot.number)
        times.append(snapshot.time)
        on_every_rank(reader, LOOK, snapshot.time)
    status = server.status()
    # Others still look.
    end = time.monotonic() + 60
    while not (folder / "seen.json").exists() and time.monotonic() < end:
        time.sleep(0.05)
report(numbers=numbers, times=times, listed=status.numbers, sealed=status.sealed, error=status.last_error)

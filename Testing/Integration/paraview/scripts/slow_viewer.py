# SPDX-License-Identifier: BSD-3-Clause
"""Looks at snapshots of fast_writer.py and says of each whether its values and its time are right. DSM_TEST_HOW is
"slow" (it sleeps while others are evicted), "gone" (its third snapshot is evicted before it is shown), "idle" (it is
suspended while it shows one and nothing comes) or "waiting" (it is suspended while it waits for one)."""

import os
import pathlib
import re
import time
import warnings

import paraviewdsm
from paraviewdsm import _proxy
from reporting import report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
how = os.environ["DSM_TEST_HOW"]
server = paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="2 MiB", maximum_snapshots=4,
                            separate=bool(os.environ["DSM_TEST_SEPARATE"]))
reader = server.reader()


def until(condition, what):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"waited 60 s for {what}"
        time.sleep(0.01)


def is_right(snapshot):
    """Its time and its values are those of the file."""
    reader.UpdatePipeline(snapshot.time)
    step = int(re.search(r"run-(\d+)", snapshot.file)[1])
    arrays = {**reader.PointData, **reader.CellData}
    return snapshot.time == 0.5 * step and snapshot.step == step and arrays["u"].GetRange() == (step, step)


def evict(number, entry):
    """Lets others take the memory of a snapshot that this loop has found."""
    _proxy.command(server._proxy, "Release", Number=number)
    until(lambda: number not in server.status().numbers, "the end of a snapshot")
    report(evicted=number)
    return entry


seen, missed, wrong, error = [], [], [], None


def look(most):
    for snapshot in server.snapshots(timeout=60):
        seen.append(snapshot.number)
        missed.append(snapshot.missed)
        if not is_right(snapshot):
            wrong.append([snapshot.number, snapshot.file, snapshot.time])
        report(process=os.getpid(), seen=seen, wrong=wrong)
        if how == "slow" and len(seen) < most:
            first = snapshot.number
            until(lambda first=first: max(server.status().numbers) > first + 8, "snapshots that come meanwhile")
        if how == "idle" and len(seen) == 1:
            print("suspend me", flush=True)
            until((folder / "suspended").exists, "the test")
        if len(seen) == most:
            (folder / "enough").touch()


if how == "gone":
    original = server._entry
    server._entry = lambda number: (evict(number, original(number)) if len(seen) == 2 and "evicted" not in told
                                    and not told.add("evicted") else original(number))
    told = set()
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    if how == "waiting":
        report(process=os.getpid())
        print("suspend me", flush=True)
    try:
        look(6)
    except paraviewdsm.Error as raised:
        error = str(raised)
        report(error=error)
        print("raised", flush=True)
        look(len(seen) + 3)
report(seen=seen, missed=missed, wrong=wrong, error=error, warnings=[str(one.message) for one in said],
       dropped=server.status().dropped)
server.stop()

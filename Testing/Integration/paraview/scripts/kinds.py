# SPDX-License-Identifier: BSD-3-Clause
"""Goes through what kinds_writer.py has written, with a reader of one kind, one by a file's name, and one that fits
nothing."""

import os
import pathlib
import time
import warnings

import paraviewdsm
from paraviewdsm import _proxy
from reporting import information, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
# What a turn asks for.
asked = set()
real = _proxy.information


def asking(proxy, *names):
    asked.update(names)
    return real(proxy, *names)


with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="8 MiB") as server:
    end = time.monotonic() + 60
    while not (folder / "written").exists() and time.monotonic() < end:
        time.sleep(0.05)
    server.refresh()
    kind, named, nothing = (server.reader(name) for name in ("B.out2.#.h5", "diag0.h5", "nothing.h5"))
    seen = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _proxy.information = asking
        loop = server.snapshots(timeout=60)
        for snapshot in loop:
            turn, _proxy.information = set(asked), real
            shown = []
            for reader in (kind, named):
                reader.UpdatePipeline(snapshot.time)
                shown.append([information(reader, "ShownSnapshot"), reader.GetDataInformation().GetNumberOfPoints()])
            seen.append([os.path.basename(snapshot.file), snapshot.number, snapshot.stream, snapshot.step,
                         snapshot.in_memory, *shown])
            asked.clear()
            _proxy.information = asking
        _proxy.information = real
    report(seen=seen, asked=sorted(turn), warned=[str(one.message) for one in caught], streams=server.streams(),
           points=nothing.GetDataInformation().GetNumberOfPoints())

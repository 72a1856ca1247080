# SPDX-License-Identifier: BSD-3-Clause
"""The Python package, step by step; the test runs simulations when a contact file appears."""

import os
import time

from paraview import simple

import paraviewdsm
from reporting import information, report

paraviewdsm.load()

folder = os.environ["DSM_TEST_FOLDER"]


def error(work):
    try:
        work()
    except Exception as caught:  # noqa: BLE001 (whichever it is, is what the test looks at)
        return f"{type(caught).__name__}: {caught}"
    return "none"


report(
    strategy=error(
        lambda: paraviewdsm.Server(contact=f"{folder}/bad.dsm", strategy="diagonal", memory_per_host="8 MiB")
    ),
    policy=error(lambda: paraviewdsm.Server(contact=f"{folder}/bad.dsm", when_full="wait")),
    size=error(lambda: paraviewdsm.Server(contact=f"{folder}/bad.dsm", memory_per_host="8 apples")),
    place=error(lambda: paraviewdsm.Server(contact=f"{folder}/no/such/folder/bad.dsm", memory_per_host="8 MiB")),
    lending=error(lambda: paraviewdsm.Server(contact=f"{folder}/bad.dsm", lending="borrowed")),
)

# Where the script says nothing, the environment counts.
os.environ["DSM_STRATEGY"] = "zigzag"
report(environment=error(lambda: paraviewdsm.Server(contact=f"{folder}/bad.dsm", memory_per_host="8 MiB")))
os.environ.update(DSM_STRATEGY="contiguous", DSM_BLOCK_SIZE="64 KiB", DSM_TRANSPORT="fabric/tcp")
usual = paraviewdsm.Server(contact=f"{folder}/usual.dsm", memory_per_host="8 MiB")
chosen = paraviewdsm.Server(
    contact=f"{folder}/chosen.dsm", memory_per_host="8 MiB", block_size="4 KiB", transport="shared-memory"
)
report(
    usual=[usual.strategy, usual.block_size, usual.transport],
    chosen=[chosen.strategy, chosen.block_size, chosen.transport],
)
usual.stop()
chosen.stop()
pinned = paraviewdsm.Server(
    contact=f"{folder}/pinned.dsm", memory_per_host="8 MiB", maximum_snapshots=2, lending="pinned"
)
report(pinned=list(pinned.status().transports))
pinned.change(Lending="sparse")
report(lendingWaits=pinned.status().pending)
pinned.stop()
for variable in ("DSM_STRATEGY", "DSM_BLOCK_SIZE", "DSM_TRANSPORT"):
    del os.environ[variable]

server = paraviewdsm.Server(contact=f"{folder}/one.dsm", memory_per_host="16 MiB")
report(
    contact=server.contact,
    twice=error(lambda: paraviewdsm.Server(contact=f"{folder}/one.dsm", memory_per_host="8 MiB")),
    # A second server on its own contact file is fine.
    second=error(lambda: paraviewdsm.Server(contact=f"{folder}/two.dsm", memory_per_host="8 MiB").stop()),
)
report(
    redistribute=error(lambda: server.redistribute("zigzag")),
    cycle=error(lambda: server.redistribute("random block", "1 MiB", blocks_per_cycle=1000)),
    random=error(lambda: server.redistribute("random block", "4 KiB", seed=2011)),
)
pending = server.status().pending


def set(**values):
    for name, value in values.items():
        setattr(server, name, value)


report(
    pending=pending,
    inForce=[server.strategy, server.block_size, server.memory_per_host, server.when_full, server.maximum_snapshots],
    pigeon=error(lambda: set(transport="pigeon")),
    mpi=error(lambda: set(transport="mpi-rma")),
    huge=error(lambda: set(memory_per_host="4000 GiB")),
    many=error(lambda: set(maximum_snapshots=100000)),
    unharmed=[server.transport, server.memory_per_host, server.maximum_snapshots],
)
set(
    transport="fabric/tcp,shared-memory:8KiB", memory_per_host="32 MiB", maximum_snapshots=20, when_full="drop newest",
    longest_wait=5,
)
report(
    changed=[server.transport, server.memory_per_host, server.maximum_snapshots, server.when_full,
             server.longest_wait],
    waits=server.status().pending,
)
set(when_full="drop oldest")
began = time.monotonic()
report(silence=error(lambda: list(server.snapshots(timeout=1.2))), waited=time.monotonic() - began)
reader = server.reader()
reader.UpdatePipeline()
report(empty=reader.GetDataInformation().GetNumberOfPoints(), emptyError=information(reader, "ErrorText"))

# Tells the test to start the simulation.
with open(f"{folder}/go.{os.getpid()}", "w"):
    pass
seen = []
for snapshot in server.snapshots(timeout=60):
    reader.UpdatePipeline(snapshot.time)
    seen.append([snapshot.number, snapshot.step, snapshot.time, snapshot.size > 0, reader.PointData.keys()])
after = server.status()
report(seen=seen, state=after.state, counts=after.pending)
report(received=after.received, hostBytes=after.host_bytes, rate=after.throughput, blocked=after.blocked_seconds)
report(again=[snapshot.number for snapshot in server.snapshots(timeout=1)])
report(newest=[snapshot.number for snapshot in server.snapshots(timeout=1, every=False)])
report(some=[snapshot.number for snapshot in server.snapshots(timeout=1, pattern="*.0001?.*:*.00030.vtkhdf")])

# The reader follows the newest, and goes back to any time in the ring.
server.refresh()
reader.UpdatePipeline()
report(times=list(reader.TimestepValues), follows=information(reader, "ShownSnapshot"))
reader.UpdatePipeline(10.0)
report(back=information(reader, "ShownSnapshot"))
reader.UpdatePipeline(12345.0)
report(unknown=information(reader, "ShownSnapshot"))

# A snapshot that is not there: one error, and nothing to see.
reader.Snapshot = 99
reader.UpdatePipeline()
report(gone=information(reader, "ErrorText"), gonePoints=reader.GetDataInformation().GetNumberOfPoints())
by_name = simple.DSMFileReader(FileName=f"{server.contact}#98")
by_name.UpdatePipeline()
report(named=information(by_name, "ErrorText"))
report(
    save=error(lambda: server.save(99, f"{folder}/x.h5")),
    saveWhere=error(lambda: server.save(1, f"{folder}/no/such/folder/x.h5")),
)

# ParaView's own reader opens a snapshot by its name.
own = simple.VTKHDFReader(FileName=[f"{server.contact}#2"])
own.UpdatePipeline()
report(own=own.PointData.keys())

server.stop()
server.stop()
report(after=error(server.status), left=os.path.exists(server.contact))

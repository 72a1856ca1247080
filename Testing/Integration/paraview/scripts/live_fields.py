# SPDX-License-Identifier: BSD-3-Clause
"""Serves one simulation after the other, and compares on every rank each snapshot's fields with the
file that an uncoupled run wrote to disk."""

import os

import paraviewdsm
from reporting import on_every_rank, report

folder = os.environ["DSM_TEST_FOLDER"]
compared = {}
# What the server changes to, from file to file.
OTHERS = os.environ.get("DSM_TEST_STRATEGIES", "").split(";")
for case in os.environ["DSM_TEST_CASES"].split(";"):
    strategy, _ = case.split("/")
    contact = f"{folder}/{case.replace(' ', '_').replace('/', '.')}.dsm"
    changing = strategy == "changing"
    strategy = "block cyclic" if changing else strategy
    with paraviewdsm.Server(
        contact=contact, strategy=strategy, block_size="4 KiB", seed=2011, memory_per_host="16 MiB"
    ) as server:
        reader = server.reader()
        compared[case] = []
        for snapshot in server.snapshots(timeout=60):
            compared[case].append(snapshot.step)
            if changing:
                server.redistribute(OTHERS[snapshot.number % len(OTHERS)], "3 KiB", blocks_per_cycle=5, seed=7)
            disk = f"{folder}/disk/{os.path.basename(snapshot.file)}"
            on_every_rank(reader, f"""
import h5py
import reporting
from vtkmodules.util.numpy_support import vtk_to_numpy
x0, x1, y0, y1, z0, z1 = data.GetExtent()
with h5py.File("{disk}", "r") as file:
    report(points=reporting.found().get("points", 0) + data.GetNumberOfPoints())
    for name in "uv":
        expected = file["VTKHDF/PointData/" + name][z0:z1 + 1, y0:y1 + 1, x0:x1 + 1]
        found = vtk_to_numpy(data.GetPointData().GetArray(name)).reshape(expected.shape)
        if not (found == expected).all():
            report(wrong="{case} {snapshot.step} " + name)
""", snapshot.time)
            if snapshot.number == 2:
                server.save(snapshot, f"{folder}/saved.{case.replace('/', '.')}.vtkhdf")
report(compared=compared)

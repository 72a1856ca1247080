# SPDX-License-Identifier: BSD-3-Clause
"""ParaView's CGNS reader on a snapshot, by the name that the simulation used."""

import os

from paraview import simple

import paraviewdsm
from reporting import on_every_rank

folder = os.environ["DSM_TEST_FOLDER"]
disk = f"{folder}/disk.cgns"
with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB") as server:
    for snapshot in server.snapshots(timeout=60):
        live, saved = (simple.CGNSSeriesReader(FileNames=[name]) for name in (snapshot.file, disk))
        for reader in (live, saved):
            reader.UpdatePipelineInformation()
            reader.PointArrayStatus = reader.GetProperty("PointArrayStatus").Available
        on_every_rank([saved, live], """
from compare_data import differences, leaves_of
saved, live = leaves_of(self.GetInputDataObject(0, 0)), leaves_of(self.GetInputDataObject(0, 1))
report(wrong=list(differences(live, saved)), points=[leaf.GetNumberOfPoints() for leaf in live if leaf],
    arrays=[leaf.GetPointData().GetArrayName(0) for leaf in live if leaf])
""")

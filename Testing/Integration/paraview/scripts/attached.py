# SPDX-License-Identifier: BSD-3-Clause
"""ParaView's own reader on files in memory, by their names, in a pvbatch that attaches and does not have the plugin."""

import os

from paraview import simple

import dsm
from reporting import on_every_rank

folder = os.environ["DSM_TEST_FOLDER"]
dsm.attach(f"{folder}/run.dsm")
live, saved = (simple.VTKHDFReader(FileName=f"{folder}/{name}.vtkhdf") for name in ("live", "disk"))
on_every_rank([saved, live], """
from compare_data import differences, leaves_of
saved, live = leaves_of(self.GetInputDataObject(0, 0)), leaves_of(self.GetInputDataObject(0, 1))
report(wrong=list(differences(live, saved)), points=[leaf.GetNumberOfPoints() for leaf in live if leaf],
    arrays=[leaf.GetPointData().GetArrayName(0) for leaf in live if leaf])
""")

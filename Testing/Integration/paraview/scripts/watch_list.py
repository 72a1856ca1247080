# SPDX-License-Identifier: BSD-3-Clause
"""A ParaView that hosts nothing and looks all the time which snapshots there are, until the server has gone."""

import json
import os
import pathlib
import time

from paraview import simple

import paraviewdsm
from reporting import information

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
paraviewdsm.load()
reader = simple.OpenDataFile(f"{folder}/run.dsm")
seen = set()
(folder / "watching").touch()
while not (folder / "written").exists():
    reader.SMProxy.InvokeCommand("Refresh")
    reader.MarkModified(reader.SMProxy)
    reader.UpdatePipelineInformation()
    numbers = information(reader, "ListedSnapshots")
    seen.update(numbers if isinstance(numbers, list) else [numbers])
    time.sleep(0.02)
(folder / "seen.json").write_text(json.dumps(sorted(seen)))

# SPDX-License-Identifier: BSD-3-Clause
"""The plugin that needs no compiler, in a ParaView without the other: shows each stream of a running server."""

import os

from paraview import simple

import dsm
from collect_values import COLLECT
from reporting import on_every_rank, report

folder = os.environ["DSM_TEST_FOLDER"]
contact = f"{folder}/run.dsm"
simple.LoadPlugin(os.environ["DSM_TEST_PYTHON_PLUGIN"])
with dsm.Viewer(contact) as viewer:
    files = {snapshot["file"]: snapshot["stream"] for snapshot in viewer.snapshots()}
report(plugin="paraviewdsm" in os.sys.modules)
for file, stream in files.items():
    name = os.path.basename(file)
    source = simple.LiveSimulation(ContactFile=contact, Stream=stream)
    source.UpdatePipeline()
    report(**{name: source.GetPropertyValue("Contents")})
    on_every_rank(source, COLLECT.format(folder=folder, file=name, step="last"))
    simple.Delete(source)

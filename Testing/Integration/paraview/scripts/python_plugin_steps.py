# SPDX-License-Identifier: BSD-3-Clause
"""The plugin that needs no compiler, in a ParaView without the other: the steps of a stream, and the newest."""

import os
import pathlib

import numpy
from paraview import simple

from reporting import found, on_every_rank, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
saved = sorted((folder / "saved").iterdir())
COMPARE = """
from compare_data import as_on_disk
from reporting import report
from paraview.modules.vtkRemotingCore import vtkProcessModule
ranks = vtkProcessModule.GetProcessModule().GetNumberOfLocalPartitions()
report(**{{"{what}": as_on_disk(data, "{file}", rank(), ranks, None)}})
"""


def compare(what, time, file):
    on_every_rank(source, COMPARE.format(what=what, file=file), time)


simple.LoadPlugin(os.environ["DSM_TEST_PYTHON_PLUGIN"])
source = simple.LiveSimulation(ContactFile=str(folder / "run.dsm"))
source.UpdatePipeline()
report(steps=numpy.atleast_1d(source.TimestepValues).tolist())
compare("newest", source.TimestepValues[0], saved[-2])
source.Follow = 0
for number, time in enumerate(source.TimestepValues):
    compare(f"step {number}", time, saved[number])
source.Follow = 1
(folder / "ready").touch()
while len(found()["steps"]) < len(saved):  # the test has a limit
    source.InvokeCommand("Refresh")
    source.UpdatePipelineInformation()
    report(steps=numpy.atleast_1d(source.TimestepValues).tolist())
compare("followed", source.TimestepValues[0], saved[-1])

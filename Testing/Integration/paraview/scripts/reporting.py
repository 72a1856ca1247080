# SPDX-License-Identifier: BSD-3-Clause
"""How the scripts under test tell the test what they found."""

import json
import os
import pathlib

from paraview.modules.vtkRemotingCore import vtkProcessModule

_found = {}


def rank():
    return vtkProcessModule.GetProcessModule().GetPartitionId()


def found():
    """What this rank reported so far."""
    return dict(_found)


def report(**found):
    """Adds to the report of this rank. Also callable from a filter, which runs on every rank."""
    _found.update(found)
    file = pathlib.Path(os.environ["DSM_TEST_REPORTS"]) / f"report.{rank()}.json"
    # NumPy's numbers become Python's. Who reads it, or kills this, finds the one before or this, and no half of it.
    new = file.with_suffix(".new")
    new.write_text(json.dumps(_found, default=lambda value: value.item()))
    new.replace(file)


def on_every_rank(source, code, time=None):
    """Runs Python code on every rank where its part of the data is, as `data`."""
    from paraview.simple import ProgrammableFilter

    runner = ProgrammableFilter(
        Input=source,
        OutputDataSetType="vtkTable",
        Script=f"from reporting import report, rank\ndata = self.GetInputDataObject(0, 0)\n{code}",
    )
    runner.UpdatePipeline() if time is None else runner.UpdatePipeline(time)
    return runner


def information(proxy, name):
    """The values of an information property, or the one value."""
    from paraviewdsm import _proxy

    (values,) = _proxy.information(proxy.SMProxy, name)
    return values[0] if len(values) == 1 else values

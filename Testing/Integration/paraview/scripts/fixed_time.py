# SPDX-License-Identifier: BSD-3-Clause
"""Shows the snapshot of one time while simulations write others."""

import os
import pathlib

from paraview import simple

import paraviewdsm
from collect_parts import wait_for
from paraviewdsm import _proxy
from reporting import information, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
STREAM = "gray_scott.#.vtkhdf"


def made(time="10", **properties):
    """Returns a reader of that time."""
    return simple.DSMReader(
        FixedTime=time, **{"FilePattern": STREAM, "ContactFile": str(folder / "run.dsm"), **properties})


def shown(reader, *time):
    """Returns number, time, and error of a reader that is asked for a time."""
    reader.UpdatePipeline(*time)
    return [information(reader, "ShownSnapshot"), information(reader, "ShownTime"), error_of(reader)]


def error_of(reader):
    return information(reader, "ErrorText") or ""


def run(name):
    """Waits until a simulation has ended; the reader looks for its snapshot meanwhile, as the panel lets it."""
    (folder / f"ready for the {name}").touch()
    wait_for(f"{name} is done")
    for _ in range(3):
        _proxy.ask_again(fixed)


with paraviewdsm.Server(contact=folder / "run.dsm", memory_per_host="16 MiB") as server:
    fixed = made()
    fixed.UpdatePipeline()
    for _ in range(3):
        _proxy.ask_again(fixed)
    report(early=error_of(fixed), earlyPoints=fixed.GetDataInformation().GetNumberOfPoints())
    run("first")
    report(
        arrived=shown(fixed), arrivedPoints=fixed.GetDataInformation().GetNumberOfPoints(),
        steps=list(fixed.TimestepValues or []), atAnyTime=shown(fixed, 20.0),
    )
    run("second")
    fixed.ReadAs = 1  # so that it reads again
    report(
        kept=shown(fixed, 30.0), ofLastRun=shown(made()), numbered=shown(made(Snapshot=2)),
        ofOtherTime=shown(made(Snapshot=3)), ofRun=shown(made(FilePattern=f"{STREAM}@1", Snapshot=5)),
    )
    wrong = made("soon")
    wrong.UpdatePipeline()
    report(wrong=error_of(wrong))

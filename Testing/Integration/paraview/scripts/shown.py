# SPDX-License-Identifier: BSD-3-Clause
"""Opens files in memory by their names, as File > Open does, and follows the stream of one that is empty at first."""

import os
import pathlib

from paraview import simple

import paraviewdsm
from collect_parts import look, wait_for
from reporting import information, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])


def look_again(stream):
    stream.UpdatePipeline()
    return [information(stream, "ErrorText"), {array.Name: array.GetRange() for array in stream.PointData.values()}]


with paraviewdsm.Server(contact=str(folder / "run.dsm"), memory_per_host="64 MiB") as server:
    stream = server.reader("waiting.h5")
    wait_for("written")
    for file in sorted(folder.glob("live/*")):
        if file.suffix != ".xdmf":
            look(simple.OpenDataFile(str(file)), file.name)
    seen = [look_again(stream)]
    (folder / "seen").touch()
    wait_for("filled")
    server.refresh()
    report(stream=[*seen, look_again(stream)])

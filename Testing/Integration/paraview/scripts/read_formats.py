# SPDX-License-Identifier: BSD-3-Clause
"""Shows files of several formats, and writes what each rank got of them: points and values."""

import glob
import os

from paraview import simple

import overrides
import paraviewdsm
from collect_values import COLLECT
from reporting import information, on_every_rank, report

paraviewdsm.load()

folder = os.environ["DSM_TEST_FOLDER"]


def drawn(name, reader):
    """What ParaView makes of cells that others cover: none is drawn, and none counts."""
    surface, volume = simple.ExtractSurface(Input=reader), simple.IntegrateVariables(Input=reader)
    surface.UpdatePipeline()
    volume.UpdatePipeline()
    cells = surface.GetDataInformation().GetNumberOfCells()
    sizes = [size.GetRange(0)[0] for size in map(volume.CellData.GetArray, ("Area", "Volume")) if size]
    report(**{name + " drawn": [cells, sizes]})
    simple.Delete(volume)
    simple.Delete(surface)


def look(name, reader):
    reader.UpdatePipeline()
    asked = ("RecognisedAs", "RecognisedBecause", "Guesses", "LeftOut", "ErrorText")
    told = {one: information(reader, one) for one in asked}
    steps = list(reader.TimestepValues)
    report(**{name: [told, steps]})
    if told["ErrorText"]:
        return
    on_every_rank(reader, COLLECT.format(folder=folder, file=name, step="last"))
    if told["RecognisedAs"] in ("AMReX", "Chombo"):
        drawn(name, reader)
    if len(steps) > 1:
        on_every_rank(reader, COLLECT.format(folder=folder, file=name, step="first"), steps[0])
    simple.Delete(reader)


live = os.environ.get("DSM_TEST_LIVE")
if live:
    with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB") as server:
        for snapshot in list(server.snapshots(timeout=60)):
            look(os.path.basename(snapshot.file), server.open(snapshot))
else:
    for file in sorted(glob.glob(f"{folder}/files/*")):
        look(os.path.basename(file), simple.DSMFileReader(FileName=file))
    if os.path.exists(f"{folder}/overrides"):
        overrides.open_all(f"{folder}/overrides", look)

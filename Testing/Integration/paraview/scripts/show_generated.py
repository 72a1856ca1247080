# SPDX-License-Identifier: BSD-3-Clause
"""Shows what is in the ring when all programs have written, each file's newest snapshot at each of its steps, and
writes what each rank got of it. The ParaView that hosts; with DSM_TEST_VIEWER another, which opens its contact file."""

import json
import os
import pathlib
import time

from paraview import simple

import paraviewdsm
from reporting import information, on_every_rank, report

paraviewdsm.load()

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
found = pathlib.Path(os.environ["DSM_TEST_REPORTS"])
# Of each part of what a rank has: points, cells with their corners in order, values of both, and the time.
COLLECT = """
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy

def leaves(data):
    if not data.IsA("vtkCompositeDataSet"):
        return [(0, data)]
    parts = [(part, data.GetPartitionedDataSet(part)) for part in range(data.GetNumberOfPartitionedDataSets())]
    return [(part, one.GetPartition(piece)) for part, one in parts for piece in range(one.GetNumberOfPartitions())]

for number, (part, leaf) in enumerate(leaves(data)):
    if leaf is None or not leaf.IsA("vtkDataSet") or leaf.GetNumberOfPoints() == 0:
        continue
    arrays = {{"points": numpy.array([leaf.GetPoint(index) for index in range(leaf.GetNumberOfPoints())])}}
    for kind, attributes in ("point ", leaf.GetPointData()), ("cell ", leaf.GetCellData()):
        for index in range(attributes.GetNumberOfArrays()):
            array = attributes.GetArray(index)
            arrays[kind + array.GetName()] = vtk_to_numpy(array)
    # Cells of grids are shown where something lies on them.
    if leaf.IsA("vtkUnstructuredGrid") or leaf.GetCellData().GetNumberOfArrays() > 0:
        arrays["types"] = numpy.array([leaf.GetCellType(index) for index in range(leaf.GetNumberOfCells())])
        arrays["corners"] = numpy.full((leaf.GetNumberOfCells(), 27, 3), numpy.nan)
        for index in range(leaf.GetNumberOfCells()):
            at = leaf.GetCell(index).GetPoints()
            for corner in range(at.GetNumberOfPoints()):
                arrays["corners"][index, corner] = at.GetPoint(corner)
    when = data.GetInformation().Get(data.DATA_TIME_STEP())
    arrays["time"] = numpy.array(numpy.nan if when is None else when)
    numpy.savez("{found}/{file}.{step}.%d.%d.%d.npz" % (part, rank(), number), **arrays)
"""


def look(contact, file, number):
    reader = simple.DSMReader(Snapshot=number, ContactFile=contact)
    reader.UpdatePipeline()
    told = {one: information(reader, one) for one in ("RecognisedAs", "RecognisedBecause", "ErrorText", "FileContents")}
    steps = list(reader.TimestepValues)
    report(**{file: [told, steps]})
    if not told["ErrorText"]:
        for step in range(len(steps) or 1):
            code = COLLECT.format(found=found, file=file, step=step)
            on_every_rank(reader, code, steps[step]) if steps else on_every_rank(reader, code)
    simple.Delete(reader)


def wait_for(file):
    limit = time.monotonic() + 600
    while not (folder / file).exists():
        assert time.monotonic() < limit, f"there is no {file} after ten minutes"
        time.sleep(0.05)


if os.environ.get("DSM_TEST_VIEWER"):
    wait_for("numbers.json")
    contact, numbers = json.loads((folder / "numbers.json").read_text())
    for file, number in numbers.items():
        look(contact, file, number)
    (folder / "seen").touch()
else:
    with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB") as server:
        wait_for("written")
        numbers = {os.path.basename(one.file): one.number for one in server.snapshots(timeout=10)}
        (folder / "numbers.new").write_text(json.dumps([server.contact, numbers]))
        (folder / "numbers.new").rename(folder / "numbers.json")
        for file, number in numbers.items():
            look(server.contact, file, number)
        wait_for("seen")

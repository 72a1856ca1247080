# SPDX-License-Identifier: BSD-3-Clause
"""Shows what described_files.py writes, with and without its descriptions."""

import os

from paraview import simple

import paraviewdsm
from reporting import information, on_every_rank, report

paraviewdsm.load()

folder = os.environ["DSM_TEST_FOLDER"]
live = f"{folder}/live"
collected = {}
COLLECT = """
import reporting
from vtkmodules.util.numpy_support import vtk_to_numpy
attributes = [data.GetRowData()] if data.IsA("vtkTable") else [data.GetPointData(), data.GetCellData()]
arrays = {{one.GetArrayName(i): vtk_to_numpy(one.GetArray(i)).tolist()
          for one in attributes for i in range(one.GetNumberOfArrays())}}
if data.IsA("vtkPointSet") and data.GetPoints():
    arrays["coordinates"] = vtk_to_numpy(data.GetPoints().GetData()).tolist()
if data.IsA("vtkImageData"):
    arrays["extent"], arrays["geometry"] = data.GetExtent(), data.GetOrigin() + data.GetSpacing()
report(data=reporting.found().get("data", {{}}) | {{"{name}": [data.GetClassName(), arrays]}})
"""


def look(name, reader):
    reader.UpdatePipeline()
    collected[name] = [information(reader, one) for one in ("RecognisedAs", "RecognisedBecause", "ErrorText")]
    on_every_rank(reader, COLLECT.format(name=name))


with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB") as server:
    times = {}
    for snapshot in server.snapshots(timeout=60):
        times[os.path.basename(snapshot.file)] = (snapshot.number, snapshot.time)

    def opened(file, **choices):
        reader = server.open(times[file][0])
        for key, value in choices.items():
            setattr(reader, key, value)
        return reader

    for file in times:
        look(file, opened(file))
    by_name = simple.DSMFileReader(FileName=f"{live}/self.2.h5")
    look("by name", by_name)
    look("by number", simple.DSMFileReader(FileName=f"{server.contact}#{times['self.2.h5'][0]}"))
    look("series 1", opened("series.1.h5", XDMFFile=f"{live}/series.xmf"))
    look("series 2", opened("series.2.h5", XDMFFile=f"{live}/series.xmf"))
    with open(f"{live}/beside.3.xdmf") as text:
        given = text.read()
    other = given.replace("SERIAL:beside.3.h5", "beside.17.h5").replace('Name="u"', 'Name="w"')
    look("text", opened("beside.3.h5", XDMFText=other))
    look("image", opened("beside.3.h5", ReadAs="image"))
    look("table", opened("particles.h5", ReadAs="table"))
    look("points", opened("columns.h5", XColumn="b", YColumn="a"))
    chosen = opened("particles.h5")
    chosen.UpdatePipelineInformation()
    chosen.PointArrays = ["atoms/id"]
    look("chosen", chosen)

    # What cannot be, and why.
    look("not vtkhdf", opened("columns.h5", ReadAs="VTKHDF"))
    look("no xdmf", opened("columns.h5", ReadAs="XDMF"))
    look("no points", opened("columns.h5", ReadAs="points"))
    look("other xdmf", opened("columns.h5", XDMFText=given))
    look("no column", opened("columns.h5", XColumn="c"))
    look("no xml", opened("columns.h5", XDMFText="<Xdmf>"))

    # ParaView's own readers for XDMF, where it has some, by the text on disk: they find the data in memory.
    if hasattr(simple, "XDMFReader"):
        owns = {
            "own 2": simple.XDMFReader(FileNames=[f"{live}/beside.3.xdmf"]),
            "own 3": simple.Xdmf3ReaderT(FileName=[f"{live}/series.xmf"]),
        }
        for name, own in owns.items():
            on_every_rank(own, COLLECT.format(name=name), 2.0)

report(seen=collected, times=times)

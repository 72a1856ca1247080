# SPDX-License-Identifier: BSD-3-Clause
"""Does without DSM: plain HDF5 writes files to tmpfs, and a script in pvbatch polls the folder and draws each.

The plugin's file reader reads the files as they are. ParaView's own XDMF reader needs a text beside each. The script
writes all texts when the first file comes.
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from picture_ways import Way, launch, spans

HERE = Path(__file__).resolve()
# Seconds between two looks at the folder: what another look costs is small beside this.
PAUSE = 0.005
XDMF = """<Xdmf Version="2.0"><Domain><Grid GridType="Uniform">
<Topology TopologyType="3DCoRectMesh" Dimensions="{size} {size} {size}"/>
<Geometry GeometryType="ORIGIN_DXDYDZ">
<DataItem Dimensions="3" Format="XML">0 0 0</DataItem><DataItem Dimensions="3" Format="XML">1 1 1</DataItem></Geometry>
<Attribute Name="u" AttributeType="Scalar" Center="Node">
<DataItem Dimensions="{size} {size} {size}" NumberType="Float" Precision="8" Format="HDF">{name}:/u</DataItem>
</Attribute></Grid></Domain></Xdmf>
"""


class FileReader:
    """Reads plain HDF5 by the plugin's reader of files."""

    def __init__(self, _asked, names):
        from paraview import simple

        import paraviewdsm

        paraviewdsm.load()
        self.names = names
        self.source = simple.DSMFileReader(FileName=names[0])

    def choose(self, step):
        self.source.FileName = self.names[step]


class XdmfReader:
    """Reads the same files by ParaView's reader of XDMF."""

    def __init__(self, asked, names):
        from paraview import simple

        self.names = []
        for name in names:
            text = Path(name).with_suffix(".xmf")
            text.write_text(XDMF.format(size=asked["size"], name=Path(name).name), encoding="utf-8")
            self.names.append(str(text))
        self.source = simple.XDMFReader(FileNames=self.names[:1])

    def choose(self, step):
        self.source.FileNames = [self.names[step]]


READERS = {"file reader": FileReader, "XDMF reader": XdmfReader}


def in_paraview():
    """Polls the folder, draws each file, and writes down when its picture was there."""
    from paraview import simple

    from picture_ways import scene

    asked = json.loads(os.environ["DSM_PICTURE_BENCH"])
    names = [f"{asked['folder']}/run.{step:05d}.h5" for step in range(asked["files"])]
    Path(asked["contact"]).touch()
    found, reader = [], None
    for step, name in enumerate(names):
        until = time.monotonic() + 120
        while not os.path.exists(name):
            assert time.monotonic() < until, f"{name} did not come"
            time.sleep(PAUSE)
        reader = reader or READERS[asked["reader"]](asked, names)
        reader.choose(step)
        reader.source.UpdatePipeline()
        if not found:
            view = simple.CreateView("RenderView")
            cut = scene.show_slice(reader.source, view)
        scene.draw(cut, view, 0)
        found.append(time.monotonic())
        assert scene.step_of(cut) == step, scene.step_of(cut)
        scene.mark_seen(asked["folder"], step)
    Path(asked["folder"], "rank.0.json").write_text(json.dumps(found))


def measure(given, reader):
    """Returns what each file took, by this reader."""
    (pictures,), marks = launch.follow(
        HERE, "DSM_PICTURE_BENCH", {"size": given.size, "files": given.snapshots, "reader": reader}, 1, given,
        lambda folder, _: launch.writer(folder, given, found=True))
    return [spans(mark, picture) for mark, picture in zip(marks, pictures, strict=True)]


WAYS = [Way(f"tmpfs, {reader}", lambda given, reader=reader: measure(given, reader)) for reader in READERS]

if "DSM_PICTURE_BENCH" in os.environ:
    in_paraview()

# SPDX-License-Identifier: BSD-3-Clause
"""Appends five steps to a file: a VTKHDF collection of blocks with the steps in each, or data with a series in XDMF
beside them. The step at time t has t in u. Goes on when a step was seen."""

import pathlib
import sys
import time as clock

import h5py
import numpy

kind, folder, first, between = sys.argv[1], pathlib.Path(sys.argv[2]), *map(float, sys.argv[3:5])
TIMES = [first + between * step for step in range(5)]
GRID = """<Grid GridType="Uniform"><Time Value="{time}"/><Topology TopologyType="3DCoRectMesh" Dimensions="2 3 4"/>
<Geometry GeometryType="ORIGIN_DXDYDZ"><DataItem Dimensions="3" Format="XML">0 0 0</DataItem>
<DataItem Dimensions="3" Format="XML">1 1 1</DataItem></Geometry><Attribute Name="u" Center="Node">
<DataItem Dimensions="2 3 4" NumberType="Float" Precision="8" Format="HDF">grown.h5:/u/{step}</DataItem></Attribute>
</Grid>"""


def append(group, name, values):
    values = numpy.asarray(values)
    if name not in group:
        rows = values.shape[1:]
        group.create_dataset(name, (0, *rows), values.dtype, maxshape=(None, *rows), chunks=True)
    group[name].resize(len(group[name]) + len(values), 0)
    group[name][-len(values):] = values


def typed(group, kind):
    group.attrs["Version"] = (2, 1)
    group.attrs.create("Type", numpy.bytes_(kind))


def blocks(step, time):
    with h5py.File(folder / "grown.vtkhdf", "a", track_order=True) as file:
        if step == 0:
            root = file.create_group("VTKHDF", track_order=True)
            typed(root, "MultiBlockDataSet")
            assembly = root.create_group("Assembly", track_order=True)
            for index, name in enumerate("AB"):
                block = root.create_group(name)
                typed(block, "UnstructuredGrid")
                block.attrs["Index"] = index
                block.create_group("PointData")
                block.create_group("Steps/PointDataOffsets")
                assembly[name] = h5py.SoftLink(f"/VTKHDF/{name}")
        for index, name in enumerate("AB"):
            block = file["VTKHDF"][name]
            corners = numpy.vstack([numpy.zeros(3), numpy.eye(3)]) + 3 * index
            for dataset, values in (("Points", corners), ("NumberOfPoints", [4]), ("NumberOfCells", [1]),
                                    ("NumberOfConnectivityIds", [4]), ("Connectivity", numpy.arange(4)),
                                    ("Offsets", [0, 4]), ("Types", numpy.array([10], "u1")),
                                    ("PointData/u", numpy.full(4, time)), ("Steps/Values", [time]),
                                    ("Steps/PartOffsets", [step]), ("Steps/NumberOfParts", [1]),
                                    ("Steps/PointOffsets", [4 * step]), ("Steps/CellOffsets", [[step]]),
                                    ("Steps/ConnectivityIdOffsets", [[4 * step]]),
                                    ("Steps/PointDataOffsets/u", [4 * step])):
                append(block, dataset, values)
            block["Steps"].attrs["NSteps"] = step + 1


def series(step, time):
    with h5py.File(folder / "grown.h5", "a") as file:
        file[f"u/{step}"] = numpy.full((2, 3, 4), time)
        grids = "".join(GRID.format(step=each, time=TIMES[each]) for each in range(step + 1))
        (folder / "grown.xdmf").write_text(
            '<?xml version="1.0"?><Xdmf Version="3.0"><Domain><Grid GridType="Collection" CollectionType="Temporal">'
            f"{grids}</Grid></Domain></Xdmf>")


for number, moment in enumerate(TIMES):
    {"blocks": blocks, "series": series}[kind](number, moment)
    end = clock.monotonic() + 60
    while not (folder / f"seen {number + 1}").exists():
        assert clock.monotonic() < end, f"nobody has seen step {number} within 60 s"
        clock.sleep(0.01)

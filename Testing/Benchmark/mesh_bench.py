#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what ParaView's filters take of a mesh that stays from file to file, and of one that changes.

    ./dev shell python3 Testing/Benchmark/mesh_bench.py --build build/openmpi [--side 128] [--ranks 1,2]

ParaView's ranks (pvbatch) host the memory. A program of one process writes a mesh of SIDE^3 hexahedra with a scalar and
a vector on the points, as VTKHDF in as many parts as there are ranks: one grid, or a collection. Or it writes a
surface, with about as many quadrangles in each part. Of a mesh that stays, only the values differ from file to file. Of
one that changes, a point moves and a cell turns in each part as well. The readers hand out the objects of a grid that
stays again. The table has milliseconds of CPU time of the slowest rank, with all of its threads: of the first file, and
the median of the others. Streamlines and resampling are of grids.

    read       the reader's update
    contour    Contour of the scalar
    slice      Slice through the middle
    surface    Update of a view that shows the mesh: the geometry filter, without rendering
    stream     StreamTracer from a line of seeds
    resample   ResampleWithDataset: the mesh on an image of 32^3 points
"""

import argparse
import itertools
import json
import os
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent.parent))

STEPS = ["read", "contour", "slice", "surface", "stream", "resample"]
WRITER = """
import os, sys, time, h5py, numpy
folder, form, side, files, parts, changes = *sys.argv[1:3], *map(int, sys.argv[3:7])
ids = numpy.arange((side + 1)**3).reshape(3 * [side + 1])
square = [(0, 0), (1, 0), (1, 1), (0, 1)]
axis = numpy.linspace(0, 1, side + 1)
layers = numpy.array_split(numpy.arange(side), parts)
points, cells, centres = [], [], []
for run in layers:
    grid = numpy.stack(numpy.meshgrid(axis[run[0]:run[-1] + 2], axis, axis, indexing="ij"), -1)
    local = numpy.arange(grid[..., 0].size).reshape(grid.shape[:3])
    corners = [local[z:z + len(run), y:y + side, x:x + side] for z in (0, 1) for y, x in square]
    points.append(grid.reshape(-1, 3))
    cells.append(numpy.stack(corners, -1).reshape(-1, 8))
if form == "surface":
    width = int(side**1.5)
    axis, ids = numpy.linspace(0, 1, width + 1), numpy.arange((width + 1)**2).reshape(2 * [width + 1])
    x, y = numpy.meshgrid(axis, axis, indexing="ij")
    points = parts * [numpy.stack([x, y, 0.5 + 0.1 * numpy.sin(9 * x)], -1).reshape(-1, 3)]
    cells = parts * [numpy.stack([ids[x:x + width, y:y + width].ravel() for x, y in square], -1)]

def fill_cells(group, cells, corners):
    group["NumberOfCells"] = [len(part) for part in cells]
    group["NumberOfConnectivityIds"] = [part.size for part in cells]
    group["Connectivity"] = numpy.concatenate([part.ravel() for part in cells])
    group["Offsets"] = numpy.concatenate([corners * numpy.arange(len(part) + 1) for part in cells])

def fill(group, kind, step, points, cells):
    group.attrs["Version"] = (2, 1)
    group.attrs.create("Type", numpy.bytes_(kind))
    if kind == "PartitionedDataSetCollection":
        return
    at = numpy.concatenate(points)
    group["Points"] = at
    group["NumberOfPoints"] = [len(part) for part in points]
    if kind == "PolyData":
        for name in ("Vertices", "Lines", "Strips", "Polygons"):
            some = cells if name == "Polygons" else [numpy.empty((0, 4), "i8") for part in cells]
            fill_cells(group.create_group(name), some, 4)
    else:
        fill_cells(group, cells, 8)
        group["Types"] = numpy.full(sum(map(len, cells)), 12, "u1")
    centred = at - 0.5
    group["PointData/u"] = numpy.sqrt((centred**2).sum(1)) + 0.01 * step
    group["PointData/v"] = numpy.stack([-centred[:, 1], centred[:, 0], numpy.full(len(at), 0.1 + 0.01 * step)], -1)

for step in range(files):
    file = h5py.File(f"{folder}/run.{step:05d}.vtkhdf", "w")
    for part in range(parts if changes else 0):
        points[part][-1] += 1e-3 / side
        turned = [1, 2, 3, 0, 5, 6, 7, 4][:cells[part].shape[1]]
        cells[part][-1] = cells[part][-1][turned]
    root = file.create_group("VTKHDF", track_order=True)
    if form != "collection":
        fill(root, "PolyData" if form == "surface" else "UnstructuredGrid", step, points, cells)
    else:
        fill(root, "PartitionedDataSetCollection", step, points, cells)
        assembly = root.create_group("Assembly", track_order=True)
        for part in range(parts):
            member = root.create_group(f"part{part}")
            member.attrs["Index"] = part
            fill(member, "UnstructuredGrid", step, points[part:part + 1], cells[part:part + 1])
            assembly[f"part{part}"] = h5py.SoftLink(f"/VTKHDF/part{part}")
    file.close()
    while not os.path.exists(f"{folder}/seen.{step}"):
        time.sleep(0.05)
"""


def filters_of(reader, form):
    """Returns what is measured after the reader, by name: each is a function of a time."""
    from paraview import simple

    contour = simple.Contour(Input=reader, ContourBy=["POINTS", "u"], Isosurfaces=[0.4])
    cut = simple.Slice(Input=reader)
    cut.SliceType.Origin, cut.SliceType.Normal = [0.5, 0.5, 0.5], [0.0, 0.3, 1.0]
    stream = simple.StreamTracer(Input=reader, Vectors=["POINTS", "v"], SeedType="Line")
    stream.SeedType.Point1, stream.SeedType.Point2, stream.SeedType.Resolution = [0.2, 0.5, 0.1], [0.8, 0.5, 0.1], 20
    image = simple.Wavelet(WholeExtent=[0, 31, 0, 31, 0, 31])
    image = simple.Transform(Input=image)
    image.Transform.Scale, image.Transform.Translate = 3 * [1 / 40], 3 * [0.1]
    resample = simple.ResampleWithDataset(SourceDataArrays=reader, DestinationMesh=image)
    view = simple.CreateView("RenderView")
    simple.Show(reader, view).Representation = "Surface"

    def surface(now):
        view.ViewTime = now
        view.Update()

    found = {"contour": contour.UpdatePipeline, "slice": cut.UpdatePipeline, "surface": surface}
    grids = {"stream": stream.UpdatePipeline, "resample": resample.UpdatePipeline}
    return found if form == "surface" else {**found, **grids}


def in_paraview():
    """Follows the files in each of ParaView's ranks, and writes down this rank's times."""
    from vtkmodules.vtkParallelCore import vtkMultiProcessController

    import paraviewdsm

    asked = json.loads(os.environ["DSM_MESH_BENCH"])
    controller = vtkMultiProcessController.GetGlobalController()
    rank = controller.GetLocalProcessId()
    memory = 3 * (200 * asked["side"]**3 >> 20) + 64
    server = paraviewdsm.Server(contact=asked["contact"], memory_per_host=f"{memory} MiB")
    reader = server.reader()
    found, filters = [], None
    for snapshot in server.snapshots(timeout=120):
        begin = time.process_time()
        reader.UpdatePipeline(snapshot.time)
        times = {"read": time.process_time() - begin}
        filters = filters or filters_of(reader, asked["form"])
        for name, update in filters.items():
            controller.Barrier()
            begin = time.process_time()
            update(snapshot.time)
            times[name] = time.process_time() - begin
        found.append(times)
        controller.Barrier()
        if rank == 0:
            Path(asked["folder"], f"seen.{int(snapshot.step)}").touch()
    Path(asked["folder"], f"rank.{rank}.json").write_text(json.dumps(found))
    controller.Barrier()
    server.stop()


def measure(given, ranks, form, changes):
    """Returns for each file its steps in milliseconds."""
    from picture_ways import launch

    def command(folder, contact):
        words = [folder, form, given.side, given.files, ranks, int(changes)]
        return [*launch.coupled(given.build, contact), sys.executable, "-c", WRITER, *map(str, words)]

    told, _ = launch.follow(HERE, "DSM_MESH_BENCH", {"side": given.side, "form": form}, ranks, given, command, 1800)
    return [{step: 1e3 * max(rank.get(step, 0) for rank in file) for step in STEPS} for file in zip(*told, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--ranks", default="1", help="ranks of pvbatch, such as 1,2")
    parser.add_argument("--forms", default="grid,collection,surface", help="kinds of data")
    parser.add_argument("--side", type=int, default=128, help="hexahedra along each axis")
    parser.add_argument("--files", type=int, default=4)
    given = parser.parse_args()
    print(f"| ranks | data | mesh | ms | {' | '.join(STEPS)} |\n|" + " --- |" * (len(STEPS) + 4))
    for ranks, form in itertools.product(map(int, given.ranks.split(",")), given.forms.split(",")):
        for changes in (False, True):
            files = measure(given, ranks, form, changes)
            median = {step: statistics.median(each[step] for each in files[1:] or files) for step in STEPS}
            for name, row in ("first file", files[0]), ("later", median):
                cells = [form, "changes" if changes else "stays", name, *(f"{row[step]:.0f}" for step in STEPS)]
                print(f"| {ranks} | {' | '.join(cells)} |", flush=True)


if "DSM_MESH_BENCH" in os.environ:
    in_paraview()
else:
    main()

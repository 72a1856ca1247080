# SPDX-License-Identifier: BSD-3-Clause
"""Runs a script in ParaView's ranks, which host the memory and draw each file. The steps are in picture_bench.py."""

import ctypes
import json
import mmap
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from picture_ways import Way, launch, spans

HERE = Path(__file__).resolve()
STEPS = ["close", "notice", "read", "range", "inform", "draw", "memcpy"]


def private_memory():
    """Returns the MiB of this process that are neither shared nor a file's."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("Anonymous:")).split()[1]) / 1024


class Copy:
    """Copies as many bytes as a rank reads between two shared mappings, which are not private memory."""

    def __init__(self, size):
        self.size = size
        self.maps = [mmap.mmap(-1, size) for _ in range(2)]
        self.places = [ctypes.addressof(ctypes.c_char.from_buffer(each)) for each in self.maps]
        for place in self.places:
            ctypes.memset(place, 1, size)

    def once(self):
        begin = time.monotonic()
        ctypes.memmove(self.places[1], self.places[0], self.size)
        return time.monotonic() - begin


def in_paraview():
    """Follows the files in each of ParaView's ranks, and writes down this rank's times."""
    from paraview import simple
    from vtkmodules.vtkParallelCore import vtkMultiProcessController

    import paraviewdsm
    from picture_ways import scene

    asked = json.loads(os.environ["DSM_PICTURE_BENCH"])
    controller = vtkMultiProcessController.GetGlobalController()
    ranks, rank = controller.GetNumberOfProcesses(), controller.GetLocalProcessId()
    copy = Copy(max(asked["size"] ** 3 * 8 // ranks, mmap.PAGESIZE))
    server = paraviewdsm.Server(contact=asked["contact"], memory_per_host=launch.memory(asked["size"], ranks))
    reader = server.reader()
    algorithm = reader.GetClientSideObject()
    found = []
    for snapshot in server.snapshots(timeout=120):
        marks = [time.monotonic()]
        algorithm.UpdateTimeStep(snapshot.time, rank, ranks)
        marks.append(time.monotonic())
        mine = algorithm.GetOutputDataObject(0).GetPointData().GetArray("u").GetRange()
        marks.append(time.monotonic())
        reader.UpdatePipeline(snapshot.time)
        lowest, highest = reader.PointData["u"].GetRange(0)
        marks.append(time.monotonic())
        assert lowest <= mine[0] <= mine[1] <= highest
        assert 0 <= lowest < 1 and highest == snapshot.step + 2, (lowest, highest)
        if not found:
            view = simple.CreateView("RenderView")
            cut = scene.show_slice(reader, view)
        scene.draw(cut, view, snapshot.time)
        marks.append(time.monotonic())
        found.append({"file": int(snapshot.step), "marks": marks, "memcpy": copy.once(), "private": private_memory()})
        controller.Barrier()
        if rank == 0:
            scene.mark_seen(asked["folder"], int(snapshot.step))
    Path(asked["folder"], f"rank.{rank}.json").write_text(json.dumps(found))
    controller.Barrier()
    server.stop()


def files_of(given, ranks):
    """Returns for each file its steps in milliseconds, the private memory after it, and its spans."""
    told, marks = launch.follow(
        HERE, "DSM_PICTURE_BENCH", {"size": given.size}, ranks, given,
        lambda folder, contact: launch.writer(folder, given, launch.coupled(given.build, contact)))
    return [table_row(marks[of_ranks[0]["file"]], of_ranks) for of_ranks in zip(*told, strict=True)]


def table_row(mark, of_ranks):
    """Returns what one file took, from the times of the simulation and of the ranks."""
    _, begin, end = mark
    marks = [[end, *rank["marks"]] for rank in of_ranks]
    steps = [max(rank[step + 1] - rank[step] for rank in marks) for step in range(5)]
    times = [end - begin, *steps, max(rank["memcpy"] for rank in of_ranks)]
    return {**{step: 1e3 * seconds for step, seconds in zip(STEPS, times, strict=True)},
            "private": sum(rank["private"] for rank in of_ranks),
            **spans(mark, max(rank[-1] for rank in marks))}


def name_of(ranks):
    return f"pvbatch, {ranks} rank{'s' * (ranks != 1)}"


WAYS = [Way(name_of(1), lambda given: files_of(given, 1))]

if "DSM_PICTURE_BENCH" in os.environ:
    in_paraview()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the time from a simulation's H5Fclose to the picture in pvbatch, step by step.

    ./dev shell python3 Testing/Benchmark/picture_bench.py --build build/openmpi [--size 256] [--ranks 1,2]

ParaView's ranks (pvbatch) host the memory, and a program of one process writes a field of SIZE^3 doubles per file. The
ranks follow the files and draw a slice of each. The table has milliseconds, of the slowest rank in each file: the
median over all files but the first, and the first file, which also loads libraries and connects. If the interval
between files is shorter than the picture takes, `notice` is the time in the queue.

    close    H5Fclose in the simulation
    notice   from the end of H5Fclose until the script has the snapshot
    read     the reader's update: the field becomes an array of VTK's
    range    GetRange of that array
    inform   UpdatePipeline of the proxy: ParaView collects the ranges of all values and of the finite ones
    draw     slice and render
    memcpy   as many bytes as a rank reads, into memory that was used before, after each picture

`private` is the anonymous memory of all ranks after the last picture, in MiB (`Anonymous` in smaps_rollup).
"""

import argparse
import contextlib
import ctypes
import json
import mmap
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent.parent))

STEPS = ["close", "notice", "read", "range", "inform", "draw", "memcpy"]
WRITER = """
import json, sys, time, h5py, numpy
folder, size, files, interval = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
values = numpy.random.default_rng(1).random((size, size, size))
closes = []
for step in range(files):
    time.sleep(interval)
    values[0, 0, 0] = values[-1, -1, -1] = step + 2
    file = h5py.File(f"{folder}/run.{step:05d}.h5", "w")
    file["u"] = values
    begin = time.monotonic()
    file.close()
    closes.append((begin, time.monotonic()))
open(f"{folder}/closes.json", "w").write(json.dumps(closes))
"""


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

    asked = json.loads(os.environ["DSM_PICTURE_BENCH"])
    controller = vtkMultiProcessController.GetGlobalController()
    ranks, rank = controller.GetNumberOfProcesses(), controller.GetLocalProcessId()
    share = asked["size"] ** 3 * 8 // ranks
    copy = Copy(max(share, mmap.PAGESIZE))
    server = paraviewdsm.Server(contact=asked["contact"], memory_per_host=f"{6 * (share >> 20) + 64} MiB")
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
            cut = simple.Slice(Input=reader)
            simple.ColorBy(simple.Show(cut, view), ("POINTS", "u"))
            simple.ResetCamera(view)
        simple.UpdatePipeline(snapshot.time, cut)
        simple.Render(view)
        marks.append(time.monotonic())
        found.append({"file": int(snapshot.step), "marks": marks, "memcpy": copy.once(), "private": private_memory()})
    Path(asked["folder"], f"rank.{rank}.json").write_text(json.dumps(found))
    controller.Barrier()
    server.stop()


@contextlib.contextmanager
def display():
    """Yields the name of a new X display."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-noreset", "-nolisten",
                               "tcp"], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(10)


def follow(script, variable, asked, ranks, given, writer, limit=600):
    """Runs a script in pvbatch's ranks beside a program of Python that writes files in ParaView's memory.

    script    follows the files; each rank writes rank.N.json into the folder
    variable  the environment variable in which it has `asked`, the contact file and the folder
    writer    the program's code, then what it is told behind the folder
    limit     seconds that each of the two may take

    Returns what each rank has written, and the program's closes.json if it writes one.
    """
    from processes import Job

    build = given.build.resolve()
    with display() as screen, tempfile.TemporaryDirectory(prefix="dsm-bench-", dir="/dev/shm") as folder:
        contact = Path(folder) / "run.dsm"
        environment = {**os.environ, "PYTHONPATH": str(build / "lib" / "paraview-dsm"), "UCX_ERROR_SIGNALS": "",
                       "DISPLAY": screen, variable: json.dumps({**asked, "contact": str(contact), "folder": folder})}
        launch = ["mpiexec.openmpi", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
        viewer = Job([*launch, "pvbatch", *(["--sym"] if ranks > 1 else []), script], environment, limit=limit)
        try:
            viewer.wait_for_file(contact)
            code, *told = writer
            subprocess.run([build / "bin" / "dsm-run", "--contact", contact, sys.executable, "-c", code, folder,
                            *map(str, told)], check=True, timeout=limit)
            viewer.wait()
        finally:
            viewer.stop()
        closes = Path(folder, "closes.json")
        ranks_told = [json.loads(file.read_text()) for file in sorted(Path(folder).glob("rank.*.json"))]
        assert len(ranks_told) == ranks
        return ranks_told, json.loads(closes.read_text()) if closes.exists() else None


def measure(given, ranks):
    """Returns for each file its steps in milliseconds, and the private memory after it."""
    told, closes = follow(HERE, "DSM_PICTURE_BENCH", {"size": given.size}, ranks, given,
                          [WRITER, given.size, given.snapshots, given.interval])
    # A viewer that is slower than the files may miss some.
    return [table_row(closes[of_ranks[0]["file"]], of_ranks) for of_ranks in zip(*told, strict=True)]


def table_row(close, of_ranks):
    """Returns what one file took, from the times of the simulation and of the ranks."""
    begin, end = close
    marks = [[end, *rank["marks"]] for rank in of_ranks]
    spans = [max(rank[step + 1] - rank[step] for rank in marks) for step in range(5)]
    times = [end - begin, *spans, max(rank["memcpy"] for rank in of_ranks)]
    return {**{step: 1e3 * seconds for step, seconds in zip(STEPS, times, strict=True)},
            "private": sum(rank["private"] for rank in of_ranks)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--ranks", default="1", help="ranks of pvbatch, such as 1,2")
    parser.add_argument("--size", type=int, default=256, help="points along each axis")
    parser.add_argument("--snapshots", type=int, default=8)
    parser.add_argument("--interval", type=float, default=2.5, help="seconds between files")
    given = parser.parse_args()
    print(f"| ranks | ms | {' | '.join(STEPS)} | private, MiB |\n|" + " --- |" * (len(STEPS) + 3))
    for ranks in map(int, given.ranks.split(",")):
        files = measure(given, ranks)
        median = {step: statistics.median(each[step] for each in files[1:] or files) for step in STEPS}
        for name, row in ("median", {**median, "private": files[-1]["private"]}), ("first file", files[0]):
            cells = [f"{row[step]:.1f}" for step in STEPS]
            print(f"| {ranks} | {name} | {' | '.join(cells)} | {row['private']:.0f} |", flush=True)


if "DSM_PICTURE_BENCH" in os.environ:
    in_paraview()
elif __name__ == "__main__":
    main()

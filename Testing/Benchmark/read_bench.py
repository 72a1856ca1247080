#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast a field in the hosts' memory becomes VTK's, beside memcpy of as many bytes in the same processes.

    ./dev shell python3 Testing/Benchmark/read_bench.py --build build/openmpi [--ranks 1,2] [--size 512] [--rounds 7]

ParaView's ranks (pvbatch) host an image of doubles that a program wrote, and read it: `read` is a pipeline's whole
update, from the request to the data in VTK's array, which is new each time. In turns with it, each rank copies as many
bytes as it reads, from memory that is there: `fresh` into memory that is new each time, as VTK's is; `huge` likewise,
in pages of 2 MiB where the system has such; `warm` into memory that was used before. Rates in GB/s of all ranks
together, until the last has finished; ratios within a round: their median, and the least and greatest."""

import argparse
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

WRITER = """
import sys, h5py, numpy
name, layers = sys.argv[1], int(sys.argv[2])
with h5py.File(name, "w") as file:
    values = file.create_dataset("u", (layers, 256, 256), "f8")
    for first in range(0, layers, 64):
        values[first:first + 64] = numpy.random.default_rng(first).random((min(64, layers - first), 256, 256))
"""


def in_paraview():
    """What each of ParaView's ranks does."""
    from paraview import simple
    from vtkmodules.vtkParallelCore import vtkMultiProcessController

    import paraviewdsm

    asked = json.loads(os.environ["DSM_READ_BENCH"])
    controller = vtkMultiProcessController.GetGlobalController()
    ranks = controller.GetNumberOfProcesses()
    size = asked["size"] << 20
    server = paraviewdsm.Server(contact=asked["contact"], memory_per_host=f"{asked['size'] // ranks + 64} MiB")
    snapshot = next(iter(server.snapshots(timeout=300)))
    mine = size // ranks
    source, warm = bytearray(os.urandom(1 << 20)) * (mine >> 20), bytearray(mine)
    place = {name: ctypes.addressof(ctypes.c_char.from_buffer(data)) for name, data in (("from", source), ("to", warm))}

    def read():
        reader = server.open(snapshot)
        reader.UpdatePipelineInformation()
        controller.Barrier()
        begin = time.perf_counter()
        reader.UpdatePipeline()
        took = time.perf_counter() - begin
        points = reader.GetDataInformation().GetNumberOfPoints()
        assert points >= mine // 8, points
        simple.Delete(reader)
        return took

    def fresh(huge=False):
        controller.Barrier()
        begin = time.perf_counter()
        memory = mmap.mmap(-1, mine, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if huge:
            memory.madvise(mmap.MADV_HUGEPAGE)
        view = ctypes.c_char.from_buffer(memory)
        ctypes.memmove(ctypes.addressof(view), place["from"], mine)
        took = time.perf_counter() - begin
        del view
        memory.close()
        return took

    def into_warm():
        controller.Barrier()
        begin = time.perf_counter()
        ctypes.memmove(place["to"], place["from"], mine)
        return time.perf_counter() - begin

    ways = {"read": read, "fresh": fresh, "huge": lambda: fresh(True), "warm": into_warm}
    for way in ways.values():
        way()
    rounds = [{name: way() for name, way in ways.items()} for _ in range(asked["rounds"])]
    rank = controller.GetLocalProcessId()
    Path(asked["folder"], f"rank.{rank}.json").write_text(json.dumps(rounds))
    controller.Barrier()
    server.stop()


def measure(build, ranks, size, rounds):
    """Rounds: the seconds that the slowest rank took, for each way."""
    from processes import Job

    library = build / "lib" / "paraview-dsm"
    with tempfile.TemporaryDirectory(prefix="dsm-read-") as folder:
        contact = Path(folder) / "run.dsm"
        asked = {"size": size, "rounds": rounds, "contact": str(contact), "folder": folder}
        environment = {**os.environ, "PYTHONPATH": str(library), "UCX_ERROR_SIGNALS": "",
                       "DSM_READ_BENCH": json.dumps(asked)}
        launch = ["mpiexec.openmpi", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
        viewer = Job([*launch, "pvbatch", *(["--sym"] if ranks > 1 else []), HERE], environment, limit=600)
        try:
            viewer.wait_for_file(contact)
            subprocess.run([build / "bin" / "dsm-run", "--contact", contact, sys.executable, "-c", WRITER,
                            Path(folder) / "field.h5", str(2 * size)], check=True, timeout=300)
            viewer.wait()
        finally:
            viewer.stop()
        told = [json.loads(file.read_text()) for file in sorted(Path(folder).glob("rank.*.json"))]
    assert len(told) == ranks
    return [{way: max(rank[way] for rank in each) for way in each[0]} for each in zip(*told, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--size", type=int, default=512, help="MiB")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    print("| ranks | read GB/s | fresh GB/s | huge GB/s | warm GB/s | read : fresh | read : huge | read : warm |\n|"
          + " --- |" * 8)
    for ranks in map(int, given.ranks.split(",")):
        rounds = measure(given.build.resolve(), ranks, given.size, given.rounds)
        rates = [f"{(given.size << 20) / statistics.median(each[way] for each in rounds) / 1e9:.2f}"
                 for way in ("read", "fresh", "huge", "warm")]
        ratios = []
        for way in "fresh", "huge", "warm":
            found = sorted(each[way] / each["read"] for each in rounds)
            ratios.append(f"{statistics.median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})")
        print("| " + " | ".join([str(ranks), *rates, *ratios]) + " |", flush=True)


if "DSM_READ_BENCH" in os.environ:
    in_paraview()
else:
    main()

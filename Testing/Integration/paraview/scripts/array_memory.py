# SPDX-License-Identifier: BSD-3-Clause
"""Goes through what array_writer.py writes while the newest HELD snapshots' arrays are held, as filters hold them."""

import collections
import os
import pathlib

import numpy
from paraview import simple
from vtkmodules.util.numpy_support import vtk_to_numpy

import paraviewdsm
from reporting import report

HELD = 3
folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])


def private_memory():
    lines = pathlib.Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("Anonymous:")).split()[1]) << 10


def values_of(data):
    return vtk_to_numpy(data.GetPointData().GetArray("u"))


with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="256 MiB", when_full="block") as server:
    reader = server.reader()
    held = collections.deque(maxlen=HELD)
    wrong, places, private = [], [], []
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        output = reader.GetClientSideObject().GetOutputDataObject(0)
        mine = output.NewInstance()
        mine.ShallowCopy(output)
        held.append((snapshot.step, mine))
        expected = numpy.arange(values_of(mine).size, dtype=float)
        wrong += [(snapshot.number, step) for step, data in held if not (values_of(data) == expected + step).all()]
        places.append(values_of(mine).ctypes.data)
        private.append(private_memory())
        size = values_of(mine).nbytes
    # Two arrays outlive the reader.
    first, second = [data.GetPointData().GetArray("u") for _, data in held][:2]
    whole = private_memory()
    held.clear()
    del mine, output
    server._readers.clear()
    simple.Delete(reader)
    del reader
    freed = whole - private_memory()
    # vtkBuffer allocates anew by malloc, and keeps the free function that it was given.
    first.InsertNextValue(1.0)
    first.Squeeze()
    second.Allocate(2 * second.GetNumberOfValues())
    second.SetNumberOfValues(second.GetNumberOfValues() + 7)
    second.Fill(3)
    changed = [first.GetNumberOfValues(), first.GetValue(first.GetNumberOfValues() - 1), second.GetRange()[1]]
    del first, second
    report(wrong=wrong, places=places, private=private, size=size, freed=freed, changed=changed)

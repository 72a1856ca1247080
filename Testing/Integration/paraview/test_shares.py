# SPDX-License-Identifier: BSD-3-Clause
"""Each of N ranks reads 1/N of a file, of whatever kind: counted in bytes."""

import h5py
import numpy
import pytest

MIB = 1 << 20


def image(file):
    file["u"] = numpy.zeros((128, 128, 128))


def turned(file):
    """x is the slowest, so numbers come by way of a buffer; from right to left. It is the longest, too, and cut."""
    file["u"] = numpy.zeros((512, 64, 64))
    for axis, count in zip("xyz", (512, 64, 64), strict=True):
        file[axis] = numpy.arange(float(count))[::-1]


def chunked(file):
    file.create_dataset("u", data=numpy.zeros(2 * MIB), chunks=(MIB // 64,))


def table(file):
    for name in "ab":
        file[name] = numpy.zeros(MIB)


def particles(file):
    """One kind with many particles, others with few."""
    for kind, count in {"a": 1000, "b": 600000, "c": 10}.items():
        file[f"{kind}/position"] = numpy.zeros((count, 3))


def blocks(file):
    file["unknown names"], file["dens"] = numpy.array([["dens"]], "S4"), numpy.zeros((61, 32, 32, 32))
    file["bounding box"] = numpy.broadcast_to([0, 1.0], (61, 3, 2))
    file["refine level"], file["node type"] = numpy.ones((2, 61), "i4")


@pytest.mark.parametrize("ranks", [1, 4])
def test_shares(bench, ranks):
    files = bench.folder / "files"
    files.mkdir()
    for write in image, turned, chunked, table, particles, blocks:
        with h5py.File(files / write.__name__, "w") as file:
            write(file)
    with h5py.File(bench.folder / "small.h5", "w") as file:
        file["u"] = numpy.zeros((4, 4, 4))
    bench.pvbatch("read_shares.py", ranks).wait()
    reports = bench.reports()
    for file in files.iterdir():
        assert reports[0][f"error {file.name}"] in ("", []), reports[0]
        size = file.stat().st_size
        read = [report[file.name] for report in reports]
        assert sum(read) >= size, (file.name, read)
        # Layers and blocks are not cut, and neighbours share a layer of points.
        assert max(read) <= 1.1 * size / ranks + MIB / 2, (file.name, size, read)

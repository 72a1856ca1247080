# SPDX-License-Identifier: BSD-3-Clause
"""The reader that DSMReader stands on, with ordinary files on disk."""

import h5py
import numpy

from conftest import some_ways


def write_files(folder):
    ez = numpy.random.default_rng(1).random((7, 5, 9))
    numpy.save(folder / "plain.npy", ez)
    with h5py.File(folder / "plain.h5", "w") as file:
        file["deep/ez"] = ez
        file["count"] = (100 * ez).astype("i2")
        file["small"] = [1, 2, 3]
        file["name"] = "text is not shown"
        file.attrs["time"] = 2.5
    with h5py.File(folder / "flat.h5", "w") as file:
        file["u8"] = numpy.arange(12, dtype="u1").reshape(3, 4)
    with h5py.File(folder / "nothing.h5", "w") as file:
        file["name"] = "only text"
    with h5py.File(folder / "image.vtkhdf", "w") as file:
        group = file.create_group("VTKHDF")
        group.attrs["Version"] = (2, 0)
        group.attrs["Type"] = numpy.bytes_("ImageData")
        group.attrs["WholeExtent"] = (0, 8, 0, 4, 0, 6)
        group.attrs["Origin"] = (0.0, 0.0, 0.0)
        group.attrs["Spacing"] = (1.0, 1.0, 1.0)
        group.attrs["Direction"] = (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)
        group.attrs["Time"] = 3.0
        points = group.create_group("PointData")
        points["u"] = ez
        points["v"] = -ez


@some_ways
def test_files(bench, ranks, symmetric):
    write_files(bench.folder)
    output = bench.pvbatch("read_files.py", ranks, symmetric).wait()
    reports = bench.reports()
    assert len(reports) == ranks
    for found in reports:
        assert found["plain"]
    # Each rank reads its own part: neighbours share a face, nothing is read whole by every rank.
    points = sum(found["points"] for found in reports)
    assert 7 * 5 * 9 <= points <= 7 * 5 * 9 + (ranks - 1) * 7 * 9

    first = reports[0]
    assert first["arrays"] == ["count", "deep/ez"]
    assert first["times"] == [2.5]
    assert first["vtkhdf"] == ["u", "v"]
    assert first["vtkhdfTimes"] == [3.0]
    assert first["chosen"] == ["u"]
    if not symmetric:
        assert first["flat"] == [0, 3, 0, 2, 0, 0]

    # Errors are clear, and said once.
    assert "missing.h5 cannot be opened" in first["missing"] and "No such file" in first["missing"]
    assert "nothing.h5 holds neither a VTKHDF group nor a dataset of numbers" in first["nothing"]
    assert output.count("missing.h5 cannot be opened") == 1, output
    assert output.count("nothing to show") == 1, output

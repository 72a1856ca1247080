# SPDX-License-Identifier: BSD-3-Clause
"""Large arrays of VTKHDF files compute their ranges once, and are in all else as vtkHDFReader makes them."""

import sys

from conftest import HERE


def test_ranged_arrays(bench):
    program = [sys.executable, HERE / "scripts" / "ranged_arrays_writer.py", bench.folder]
    bench.simulation(None, 1, None, program=program).wait()
    bench.pvbatch("ranged_arrays.py", 1).wait()
    (found,) = bench.reports()
    assert found["wrong"] == []
    assert set(found["replaced"]) == {"image", "grid", "surface", "collection", "multiblock"}
    # By their classes' names: those of char and long have the same, and surfaces have others from the beginning.
    assert (found["replaced"]["image"], found["replaced"]["grid"]) == (7, 4), found["replaced"]

# SPDX-License-Identifier: BSD-3-Clause
"""The memory of arrays is used again for later snapshots, and never while somebody holds an older array."""

import sys

from conftest import HERE

STEPS = 20
SIZE = 96


def test_array_memory(bench):
    folder = bench.folder
    viewer = bench.pvbatch("array_memory.py", 1)
    viewer.wait_for_file(folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "array_writer.py", folder, SIZE, STEPS]
    bench.simulation(folder / "run.dsm", 1, None, program=program).wait()
    viewer.wait()
    (found,) = bench.reports()
    assert found["size"] == 8 * SIZE**3
    assert found["wrong"] == []
    assert len(found["places"]) == STEPS
    # Three are held, one is read, and one is kept.
    assert len(set(found["places"])) <= 5, found["places"]
    assert max(found["private"][STEPS // 2:]) < found["private"][STEPS // 2 - 1] + found["size"] // 2, found["private"]
    # The third array that was held, and the block that was kept, went with the reader.
    assert found["freed"] > 1.5 * found["size"], found
    assert found["changed"] == [SIZE**3 + 1, 1, 3]

# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that a number in their names tells apart, and readers of one of them."""

import sys

from conftest import HERE

STEPS = 4
POINTS = 64


def test_kinds(bench):
    folder = bench.folder
    viewer = bench.pvbatch("kinds.py", 1)
    viewer.wait_for_file(folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "kinds_writer.py", folder, STEPS]
    bench.simulation(folder / "run.dsm", 1, None, program=program).wait()
    (folder / "written").touch()
    viewer.wait()
    (found,) = bench.reports()
    assert found["streams"] == ["B.out1.#.h5", "B.out2.#.h5", "diag#.h5"], found
    kind = named = 0
    for file, number, stream, step, in_memory, of_kind, by_name in found["seen"]:
        assert in_memory == len(found["seen"])
        if stream == "diag#.h5":
            named = number
        else:
            which, count = file.removeprefix("B.out").removesuffix(".h5").split(".")
            assert (stream, step) == (f"B.out{which}.#.h5", int(count)), file
            kind = number if which == "2" else kind
        # From its first one on each shows its last one.
        assert not kind or of_kind == [kind, POINTS], (file, of_kind)
        assert not named or by_name == [named, POINTS], (file, by_name)
    assert kind and named
    # A turn costs what has changed, not all that is in memory.
    assert "ServerStatus" not in found["asked"] and "FoundSnapshot" in found["asked"]
    (warned,) = found["warned"]
    assert "no snapshot fits reader('nothing.h5')" in warned and "B.out1.#.h5, B.out2.#.h5, diag#.h5" in warned
    assert found["points"] == 0

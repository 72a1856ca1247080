# SPDX-License-Identifier: BSD-3-Clause
"""A ParaView that is not the host opens the contact file, in one process and through a pvserver."""

import json
import os

import pytest

from conftest import HERE


@pytest.mark.parametrize("ranks", [0, 2], ids=["built-in", "pvserver"])
def test_viewer(bench, ranks):
    folder = bench.folder
    host = bench.pvbatch("hosting.py", 2, True)
    host.wait_for_file(folder / "run.dsm")
    (folder / "other.dsm").write_text("not a contact file")
    more = {"DSM_TEST_PORT": bench.pvserver(ranks)[1]} if ranks else {}
    viewer = bench.start(
        [os.environ["DSM_TEST_PVPYTHON"], HERE / "scripts" / "viewer.py"], "viewer", DSM_TEST_FOLDER=folder, **more
    )
    simulation = bench.simulation(
        folder / "run.dsm", 3, folder / "live", "--size", 12, 10, 9, "--steps", 20, "--every", 10
    )
    viewer.wait()
    simulation.wait()
    (folder / "done").touch()
    host.wait()
    found = json.loads((folder / "found.json").read_text())
    assert found["offered"] and not found["other"] and found["proxy"] == "DSMReader"
    assert found["times"] == [0, 10] and found["waits"]
    # Neighbours share a face.
    assert found["first"] == [2, 12 * 10 * 9 + (10 * 9 if ranks == 2 else 0), ["u", "v"]]
    assert found["newest"] == 3
    assert {"/VTKHDF/PointData/u", "/VTKHDF/PointData/v"} <= set(found["contents"])



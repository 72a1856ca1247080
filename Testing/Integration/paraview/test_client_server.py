# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of a pvserver host, and a script in its client leads."""

import json
import os

from conftest import HERE


def test_client(bench):
    folder = bench.folder
    server, port = bench.pvserver(ranks=2)
    client = bench.start(
        [os.environ["DSM_TEST_PVPYTHON"], HERE / "scripts" / "client.py"], "client",
        DSM_TEST_FOLDER=folder, DSM_TEST_PORT=port,
    )
    client.wait_for_file(folder / "run.dsm")
    bench.simulation(
        folder / "run.dsm", 3, folder / "live", "--size", 12, 10, 9, "--steps", 20, "--every", 10
    ).wait()
    client.wait()
    server.wait()
    found = json.loads((folder / "seen.json").read_text())
    assert found["seen"] == [[n + 1, 10 * n, ["u", "v"], [0, 11, 0, 9, 0, 8]] for n in range(3)]
    assert found["budget"] == 2 * 16 * 2**20

# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of a pvserver host, and a script in its client leads."""

import json
import os
import socket

from conftest import HERE, MPIEXEC


def test_client(workshop):
    folder = workshop.folder
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    server = workshop.start([*MPIEXEC, "-n", 2, os.environ["DSM_TEST_PVSERVER"], f"--server-port={port}"], "pvserver")
    server.wait_to_say("Accepting connection")
    client = workshop.start(
        [os.environ["DSM_TEST_PVPYTHON"], HERE / "scripts" / "client.py"], "client",
        DSM_TEST_FOLDER=folder, DSM_TEST_PORT=port,
    )
    client.wait_for_file(folder / "run.dsm")
    workshop.simulation(
        folder / "run.dsm", 3, folder / "live", "--size", 12, 10, 9, "--steps", 20, "--every", 10
    ).wait()
    client.wait()
    server.wait()
    found = json.loads((folder / "seen.json").read_text())
    assert found["seen"] == [[n + 1, 10 * n, ["u", "v"], [0, 11, 0, 9, 0, 8]] for n in range(3)]
    assert found["budget"] == 2 * 16 * 2**20

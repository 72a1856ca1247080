# SPDX-License-Identifier: BSD-3-Clause
"""Debian's clients of ParaView, on Open MPI, with the ranks of a pvserver on MPICH as hosts. Each side
has the plugin that was built for it."""

import json
import os

import pytest
from PIL import Image

from conftest import BIN, HERE, MPIEXEC, OTHER, built
from processes import free_port

GRID = ("--size", 24, 20, 18, "--steps", 20, "--every", 10)


def start_server(bench):
    port = free_port()
    server = bench.start(
        [*MPIEXEC, "-n", 2, BIN / "dsm-paraview", os.environ["DSM_TEST_PVSERVER"], f"--server-port={port}"],
        "pvserver", DISPLAY=bench.screen(), PYTHONPATH=HERE / "scripts",
    )
    server.wait_to_say("Accepting connection")
    return server, port


def client_plugin():
    build, _ = built(OTHER)
    folder = build / "lib/paraview-dsm"
    if not (folder / "ParaViewDSM.so").exists():
        pytest.skip(f"the build in {build} has no plugin")
    return folder


def test_script(bench):
    folder = bench.folder
    plugin = client_plugin()
    server, port = start_server(bench)
    client = bench.start(
        ["/usr/bin/pvpython", HERE / "scripts" / "client.py"], "client",
        PYTHONPATH=plugin, DSM_TEST_FOLDER=folder, DSM_TEST_PORT=port,
    )
    client.wait_for_file(folder / "run.dsm")
    bench.simulation(folder / "run.dsm", 3, folder / "live", *GRID).wait()
    client.wait()
    server.wait()
    found = json.loads((folder / "seen.json").read_text())
    assert found["seen"] == [[n + 1, 10 * n, ["u", "v"], [0, 23, 0, 19, 0, 17]] for n in range(3)]
    assert found["budget"] == 2 * 16 * 2**20


def test_window(bench):
    """ParaView's window: a script in it hosts on the server's ranks, shows what comes, and takes a picture."""
    folder = bench.folder
    plugin = client_plugin()
    if not os.environ["DSM_TEST_GUI"]:
        pytest.skip("there is no paraview program")
    # No dialog to welcome a new user, who would have to close it.
    settings = folder / "ParaView" / "ParaView5.13.2.ini"
    settings.parent.mkdir()
    settings.write_text("[General]\nGeneralSettings.ShowWelcomeDialog=false\n")
    server, port = start_server(bench)
    window = bench.start(
        [
            os.environ["DSM_TEST_GUI"], f"--plugin-search-paths={plugin}", "--plugins=ParaViewDSM",
            f"--server-url=cs://localhost:{port}", f"--script={HERE / 'scripts' / 'window.py'}",
        ],
        "window", DISPLAY=bench.screen(), PYTHONPATH=plugin, DSM_TEST_FOLDER=folder, HOME=folder,
        XDG_CONFIG_HOME=folder,
    )
    window.wait_for_file(folder / "run.dsm")
    bench.simulation(folder / "run.dsm", 3, folder / "live", *GRID).wait()
    window.wait_for_file(folder / "seen.json")
    seen = json.loads((folder / "seen.json").read_text())
    assert seen == {"steps": [0, 10, 20], "ranks": 2, "remote": True, "local": True}, window.text
    # Not one colour: something is drawn, and not only the background.
    picture = Image.open(folder / "view.png").convert("RGB")
    assert len(picture.getcolors(picture.width * picture.height)) > 50
    bench.photograph(folder / "window.png")
    window.stop()
    server.wait(expect=None)

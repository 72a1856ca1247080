# SPDX-License-Identifier: BSD-3-Clause
"""The ways in which ParaView's programs without a window load the plugin; those of the window are in Testing/Gui."""

import json
import os
import pathlib

import pytest

from conftest import HERE, MPIEXEC

FOLDER = pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"])
PLUGIN = FOLDER / "ParaViewDSM" / "ParaViewDSM.so"


def check(bench, program, command, ranks, how, port=0, symmetric=False, **more):
    # Nothing of ours on Python's path.
    job = bench.start(
        [*command, HERE / "scripts" / "load_plugin.py", how, PLUGIN, port, bench.folder],
        program,
        PYTHONPATH="",
        **more,
    )
    output = job.wait()
    files = sorted(bench.folder.glob("found.*.json"))
    assert len(files) == (ranks if symmetric else 1), output
    for file in files:
        assert json.loads(file.read_text()) == ["listening", "", ranks, ranks * 2**23, 2047, 60, "", "idle"]
    # No library beside the plugin is taken for one.
    assert "dsm-paraview" not in output and "rror" not in output, output


@pytest.mark.parametrize("how", ["LoadPlugin", "PV_PLUGIN_PATH"])
def test_one_process(bench, how):
    more = {how: FOLDER} if how == "PV_PLUGIN_PATH" else {}
    check(bench, "pvpython", [os.environ["DSM_TEST_PVPYTHON"]], 1, "there" if more else "local", **more)


@pytest.mark.parametrize(("ranks", "how", "symmetric"), [(2, "LoadPlugin", True), (3, "PV_PLUGIN_PATH", False)])
def test_batch(bench, ranks, how, symmetric):
    more = {how: FOLDER} if how == "PV_PLUGIN_PATH" else {}
    command = [*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVBATCH"], *(["--sym"] if symmetric else [])]
    check(bench, "pvbatch", command, ranks, "there" if more else "local", symmetric=symmetric, **more)


@pytest.mark.parametrize("ranks", [1, 3])
def test_remote(bench, ranks):
    """From a client, into a pvserver that knew nothing of it, and into the client itself."""
    server, port = bench.pvserver(ranks)
    check(bench, "pvpython", [os.environ["DSM_TEST_PVPYTHON"]], ranks, "remote", port)
    assert "rror" not in server.wait()

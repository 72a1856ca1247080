# SPDX-License-Identifier: BSD-3-Clause
"""The ways in which ParaView's window loads the plugin that it is told of at its start."""

import os
import pathlib

import pytest
from window import DSM

FOLDER = pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"])


def start_and_stop(window, contact, hosts):
    window.until(lambda: window.state() == "Idle", "idle")
    window.setting("ContactFile", contact)
    window.setting("MemoryPerHost", "16 MiB")
    window.click(DSM + "start")
    window.until(lambda: window.state() == "Listening", "listening")
    assert f"of {16.0 * hosts} MiB" in window.get(DSM + "memory", "text")
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    window.close()
    assert "dsm-paraview" not in window.program.text


@pytest.mark.parametrize("how", ["--plugins", "PV_PLUGIN_PATH"])
def test_at_its_start(workshop, how):
    if how == "--plugins":
        window = workshop.window(f"--plugin-search-paths={FOLDER}", "--plugins=ParaViewDSM", PV_PLUGIN_CONFIG_FILE="")
    else:
        window = workshop.window(PV_PLUGIN_CONFIG_FILE="", PV_PLUGIN_PATH=FOLDER)
    start_and_stop(window, workshop.folder / "run.dsm", 1)

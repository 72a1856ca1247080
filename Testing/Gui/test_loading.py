# SPDX-License-Identifier: BSD-3-Clause
"""The ways in which ParaView's window loads the plugin: told at its start, or by the Plugin Manager, on both sides of a
connection."""

import os
import pathlib

import pytest
from window import DSM

FOLDER = pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"])
PLUGIN = FOLDER / "ParaViewDSM" / "ParaViewDSM.so"


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


def load(window, button):
    """In the Plugin Manager, which is open."""
    window.until(lambda: window.try_("size", button), "the Plugin Manager")
    assert window.ask(do="press", object=button)
    window.until(lambda: window.ask(do="choose", file=str(PLUGIN)), "the file dialog")


def test_plugin_manager(workshop):
    server, url = workshop.pvserver(2, PV_PLUGIN_CONFIG_FILE="")
    window = workshop.window(url, panel=False, PV_PLUGIN_CONFIG_FILE="")
    assert window.ask(do="trigger", action="actionManage_Plugins")
    load(window, "loadLocal")
    window.until(window.has_panel, "the panel")
    # Half of the way: the panel says what is left to do.
    window.until(lambda: window.state() == "Plugin missing", "what is missing")
    assert "remote side of Tools > Manage Plugins" in window.get(DSM + "details")
    load(window, "loadRemote")
    start_and_stop(window, workshop.folder / "run.dsm", 2)
    server.wait()

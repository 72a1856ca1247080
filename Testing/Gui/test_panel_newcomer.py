# SPDX-License-Identifier: BSD-3-Clause
"""From a ParaView that knows nothing of the plugin to its panel, and to its pages in ParaView's help, by the
menus that a user finds."""

import os
import pathlib

from window import DSM

MANAGER = "window pqPluginDialog"
HELP = "window pqHelpWindow"


def page(window):
    """What stands in ParaView's help."""
    return window.get(HELP, "plainText", child="QTextBrowser")


def load(window):
    """Tools > Manage Plugins, Load New, and the file."""
    assert window.ask(do="trigger", action="actionManage_Plugins")
    window.until(lambda: window.try_("size", MANAGER), "the plugin manager")
    window.picture("newcomer-manager", MANAGER)
    window.ask(do="later", object=MANAGER + "/loadLocal")
    plugin = pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"]) / "ParaViewDSM" / "ParaViewDSM.so"
    window.until(lambda: window.ask(do="choose", file=str(plugin)), "the file dialog")
    window.until(lambda: window.try_("size", "pqDSMPanel"), "the panel")
    window.picture("newcomer-loaded", MANAGER)
    window.ask(do="call", object=MANAGER, method="reject")


def test_newcomer(workshop):
    window = workshop.window(bare=True)
    window.picture("newcomer-before")
    load(window)
    window.until(lambda: window.state() == "Idle", "idle")
    window.looks("newcomer")
    # It is docked, wide enough, and leaves the picture room.
    assert not window.panel("floating") and window.panel("visible")
    width = window.ask(do="size", object="pqDSMPanel")[0]
    assert 350 < width < 500, width
    # View > DSM closes it, and opens it again.
    for visible in (False, True):
        assert window.ask(do="trigger", action="DSM", menu="menu_View")
        window.until(lambda: window.panel("visible") is visible, "the panel to open or close")

    # Help: the guide is there, and what the question mark of a proxy opens.
    window.ask(do="help", group="misc", name="DSMServer")
    window.until(lambda: "Memory Per Host" in page(window), "the server's page")
    window.picture("help-server", HELP)
    window.ask(do="help", group="sources", name="DSMReader")
    window.until(lambda: "Shows the snapshots that a simulation wrote" in page(window), "the reader's page")
    window.ask(do="trigger", action="actionHome", window="pqHelpWindow")
    window.until(lambda: page(window).startswith("The panel DSM"), "the guide")
    window.picture("help-guide", HELP)
    window.close()
    window.legible()

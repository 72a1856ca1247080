# SPDX-License-Identifier: BSD-3-Clause
"""From a ParaView without the plugin to its panel and its pages in ParaView's help, by ParaView's menus."""

import os
import pathlib

MANAGER = "window pqPluginDialog"
HELP = "window pqHelpWindow"


def help_page(window):
    """The page that ParaView's help shows."""
    return window.get(HELP, "plainText", child="QTextBrowser")


def load(window):
    """Tools > Manage Plugins, Load New, and the file."""
    assert window.ask(do="trigger", action="actionManage_Plugins")
    window.until(lambda: window.exists(MANAGER), "the plugin manager")
    window.screenshot("newcomer-manager", MANAGER)
    window.ask(do="clickLater", object=MANAGER + "/loadLocal")
    plugin = pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"]) / "ParaViewDSM" / "ParaViewDSM.so"
    window.until(lambda: window.ask(do="choose", file=str(plugin)), "the file dialog")
    window.until(lambda: window.exists("pqDSMPanel"), "the panel")
    window.screenshot("newcomer-loaded", MANAGER)
    window.ask(do="call", object=MANAGER, method="reject")


def test_newcomer(programs):
    window = programs.window(plugin=False)
    window.screenshot("newcomer-before")
    load(window)
    window.until(lambda: window.state() == "Idle", "idle")
    window.check_appearance("newcomer")
    # It is docked, wide enough, and leaves room for the view.
    assert not window.panel("floating") and window.panel("visible")
    width = window.ask(do="size", object="pqDSMPanel")[0]
    assert 350 < width < 500, width
    # View > DSM closes it, and opens it again.
    for visible in (False, True):
        assert window.ask(do="trigger", action="DSM", menu="menu_View")
        window.until(lambda visible=visible: window.panel("visible") is visible, "the panel to open or close")

    # Help: the guide, and the pages that the question marks of proxies open.
    window.ask(do="help", group="misc", name="DSMServer")
    window.until(lambda: "Memory Per Host" in help_page(window), "the server's page")
    window.screenshot("help-server", HELP)
    window.ask(do="help", group="sources", name="DSMReader")
    window.until(lambda: "Shows the snapshots that a simulation wrote" in help_page(window), "the reader's page")
    window.ask(do="trigger", action="actionHome", window="pqHelpWindow")
    window.until(lambda: help_page(window).startswith(("The panel DSM", "ParaView")), "the first page")
    if help_page(window).startswith("ParaView"):
        # That ParaView has pages of its own, which come first.
        window.ask(do="helpPage", page="qthelp://paraview-dsm/paraview-dsm/index.html")
    window.until(lambda: help_page(window).startswith("The panel DSM"), "the guide")
    window.screenshot("help-guide", HELP)
    window.close()
    window.assert_no_problems()

# SPDX-License-Identifier: BSD-3-Clause
"""Connections whose server lacks the plugin, and others that are coming up."""

from window import PANEL


def states_until(window, url, last):
    """Connects, and returns the states that the panel shows until the last one."""
    window.poll_every(20)
    window.ask(do="record", object=PANEL + "state", property="stateText")
    assert window.ask(do="connect", url=url)
    window.until(lambda: window.state() == last, f"the state {last}")
    return window.ask(do="recorded", object=PANEL + "state")


def test_plugin_missing(window, programs):
    """A pvserver without the plugin: that is said when it is known, not while the connection is coming up."""
    server, url = programs.pvserver(1, PV_PLUGIN_CONFIG_FILE="")
    states = states_until(window, url, "Plugin missing")
    assert states == ["Idle", "Connecting", "Plugin missing"], states
    window.screenshot("plugin-missing")
    window.disconnect()
    server.wait()


def test_connecting(window, programs):
    """A pvserver with the plugin: the panel says that it is connecting, and nothing else until it is."""
    server, url = programs.pvserver(1)
    states = states_until(window, url, "Idle")
    assert states == ["Idle", "Connecting", "Idle"], states
    window.disconnect()
    server.wait()

# SPDX-License-Identifier: BSD-3-Clause
"""Connections whose server lacks the plugin."""


def test_plugin_missing(window, programs):
    """A pvserver without the plugin: that is not said while the connection is coming up."""
    server, url = programs.pvserver(1, PV_PLUGIN_CONFIG_FILE="")
    window.poll_every(50)
    assert window.ask(do="connect", url=url)
    states = []

    def missing():
        states.append(window.state())
        return states[-1] == "Plugin missing"
    window.until(missing, "word of the plugin")
    assert states.count("Connecting") > 10, states
    window.screenshot("plugin-missing")
    window.disconnect()
    server.wait()

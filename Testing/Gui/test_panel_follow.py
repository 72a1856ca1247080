# SPDX-License-Identifier: BSD-3-Clause
"""A simulation writes tiny files far faster than the window shows them, into a ring of two snapshots, on a
pvserver of two ranks: each picture has the arrays of its file, and the panel is about what is shown, not
about what has come since. The hosts have a transport that is in no list."""

import os

from window import BIN, HERE, HOSTS, MPIEXEC, PANEL

READER = "list(GetSources().values())[0]"
WRITER = HERE.parent / "Integration/paraview/scripts/fast_writer.py"


def check_transports(window):
    """The field shows the automatic choice, and any transport that was set."""

    def field():
        return window.get(PANEL + "proxyWidget/Transport", "currentText", child="QComboBox")

    def shows(text):
        window.until(lambda: field() == text, f"the transport {text}, not {field()}")
        window.wait_for_polls(2)
        assert field() == text
        return window.evaluate(f"servermanager.vtkSMPropertyHelper({HOSTS}, 'Transport').GetAsString()")[0]

    window.show_page("Settings")
    window.advanced_settings(True)
    assert shows("automatic (fabric/tcp;ofi_rxm)") == "automatic"
    window.python(f"from paraview.simple import *\nhosts = {HOSTS}\n"
                  "servermanager.vtkSMPropertyHelper(hosts, 'Transport').Set('mpi-rma,fabric/sockets:64')\n"
                  "hosts.UpdateVTKObjects()")
    assert shows("mpi-rma,fabric/sockets:64") == "mpi-rma,fabric/sockets:64"
    window.ask(do="scrollTo", object=PANEL + "proxyWidget/Transport")
    window.screenshot("transport")
    window.set_setting("Transport", "fabric/sockets")
    assert shows("fabric/sockets") == "fabric/sockets"
    window.set_setting("Transport", "automatic")
    assert shows("automatic (fabric/tcp;ofi_rxm)") == "automatic"
    window.advanced_settings(False)


def check_pictures(window, count):
    """As many pictures, each with the arrays of its file and without an error."""
    seen = set()
    while len(seen) < count:
        number, error, arrays = window.evaluate(
            f"[{READER}.UpdatePropertyInformation(), {READER}.GetProperty('ShownSnapshot').GetData()][1]",
            f"{READER}.GetProperty('ErrorText').GetData()", f"sorted({READER}.PointData.keys())")
        assert (arrays, error or "") == (["u", "v"] if number % 2 else ["u"], ""), (number, arrays, error)
        assert window.panel("errorText") == ""
        seen.add(number)
        window.wait_for_polls()


def check_held(window):
    """Holds one snapshot, picks it, and waits for others: the page Contents is about the one that is held."""
    window.click(PANEL + "follow")
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early, "the next picture")
    window.click(PANEL + "hold")
    window.wait_for_polls()
    number = window.panel("shown")
    window.until(lambda: window.pinned() == [number], "the snapshot that is held to be pinned")
    window.until(lambda: window.rows()[0][0] > number + 2, "others to come")
    window.pick(number)
    window.until(lambda: window.rows()[0][0] > number + 4, "others to come")
    assert window.panel("shown") == number and window.panel("errorText") == ""
    assert window.get(PANEL + "contents/contentsNote", "toolTip") == f"Snapshot No. {number}"
    assert window.contents("u") == ["int64", "24 x 16 x 16", 2]
    assert window.contents("v") == (["int64", "24 x 16 x 16", 2] if number % 2 else None)
    return number % 2


def test_follow(connected, programs):
    window = connected
    check_transports(window)
    contact = programs.folder / "run.dsm"
    window.listen(contact, "2 MiB", MaximumSnapshots=2)
    simulation = programs.start(
        [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", 2, os.environ["DSM_TEST_PYTHON"], WRITER,
         programs.folder],
        "simulation")
    window.until(lambda: window.panel("shown") > 0, "the first picture")
    check_pictures(window, 12)
    assert window.panel("skipped") > 12

    window.set_setting("MaximumSnapshots", 8)
    (programs.folder / "slow").touch()
    window.show_page("Contents")
    kinds = set()
    for _ in range(20):
        kinds.add(check_held(window))
        if len(kinds) == 2:
            break
    assert kinds == {0, 1}
    window.screenshot("contents-held")
    (programs.folder / "enough").touch()
    simulation.wait()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle again")
    window.report_times()
    output = window.server_output()
    assert "ERROR" not in output and "ERR|" not in output, output

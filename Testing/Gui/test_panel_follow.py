# SPDX-License-Identifier: BSD-3-Clause
"""A simulation writes tiny files far faster than a window shows them, into the smallest ring, on a
pvserver of two ranks: each picture has its arrays, and the panel tells what is shown, not what came
since. Its hosts were told of a transport that is in no list. And simulations that write another kind
of data than those before."""

import os

from window import BIN, DSM, HERE, MPIEXEC, tab

READER = "list(GetSources().values())[0]"
WRITER = HERE.parent / "Integration/paraview/scripts/fast_writer.py"
MANAGER = "servermanager.ActiveConnection.Session.GetSessionProxyManager()"
HOSTS = f"{MANAGER}.GetProxy('dsm_servers', {MANAGER}.GetProxyName('dsm_servers', 0))"


def transports(window):
    """The field shows what "automatic" comes to, and whatever was set, and keeps it."""

    def shows(text):
        field = lambda: window.get(DSM + "proxyWidget/Transport", "currentText", child="QComboBox")
        window.until(lambda: field() == text, f"the transport {text}, not {field()}")
        window.looked(2)
        assert field() == text
        return window.information(f"servermanager.vtkSMPropertyHelper({HOSTS}, 'Transport').GetAsString()")[0]

    tab(window, "Settings")
    advanced = lambda on: window.ask(do="play", object=DSM + "settingsAdvanced", command="set_boolean", arguments=on)
    advanced("true")
    assert shows("automatic (fabric/tcp;ofi_rxm)") == "automatic"
    window.python(f"from paraview.simple import *\nhosts = {HOSTS}\n"
                  "servermanager.vtkSMPropertyHelper(hosts, 'Transport').Set('mpi-rma,fabric/sockets:64')\nhosts.UpdateVTKObjects()")
    assert shows("mpi-rma,fabric/sockets:64") == "mpi-rma,fabric/sockets:64"
    window.play(DSM + "proxyWidget/Transport", "scrollTo")
    window.picture("transport")
    window.setting("Transport", "fabric/sockets")
    assert shows("fabric/sockets") == "fabric/sockets"
    window.setting("Transport", "automatic")
    assert shows("automatic (fabric/tcp;ofi_rxm)") == "automatic"
    advanced("false")


def follow(window, pictures):
    """Looks at as many pictures, each with its arrays and without an error."""
    seen = set()
    while len(seen) < pictures:
        number, error, arrays = window.information(
            f"[{READER}.UpdatePropertyInformation(), {READER}.GetProperty('ShownSnapshot').GetData()][1]",
            f"{READER}.GetProperty('ErrorText').GetData()", f"sorted({READER}.PointData.keys())")
        assert (arrays, error or "") == (["u", "v"] if number % 2 else ["u"], ""), (number, arrays, error)
        assert window.panel("errorText") == ""
        seen.add(number)
        window.looked()


def held(window):
    """Holds one, clicks it, and waits for others to come: the page Contents is about that one."""
    window.click(DSM + "follow")
    early = window.panel("shown")
    window.until(lambda: window.panel("shown") > early, "the next picture")
    window.click(DSM + "hold")
    window.looked()
    number = window.panel("shown")
    window.until(lambda: [row[0] for row in window.rows() if row[5] == 2] == [number], "the one held to be kept")
    window.until(lambda: window.rows()[0][0] > number + 2, "others to come")
    window.pick(number)
    window.until(lambda: window.rows()[0][0] > number + 4, "others to come")
    assert window.panel("shown") == number and window.panel("errorText") == ""
    assert window.get(DSM + "contents/contentsNote").startswith(f"No. {number} is shown as image")
    assert window.contents("u") == ["int64", "24 x 16 x 16", 2]
    assert window.contents("v") == (["int64", "24 x 16 x 16", 2] if number % 2 else None)
    return number % 2


def test_follow(workshop):
    server, window = workshop.connected(DSM_TRANSPORT="fabric/tcp;ofi_rxm")
    transports(window)
    contact = workshop.folder / "run.dsm"
    window.listen(contact, "2 MiB", MaximumSnapshots=2)
    simulation = workshop.start(
        [BIN / "dsm-run", "--contact", contact, *MPIEXEC, "-n", 2, os.environ["DSM_TEST_PYTHON"], WRITER, workshop.folder],
        "simulation")
    window.until(lambda: window.panel("shown") > 0, "the first picture")
    follow(window, 12)
    assert window.panel("skipped") > 12

    window.setting("MaximumSnapshots", 8)
    (workshop.folder / "slow").touch()
    tab(window, "Contents")
    kinds = set()
    for _ in range(20):
        kinds.add(held(window))
        if len(kinds) == 2:
            break
    assert kinds == {0, 1}
    window.picture("contents-held")
    (workshop.folder / "enough").touch()
    simulation.wait()
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    window.report()
    window.close()
    assert "ERROR" not in server.text and "ERR|" not in server.text
    server.wait()


KINDS = """
import sys, h5py, numpy
for step in range(2):
    with h5py.File(f"{sys.argv[1]}/run-{step:03d}.h5", "w") as file:
        file["pressure"] = numpy.arange(120.0).reshape(eval(sys.argv[2])) + step
"""
SHOWN = ("sorted((view.GetXMLName(), each.GetXMLName()) for view in GetViews() for each in view.Representations "
         "if each.Visibility and hasattr(each, 'Input'))")


def test_another_kind_of_data(workshop):
    """Simulations one after the other, with images, tables, images, tables: each is shown as what it is."""
    image = ("(6, 5, 4)", [["RenderView", "UniformGridRepresentation"]])
    table = ("(120,)", [["SpreadSheetView", "SpreadSheetRepresentation"]])
    window = workshop.window()
    window.until(lambda: window.state() == "Idle", "idle")
    contact = workshop.folder / "run.dsm"
    window.listen(contact)
    for newest, (shape, shown) in zip((2, 4, 6, 8), (image, table, image, table)):
        workshop.start(
            [BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", KINDS, workshop.folder, shape],
            "simulation").wait()
        window.until(lambda: window.panel("shown") == newest, f"snapshot {newest}")
        assert window.information(SHOWN) == [shown]
        assert window.panel("errorText") == ""
        window.picture(f"kind-{newest}")
    # Back to an image, which is held; and to the newest, by the same simulation.
    window.pick(5)
    assert window.panel("shown") == 5
    assert window.information(SHOWN, "len(GetViews())") == [image[1], 2]
    window.picture("kind-picked")
    window.click(DSM + "follow")
    window.until(lambda: window.panel("shown") == 8, "the newest")
    assert window.information(SHOWN, "len(GetViews())") == [table[1], 2]
    assert window.panel("errorText") == ""
    window.click(DSM + "stop")
    window.until(lambda: window.state() == "Idle", "idle again")
    window.close()
    # ParaView warns where it shows the active source in a new spreadsheet: there is no bar of colours.
    told = [line for line in window.program.text.splitlines() if "Missing 'LookupTable' property" not in line]
    assert not [line for line in told if "ERR|" in line or "WARN|" in line], window.program.text

# SPDX-License-Identifier: BSD-3-Clause
"""A ParaView as its vendor ships it: the plugin in Python shows what is in memory, on 1 and on 3 ranks."""

import os
import pathlib
import subprocess

import h5py
import numpy
import pytest
from test_formats import FORMATS, compare_values

from conftest import BIN, HERE
from processes import LIMIT, environ

PLUGIN = BIN.parent / "lib" / "paraview-dsm" / "paraviewdsm_plugin.py"


NEWER = pathlib.Path(__file__).parents[2] / "Environment" / "newer-paraview.sh"
newer = pytest.param("newer", marks=pytest.mark.skipif(
    not os.environ.get("DSM_NEWER_PARAVIEW"), reason=f"there is no newer ParaView: {NEWER.name} makes one"))


def view(bench, script, ranks):
    """pvbatch without the other plugin, on so many ranks; of a newer ParaView, whose MPI is another, on one."""
    plugin = {"DSM_TEST_PYTHON_PLUGIN": PLUGIN}
    if ranks != "newer":
        return bench.pvbatch(script, ranks, **plugin)
    words = [NEWER, "enter", "pvbatch", HERE / "scripts" / script]
    return bench.start(words, "pvbatch", **bench.script_needs(), **plugin)


def serve(bench, contact):
    server = bench.start([BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "64 MiB"], "server")
    server.wait_for_file(contact)


def archive(bench, *words):
    subprocess.run([BIN / "dsm-archive", "--contact", bench.folder / "run.dsm", *words], env=environ(), timeout=LIMIT,
                   check=True, stdout=subprocess.DEVNULL)


XDMF = """<Xdmf Version="2.0"><Domain><Grid Name="box"><Topology TopologyType="3DCoRectMesh" Dimensions="2 3 4"/>
<Geometry GeometryType="ORIGIN_DXDYDZ"><DataItem Dimensions="3">10 20 30</DataItem>
<DataItem Dimensions="3">3 2 1</DataItem></Geometry>
<Attribute Name="density" Center="Node"><DataItem Format="HDF" Dimensions="2 3 4">beside.h5:/q</DataItem></Attribute>
<Attribute Name="twice" Center="Node"><DataItem ItemType="Function" Function="2 * $0" Dimensions="2 3 4">
<DataItem Format="HDF" Dimensions="2 3 4">beside.h5:/q</DataItem></DataItem></Attribute></Grid></Domain></Xdmf>"""


def write_xdmf(path):
    """A file, and beside its name in memory the text that describes it."""
    with h5py.File(path, "w") as file:
        file["q"] = numpy.arange(24.0).reshape(2, 3, 4)
    (path.parents[1] / "live" / "beside.xmf").write_text(XDMF)


def xdmf(path, _):
    with h5py.File(path) as file:
        z, y, x = numpy.mgrid[0:2, 0:3, 0:4]
        return [([x + 30, 2 * y + 20, 3 * z + 10], {"density": file["q"][:], "twice": 2 * file["q"][:]})]


FORMATS = {**FORMATS, "beside.h5": (write_xdmf, xdmf, "XDMF", [])}


@pytest.mark.parametrize("ranks", [1, 3, newer])
def test_formats(bench, ranks):
    """Values of formats that others write, against an independent reader."""
    for folder in "files", "found", "live":
        (bench.folder / folder).mkdir()
    serve(bench, bench.folder / "run.dsm")
    for name, (write, *_) in FORMATS.items():
        write(bench.folder / "files" / name)
        archive(bench, "--restore", bench.folder / "files" / name, "--as", bench.folder / "live" / name)
    viewer = view(bench, "python_plugin.py", ranks)
    viewer.wait()
    found = bench.reports()[0]
    assert not found["plugin"] and "Error" not in viewer.text and "ERR|" not in viewer.text, viewer.text
    formats = dict(FORMATS)
    if "cannot read XDMF: libxml2" in found["beside.h5"]:  # another release of Debian has another libxml2
        assert ranks == "newer" and found["beside.h5"].startswith("image: "), found["beside.h5"]
        del formats["beside.h5"]
    for name, (_, read, recognised, steps) in formats.items():
        assert found[name].startswith(f"{recognised}: "), (name, found[name])
        compare_values(bench.folder, name, "last", read(bench.folder / "files" / name, max(len(steps) - 1, 0)))


@pytest.mark.parametrize("ranks", [1, 2, newer])
def test_steps(bench, ranks):
    """A VTKHDF stream: every step by its time, the newest whatever the time is, and what comes meanwhile."""
    contact = bench.folder / "run.dsm"
    serve(bench, contact)
    options = ["--size", 16, "--every", 10, "--steps"]
    bench.simulation(None, 1, bench.folder / "saved", *options, 30).wait()
    bench.simulation(contact, 1, bench.folder / "memory", *options, 20).wait()
    viewer = view(bench, "python_plugin_steps.py", ranks)
    viewer.wait_for_file(bench.folder / "ready")
    bench.simulation(contact, 1, bench.folder / "memory", *options, 30).wait()
    viewer.wait()
    for found in bench.reports():
        compared = {name: value for name, value in found.items() if name != "steps"}
        assert len(compared) == 5 and all(wrong == [] and points > 0 for wrong, points in compared.values()), found
    assert bench.reports()[0]["steps"] == [0, 10, 20, 30]

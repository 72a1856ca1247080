# SPDX-License-Identifier: BSD-3-Clause
"""ParaView's CGNS reader makes an access list of its own, which only HDF5's environment changes."""

import sys

from conftest import BIN, HERE
from processes import on_disk


def test_cgns(bench):
    folder = bench.folder
    bench.start([sys.executable, HERE / "scripts" / "cgns_mesh.py", folder / "disk.cgns"], "mesh").wait()
    viewer = bench.pvbatch(
        "live_cgns.py", 1, HDF5_DRIVER="dsm", HDF5_PLUGIN_PATH=BIN.parent / "lib" / "dsm"
    )
    viewer.wait_for_file(folder / "run.dsm")
    (folder / "live").mkdir()
    program = [sys.executable, HERE / "scripts" / "cgns_writer.py", folder / "disk.cgns", folder / "live" / "x.cgns"]
    bench.simulation(folder / "run.dsm", 1, None, program=program).wait()
    viewer.wait()
    (found,) = bench.reports()
    assert found["wrong"] == [] and found["points"] == [50] and found["arrays"] == ["Elevation"]
    assert not on_disk(folder / "live" / "x.cgns")

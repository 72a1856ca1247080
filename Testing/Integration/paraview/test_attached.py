# SPDX-License-Identifier: BSD-3-Clause
"""ParaView without the plugin: its own reader shows what is in memory, of hosts beside it."""

import shutil

from conftest import BIN
from processes import on_disk


def test_without_the_plugin(bench):
    folder = bench.folder
    contact = folder / "run.dsm"
    server = bench.start([BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "64 MiB"], "server")
    server.wait_for_file(contact)
    for output, coupled in (folder / "memory", contact), (folder / "saved", None):
        bench.simulation(coupled, 2, output, "--size", 16, "--steps", 10, "--every", 10).wait()
    (live,), (disk,) = (sorted(folder.glob(f"{name}/*10*.vtkhdf")) for name in ("memory", "saved"))
    assert not on_disk(live)
    live.rename(folder / "live.vtkhdf")
    shutil.copy(disk, folder / "disk.vtkhdf")
    viewer = bench.pvbatch("attached.py", 1)
    viewer.wait()
    (found,) = bench.reports()
    assert found["wrong"] == [] and found["points"] and found["points"][0] > 0, found
    assert "dsm warning" not in viewer.text, viewer.text

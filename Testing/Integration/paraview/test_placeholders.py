# SPDX-License-Identifier: BSD-3-Clause
"""ParaView opens a file in memory by its name on disk, also where it was renamed and where it hosts nothing; for one
that is no more the user gets the reason."""

import sys

import pytest

from conftest import BIN, MPIEXEC
from processes import LIMIT

# Four files for a ring of three, of which one is renamed.
WRITER = """
import os, sys, h5py, numpy
folder = sys.argv[1]
def write(name, points):
    with h5py.File(f"{folder}/{name}", "w") as file:
        file["u"] = numpy.zeros(points)
write("gone.h5", (2, 2, 2))
with h5py.File(f"{folder}/image.vtkhdf", "w") as file:
    group = file.create_group("VTKHDF")
    group.attrs["Version"] = (2, 0)
    group.attrs["Type"] = numpy.bytes_("ImageData")
    group.attrs["WholeExtent"] = (0, 2, 0, 2, 0, 2)
    group.attrs["Origin"], group.attrs["Spacing"] = (0., 0., 0.), (1., 1., 1.)
    group.attrs["Direction"] = (1., 0, 0, 0, 1, 0, 0, 0, 1)
    group.create_group("PointData")["u"] = numpy.zeros((3, 3, 3))
write("step.tmp", (5, 6, 7))
os.rename(f"{folder}/step.tmp", f"{folder}/step.h5")
write("last.h5", (4, 5, 6))
"""


@pytest.mark.parametrize(("ranks", "hosts"), [(1, False), (2, False), (2, True)])
def test_opened_by_name(bench, ranks, hosts):
    contact = bench.folder / "run.dsm"
    if hosts:
        viewer = bench.pvbatch("open_named.py", ranks, True, DSM_TEST_HOSTS=1)
        viewer.wait_for_file(contact)
    else:
        server = bench.start([*MPIEXEC, "-n", 2, BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "16 MiB",
                              "--maximum-snapshots", 3, "--limit", LIMIT], "server")
        server.wait_for_line("ready")
    bench.simulation(contact, 1, None, program=[sys.executable, "-c", WRITER, bench.folder]).wait()
    if not hosts:
        viewer = bench.pvbatch("open_named.py", ranks, True)
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == ranks
    for found in reports:
        proxy, points, error = found.pop("gone.h5")
        assert (proxy, points) == ("DSMFileReader", 0)
        # By what the placeholder says, or, where it is not told yet, the server.
        assert "gone.h5 has left the memory" in error or "there is no snapshot 1" in error
        assert all(error == "" for _, _, error in found.values())
    shared = ranks - 1  # neighbours share a face
    assert {name: sum(found[name][1] for found in reports) for name in reports[0]} == {
        "image.vtkhdf": 27 + 9 * shared, "step.h5": 5 * 6 * 7 + 5 * 6 * shared, "last.h5": 4 * 5 * 6 + 4 * 5 * shared}

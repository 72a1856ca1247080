# SPDX-License-Identifier: BSD-3-Clause
"""ParaView on one MPI library, the simulation on the other: two jobs that share nothing but a contact
file and memory, or a network."""

import subprocess

import pytest

from conftest import OTHER, TRANSPORTS

GRID = ("--size", 23, 17, 13, "--steps", 20, "--every", 10)


@pytest.mark.parametrize("transport", ["shared-memory", "fabric/tcp"])
def test_fields(bench, transport):
    folder = bench.folder
    way = TRANSPORTS[transport]
    bench.simulation(None, 2, folder / "disk", *GRID, flavour=OTHER).wait()
    case = "block cyclic/3"
    viewer = bench.pvbatch("live_fields.py", 2, DSM_TEST_CASES=case, **way)
    contact = folder / "block_cyclic.3.dsm"
    viewer.wait_for_file(contact)
    bench.simulation(contact, 3, folder / "live", *GRID, flavour=OTHER, **way).wait()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == 2 and not [found["wrong"] for found in reports if "wrong" in found]
    assert reports[0]["compared"] == {case: [0, 10, 20]}
    subprocess.run(
        ["h5diff", folder / "saved.block cyclic.3.vtkhdf", folder / "disk" / "gray_scott.00010.vtkhdf"],
        check=True,
        timeout=60,
    )

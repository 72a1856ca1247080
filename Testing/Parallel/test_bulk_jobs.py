# SPDX-License-Identifier: BSD-3-Clause
"""Files of about 100 MB, in blocks of 1 MiB, between hosts and a simulation that are jobs of their own: over what
needs no MPI by dsm-serve and dsm-run, over MPI by jobs that meet at a port. Each is what MPI-IO writes to disk."""

import filecmp
import os
import pathlib

import pytest

from processes import Job, environ
from transport_table import PORTS, STRATEGIES, two_jobs

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
PROGRAM = BIN / "dsmCoupledProgram"
# Three ranks write 32 MiB each. A host's memory holds less than the file, and the two of them one and a bit.
HOSTS, WRITERS, EACH = 2, 3, 8 << 20
MEMORY, EXPECTED = "64 MiB", "96 MiB"
FABRIC = {"DSM_NODE_MEMORY": "off"}
WAYS = {
    "shared-memory": {},
    "fabric/tcp": FABRIC,
    "fabric/tcp,shared-memory:64KiB": FABRIC,
}


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    """What MPI-IO writes; once."""
    path = tmp_path_factory.mktemp("disk") / "disk.h5"
    Job([*MPIEXEC, "-n", WRITERS, PROGRAM, "parallel", path, EACH], environ()).wait()
    return path


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("transport", WAYS)
def test_arrives_whole(tmp_path, disk, transport, strategy):
    around = environ(DSM_TRANSPORT=transport, **WAYS[transport])
    saved, contact = tmp_path / "saved", tmp_path / "run.dsm"
    server = Job(
        [*MPIEXEC, "-n", HOSTS, BIN / "dsm-serve", "--contact", contact, "--save", saved, "--memory-per-host", MEMORY,
         "--expected-file-size", EXPECTED, "--block-size", "1 MiB", "--strategy", strategy, "--seed", 2011,
         "--until-disconnect", "--limit", 100],
        around)
    try:
        client = [*MPIEXEC, "-n", WRITERS, PROGRAM, "parallel", tmp_path / "sim.h5", EACH]
        Job([BIN / "dsm-run", "--contact", contact, "--wait", 30, *client], around).wait()
        server.wait()
    finally:
        server.stop()
    assert filecmp.cmp(saved / "sim.h5", disk, shallow=False)


@pytest.mark.skipif(
    os.environ["DSM_TEST_FLAVOUR"] != "mpich" or not (PORTS / "bin" / "mpiexec").exists(),
    reason=f"only an MPICH with ports connects running jobs: in {PORTS} (Testing/Environment/mpich-ports.sh get)")
def test_port():
    two_jobs(HOSTS, WRITERS, "dsmBulkTests", GTEST_FILTER="*mpi_*")

# SPDX-License-Identifier: BSD-3-Clause
"""Why there is no transport over OpenSHMEM: what Open MPI's says to openshmem_probe. DSMCore/Transport/README.md draws
the conclusions; a test that fails here says that one of them has to be drawn again."""

import contextlib
import os
import pathlib
import re

import pytest

from processes import Job, environ

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
PROBE = BIN / "dsmOpenshmemProbe"
RUN = ["oshrun", "--oversubscribe", "-n", 2, PROBE]
ASLEEP = 3  # seconds


def test_a_put_on_one_node_needs_nobody():
    """That is what shared memory does for us."""
    told = Job([*RUN, "put", ASLEEP]).wait()
    assert "arrived" in told
    seconds = [float(one) for one in re.findall(r"MiB: ([\d.]+) s", told)]
    assert len(seconds) == 2
    assert max(seconds) < ASLEEP / 2, told


def test_a_put_over_a_network_waits_for_who_sleeps():
    """Over UCX's tcp: ParaView, which makes no call while it draws or waits, would have to help."""
    told = Job([*RUN, "put", ASLEEP], environ(UCX_TLS="tcp,self")).wait()
    assert "arrived" in told
    assert float(re.search(r"MiB: ([\d.]+) s", told)[1]) > ASLEEP / 2, told


def test_all_processes_have_the_memory_that_hosts_lend():
    told = Job([*RUN, "heap"], environ(SHMEM_SYMMETRIC_SIZE="512M")).wait()
    heaps = re.findall(r"PE \d of 2: heap (\d+) MiB, mapped (\d+) MiB", told)
    assert len(heaps) == 2, told
    for heap, mapped in heaps:
        assert int(heap) > 500
        assert int(mapped) > 2 * 500, "its own and the other's"


def test_it_ends_an_mpi_that_others_have_begun():
    """ParaView begins MPI and ends it."""
    assert "shmem_finalize has ended MPI" in Job([*RUN, "heap"]).wait()


def test_nobody_outside_the_job_is_reached():
    told = Job([*RUN, "reach"]).wait(expect=None)
    assert "PE 1 is accessible: 1" in told
    assert "not in valid range" in told
    assert "the put was taken" not in told


@pytest.fixture
def servers(tmp_path):
    """Of one launcher for both jobs: only so does Open MPI join them."""
    uri = tmp_path / "launcher"
    launcher = Job(["prte", "--report-uri", uri, "--host", "localhost:8"])
    launcher.wait_for_file(uri)
    yield ["prun", "--dvm-uri", f"file:{uri}", "--bind-to", "none", "-n", 2, PROBE]
    with contextlib.suppress(AssertionError):
        Job(["pterm.openmpi", "--dvm-uri", f"file:{uri}"]).wait(20)
    launcher.stop()


def test_two_jobs_that_mpi_joins_stay_two(servers, tmp_path):
    jobs = [Job([*servers, "join", side, tmp_path / "port"]) for side in ("accept", "connect")]
    for job in jobs:
        told = job.wait()
        assert told.count("MPI has joined 4 processes, OpenSHMEM has 2, and of 4 it makes a team of 0") == 2, told

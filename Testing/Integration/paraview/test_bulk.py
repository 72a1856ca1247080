# SPDX-License-Identifier: BSD-3-Clause
"""ParaView with files of about 100 MB by every transport and strategy, in blocks of 1 MiB, in one MPI job with
the simulation and in two: each file is what MPI-IO writes to disk."""

import pytest
from test_transports import BOTH, PORTS, WITH_PORTS, Files, connects_jobs, run_one_job, run_two_jobs, way

from conftest import MPIEXEC

# Three ranks write 32 MiB each; a host's memory holds less than the file, and the two of them one.
WRITERS, HOSTS = 3, 2
FILES = Files(each=8 << 20, memory="64 MiB", block="1 MiB", expected="96 MiB")
OVER_MPI = ("mpi-rma", "mpi-messages", "mpi-rma,mpi-messages:64KiB")


@pytest.mark.parametrize("transport", ["shared-memory", "fabric/tcp", "fabric/tcp,shared-memory:64KiB"])
def test_two_jobs(bench, transport):
    run_two_jobs(bench, HOSTS, transport, MPIEXEC, BOTH, [WRITERS], FILES, **way(transport))


@connects_jobs
@pytest.mark.parametrize("transport", OVER_MPI)
def test_port(bench, transport):
    run_two_jobs(bench, HOSTS, transport, [PORTS / "bin" / "mpiexec"], "MPICH 5.0.2", [WRITERS], FILES,
                 **way(transport), **WITH_PORTS)


@pytest.mark.parametrize("transport", OVER_MPI)
def test_one_job(bench, transport):
    run_one_job(bench, HOSTS, transport, WRITERS, FILES)


def test_pinned(bench):
    """Memory that stays, as networks want it that pin it: four slots of the file's size."""
    files = FILES._replace(memory="256 MiB")
    viewer_says = {"DSM_LENDING": "pinned", "DSM_LOG": "info"}
    run_two_jobs(bench, HOSTS, "fabric/tcp", MPIEXEC, BOTH, [WRITERS], files, **way("fabric/tcp"), **viewer_says)
    assert "memory is pinned, 4 slots of" in bench.running[0].text

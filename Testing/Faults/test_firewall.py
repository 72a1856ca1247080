# SPDX-License-Identifier: BSD-3-Clause
"""A firewall that drops: packets vanish, and nobody is told. Hosts on nodes h1 and h2 of an emulated
cluster, a simulation on h3; then the switch lets nothing pass between h3 and h2, or h1, any more."""

import os
import pathlib
import time

import pytest

import cluster
from conftest import Bench
from processes import Job

BUILD = pathlib.Path(os.environ["DSM_TEST_BUILD"])
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
LIMIT = 4  # seconds: DSM_TIMEOUT and DSM_PEER_TIMEOUT
SOON = 40
ENVIRONMENT = {"DSM_TIMEOUT": LIMIT, "DSM_PEER_TIMEOUT": LIMIT, "DSM_NODE_MEMORY": "off", "DSM_DEFAULTS": "off",
          "DSM_WITHOUT_SERVER": "fail",
          "OMPI_MPI_THREAD_LEVEL": 3, "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}

reason = cluster.why_not()
pytestmark = pytest.mark.skipif(reason is not None, reason=str(reason))


@pytest.fixture(name="nodes")
def make_nodes():
    with cluster.Cluster(3, "800mbit", memory="64m") as made:
        yield made


@pytest.fixture(name="bench")
def make_bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for job in reversed(made.jobs):
        job.stop()


def _launch(bench, nodes, places, *command):
    words = cluster.mpiexec(nodes, FLAVOUR, places, [str(word) for word in command])
    bench.jobs.append(Job(words, cluster.environment(**ENVIRONMENT), talk=True))
    return bench.jobs[-1]


def _host_output(bench, transport, block="64 KiB"):
    return [BUILD / "bin/dsm-serve", "--contact", bench.contact, "--save", bench.saved, "--memory-per-host", "8 MiB",
            "--block-size", block, "--transport", transport, "--no-node-memory", "--limit", 60]


def _simulation_output(bench, how, wait=30):
    return [BUILD / "bin/dsm-run", "--contact", bench.contact, "--wait", wait, BUILD / "bin/dsmUnfinished", how,
            bench.folder / "sim"]


def between(nodes, one, other, drop=True):
    """Whether what goes from one node to the other vanishes in the switch, from now on."""
    for number in (one, other):
        nodes.head.run("ip", "link", "set", f"v{number}", "type", "bridge_slave", "isolated", "on" if drop else "off")


def test_firewall_at_connect(bench, nodes):
    """The first host can be reached, the second cannot."""
    hosts = _launch(bench, nodes, [(0, 1), (1, 1)], *_host_output(bench, "fabric/tcp", "1 KiB"))
    hosts.wait_for_line("ready")
    between(nodes, 1, 2)
    begin = time.monotonic()
    simulation = _launch(bench, nodes, [(2, 1)], *_simulation_output(bench, "finalize"))
    simulation.wait_to_say("host 1 of 2", SOON)
    assert time.monotonic() - begin < SOON
    simulation.status(SOON)
    # It is taken away: the next simulation comes in.
    between(nodes, 1, 2, drop=False)
    _launch(bench, nodes, [(2, 1)], *_simulation_output(bench, "finalize"))
    hosts.wait_for_line("snapshot")
    assert bench.first_file_is_good() == 1000


def test_firewall_before_control(bench, nodes):
    """Not even the control channel comes through."""
    hosts = _launch(bench, nodes, [(0, 1), (1, 1)], *_host_output(bench, "fabric/tcp"))
    hosts.wait_for_line("ready")
    between(nodes, 0, 2)
    begin = time.monotonic()
    simulation = _launch(bench, nodes, [(2, 1)], *_simulation_output(bench, "finalize", wait=5))
    simulation.status(SOON)
    assert time.monotonic() - begin < SOON
    assert str(bench.contact) in simulation.text and "firewall" in simulation.text


@pytest.mark.parametrize("transport", ["fabric/tcp", "mpi-rma", "mpi-messages"])
def test_firewall_in_a_write(bench, nodes, transport):
    """It begins to drop while bytes are on their way."""
    if transport.startswith("mpi"):
        job = _launch(bench, nodes, [(0, 1), (1, 1), (2, 1)], BUILD / "bin/dsm-mpmd", 2,
                      *_host_output(bench, transport), "::", 1, *_simulation_output(bench, "endless"))
    else:
        _launch(bench, nodes, [(0, 1), (1, 1)], *_host_output(bench, transport)).wait_for_line("ready")
        job = _launch(bench, nodes, [(2, 1)], *_simulation_output(bench, "endless"))
    job.wait_to_say("writing\n")
    begin = time.monotonic()
    between(nodes, 1, 2)
    # The second where it was inside MPI_Win_flush by then.
    lost = ["host 1 of 2", *(["MPI_Win_flush waits for the DSM server's hosts"] if transport == "mpi-rma" else [])]
    job.wait_until(lambda: any(words in job.text for words in lost), "word of the host", SOON)
    assert time.monotonic() - begin < SOON
    assert bench.first_file_is_good() == 1000
    assert not (bench.saved / "sim.2.h5").exists()

# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and writers on several nodes: shared memory joins those that share one, fabric the others."""

import os
import pathlib
import subprocess
import sys

import pytest

import processes
from cluster import Cluster, environment, mpiexec, why_not

BUILD = pathlib.Path(os.environ["DSM_TEST_BUILD"])
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
PROGRAM = BUILD / "bin" / "dsmCoupledProgram"
LIMIT = 60

reason = why_not()
pytestmark = pytest.mark.skipif(reason is not None, reason=str(reason))


@pytest.fixture(name="nodes", scope="module")
def make_nodes():
    with Cluster(3, "800mbit", memory="64m") as cluster:
        yield cluster


def start(nodes, places, *command, **more):
    around = environment(**more)
    del around["FI_TCP_IFACE"]  # hosts must find out by themselves where they can be reached
    words = [str(word) for word in mpiexec(nodes, FLAVOUR, places, [str(word) for word in command])]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env=processes.apart(around))


def serve(nodes, folder, places, *options, **more):
    (folder / "saved").mkdir()
    server = start(nodes, places, BUILD / "bin" / "dsm-serve", "--contact", folder / "run.dsm", "--save",
                   folder / "saved", "--memory-per-host", "8 MiB", "--block-size", "1 KiB", "--until-disconnect",
                   "--limit", LIMIT, *options, **more)
    said = ""
    for line in server.stdout:
        if line.startswith("ready"):
            return server
        said += line
    raise AssertionError(f"the hosts ended with {server.wait()}:\n{said}")


def write(nodes, folder, places, **more):
    done = start(nodes, places, BUILD / "bin" / "dsm-run", "--contact", folder / "run.dsm", "--without-server",
                 "fail", PROGRAM, "parallel", folder / "sim.h5", **more)
    output, _ = done.communicate(timeout=LIMIT)
    return done.returncode, output


@pytest.mark.parametrize("transport", ["automatic", "fabric/tcp"])
def test_across_nodes(nodes, tmp_path, transport):
    """Two hosts on two nodes, a writer beside the first and two elsewhere; host 0 saves what lies on
    both."""
    with serve(nodes, tmp_path, [(0, 1), (1, 1)], "--transport", transport) as server:
        status, output = write(nodes, tmp_path, [(0, 1), (2, 2)])
        assert status == 0, output
        output, _ = server.communicate(timeout=LIMIT)
        assert server.returncode == 0, output
    disk = tmp_path / "disk.h5"
    done = start(nodes, [(2, 3)], PROGRAM, "parallel", disk)
    assert done.wait(LIMIT) == 0
    assert (tmp_path / "saved" / "sim.h5").read_bytes() == disk.read_bytes()


def test_shared_memory_does_not_reach_another_node(nodes, tmp_path):
    with serve(nodes, tmp_path, [(0, 1), (1, 1)], "--transport", "shared-memory") as server:
        status, output = write(nodes, tmp_path, [(2, 1)])
        server.kill()
    assert status != 0
    assert "host 0 of 2 of the DSM server runs on another machine" in output
    assert "DSM_TRANSPORT" in output


def test_an_interface_that_leads_nowhere_is_named(nodes, tmp_path):
    """Hosts that listen on loopback only are out of reach for other nodes, and the message says so."""
    with serve(nodes, tmp_path, [(0, 1)], DSM_FABRIC_INTERFACE="lo") as server:
        status, output = write(nodes, tmp_path, [(2, 1)])
        server.kill()
    assert status != 0
    assert "no address for fabric/tcp that other machines reach" in output


def test_without_any_network(tmp_path):
    """Two jobs on a machine that has nothing but its loopback."""
    tests = pathlib.Path(__file__).parent / "test_two_mpi.py"
    inside = 'ip link set lo up && exec "$@"'
    done = subprocess.run(["unshare", "--net", "sh", "-c", inside, "sh", sys.executable, "-m", "pytest", "-q", "-p",
                           "no:cacheprovider", "--basetemp", tmp_path / "inside", "-k",
                           "fabric and not shared and openmpi-mpich", tests],
                          capture_output=True, text=True, timeout=2 * LIMIT, check=False,
                          env={**os.environ, "DSM_TEST_OPENMPI": str(BUILD), "DSM_TEST_MPICH": str(BUILD)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout

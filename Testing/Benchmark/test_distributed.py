# SPDX-License-Identifier: BSD-3-Clause
"""Hosts on nodes of their own and a simulation on others: the bytes arrive, by way of the links."""

import os
import pathlib
import queue
import subprocess
import threading

import pytest

import cluster
import processes
import running

reason = cluster.why_not()
pytestmark = pytest.mark.skipif(reason is not None, reason=str(reason))

BUILD = pathlib.Path(os.environ["DSM_TEST_BUILD"])
LIMIT = 60
VALUES = 400_000  # per writer
WRITERS = 2
VOLUME = 4 * VALUES * WRITERS
TRANSPORTS = [
    name for name, one in processes.offered(BUILD / "bin")["transports"].items() if not one["node local"]
]


@pytest.fixture(name="four", scope="module")
def make_four():
    """h1, h2: a host each; h3, h4: a writer each."""
    with cluster.Cluster(4, "400mbit", memory="256m") as made:
        yield made


class Hosts:
    """dsm-serve on h1 and h2, saving what arrives."""

    def __init__(self, made, folder, transport, flavour):
        self.saved = folder / "saved"
        self.saved.mkdir()
        self.contact = folder / "run.dsm"
        self.process = subprocess.Popen(
            cluster.mpiexec(made, flavour, [(0, 1), (1, 1)],
                            [str(BUILD / "bin" / "dsm-serve"), "--contact", str(self.contact), "--save",
                             str(self.saved), "--memory-per-host", "16MiB", "--strategy", "block cyclic",
                             "--block-size", "4KiB", "--transport", transport, "--until-disconnect",
                             "--limit", str(LIMIT)]),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=processes.apart(cluster.environment(DSM_DEFAULTS="off")))
        self.lines = []
        self.said = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            self.said.put(line)
        self.said.put(None)

    def wait_until_ready(self):
        while (line := self.said.get(timeout=LIMIT)) is not None:
            if line.startswith("ready"):
                return
        pytest.fail("the hosts ended before they were ready:\n" + "".join(self.lines))

    def end(self):
        self.process.wait(LIMIT)
        assert self.process.returncode == 0, "".join(self.lines)


def simulate(made, build, file, *before):
    """The program that knows nothing of us, on h3 and h4."""
    done = subprocess.run(
        cluster.mpiexec(made, running.flavour(build), [(2, 1), (3, 1)],
                        [*map(str, before), str(build / "bin" / "dsmCoupledProgram"), "parallel", str(file),
                         str(VALUES)]),
        env=processes.apart(cluster.environment(DSM_DEFAULTS="off")), capture_output=True, text=True, timeout=LIMIT,
        check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def other_build():
    other = {"mpich": "openmpi", "openmpi": "mpich"}[running.flavour(BUILD)]
    return BUILD.parent / other


@pytest.mark.parametrize("other", [False, True], ids=["one MPI library", "two MPI libraries"])
def test_a_file_spread_over_nodes_is_whole(four, tmp_path, other):
    build = other_build() if other else BUILD
    if not (build / "bin" / "dsmCoupledProgram").exists():
        pytest.skip(f"the other MPI library's build is not in {build}")
    simulate(four, build, tmp_path / "disk.h5")
    hosts = Hosts(four, tmp_path, "fabric", running.flavour(BUILD))
    try:
        hosts.wait_until_ready()
        before = four.counters()
        simulate(four, build, tmp_path / "sim.h5", build / "bin" / "dsm-run", "--contact", hosts.contact, "--wait", 20)
        hosts.end()
        after = four.counters()
    finally:
        hosts.process.kill()
        hosts.process.wait()
    assert (hosts.saved / "sim.h5").read_bytes() == (tmp_path / "disk.h5").read_bytes()
    moved = [{way: late[way] - early[way] for way in late} for early, late in zip(before, after, strict=True)]
    # Written once, and read back once by the simulation. Each host saved what it has: nothing of that went over a link.
    for host in moved[:2]:
        for way in ("received", "sent"):
            assert VOLUME / 2 <= host[way] < VOLUME / 2 + VOLUME / 4
    for writer in moved[2:]:
        assert writer["sent"] >= VOLUME / WRITERS and writer["received"] >= VOLUME / WRITERS


@pytest.mark.parametrize("depth", [256, 1])
def test_every_transport_crosses_the_links(four, tmp_path, depth):
    """dsm_bench reads back and compares what it wrote, so its rows without trouble are good bytes."""
    table = tmp_path / "cells.csv"
    size = 2 << 20
    done, moved = running.on_cluster(
        four, BUILD, running.placement(2, 2),
        ["--hosts", 2, "--writers", 2, "--datasets", 3, "--size", size, "--block-size", "16KiB", "--rounds", 1,
         "--warm-ups", 0, "--transport", *TRANSPORTS, "--csv", table],
        limit=LIMIT, environment={"DSM_QUEUE_DEPTH": depth}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = running.rows(table)
    assert [(row["transport"], row["direction"]) for row in rows] == [
        (transport, direction) for transport in TRANSPORTS for direction in ("write", "read")]
    for row in rows:
        assert not row["trouble"], row
        assert row["host_nodes"] == row["writer_nodes"] == "2"
        assert int(row["network_bytes"]) >= int(row["bytes"])
    volume = len(TRANSPORTS) * int(rows[0]["bytes"])
    assert sum(node["received"] for node in moved[:2]) >= volume
    assert sum(node["sent"] for node in moved[:2]) >= volume

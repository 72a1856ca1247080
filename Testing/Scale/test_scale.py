# SPDX-License-Identifier: BSD-3-Clause
"""Many real peers, and the simulator that counts as they do."""

import os
import pathlib

import pytest

import scale
import simulate

BUILD = pathlib.Path(os.environ["DSM_TEST_BUILD"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
MIB = 1 << 20


def measured(kind, peers, files, hosts, kib=64):
    found = scale.measure(kind, BUILD, peers, files, kib << 10, hosts, mpiexec=MPIEXEC)
    scale.tell(found)
    return found


def check_ranks(peers, files, hosts):
    """One socket, whatever the ranks; messages by the file; as the simulator has both."""
    # So that the file is larger than what is made ready for a first one.
    found = measured("ranks", peers, files, hosts, max(64, 81920 // peers))
    assert found["times"]["grow"][0] > peers // 2
    messages, channels = simulate.expected_ranks(files)
    assert found["messages"] == messages
    assert found["sockets most"] - found["sockets before"] == channels == 1
    assert found["memory"] < 64 * MIB


def check_programs(peers, files, hosts):
    """A socket for each."""
    found = measured("programs", peers, files, hosts)
    messages, channels = simulate.expected_programs(peers, files, hosts)
    assert found["messages"] == messages
    assert found["sockets most"] - found["sockets before"] == channels == peers
    assert found["memory"] < 64 * MIB + peers * MIB


def test_sample():
    check_ranks(50, 3, hosts=2)
    check_programs(50, 2, hosts=1)
    found = scale.measure_requests(BUILD, rounds=1, apart=((0, 50), (1, 10)))
    assert set(found) == {("on", 0), ("on", 1), ("off", 0), ("off", 1)}
    assert all(0 < median <= longest for median, longest in found.values())


def test_thousand():
    check_ranks(1000, 100, hosts=1)
    check_programs(1000, 10, hosts=1)


@pytest.mark.parametrize("hosts", [1, 64])
def test_simulated_cost_does_not_depend_on_ranks(hosts):
    """But for the levels of MPI's own trees."""
    costs = {"message": 1e-5, "handshake": 1e-3, "latency": 1e-5, "reserve": 1e-4, "collective": 1e-6, "bandwidth": 1e9,
             "look": 1e-3, "host bytes": 300, "channel memory": 1000}
    few = simulate.one_file(costs, 2, hosts)
    many = simulate.one_file(costs, 4096, hosts)
    for same in ("messages", "channels", "busy", "memory", "extend"):
        assert many[same] == few[same]
    assert many["begin"] == pytest.approx(few["begin"] + 3 * 11 * costs["collective"])
    each = simulate.one_file(costs, 4096, hosts, each=True)
    assert each["channels"] == 4096
    assert each["messages"]["hello"] == (4095, 4095)
    assert each["extend"] > 4095 * costs["handshake"]

# SPDX-License-Identifier: BSD-3-Clause
"""The emulated machines themselves: apart, joined, limited, counted, and gone at the end."""

import os
import signal
import subprocess
import sys
import time

import pytest

from cluster import Cluster, Failed, why_not

reason = why_not()
pytestmark = pytest.mark.skipif(reason is not None, reason=str(reason))

RATE = 80e6
VOLUME = 8 << 20

RECEIVE = """
import socket, sys
door = socket.create_server((sys.argv[1], 5000)); print('ready', flush=True)
peer, count = door.accept()[0], 0
while piece := peer.recv(1 << 16): count += len(piece)
print(count)
"""
SEND = """
import socket, sys, time
peer, began = socket.create_connection((sys.argv[1], 5000), timeout=10), time.monotonic()
peer.sendall(bytes(int(sys.argv[2]))); peer.shutdown(socket.SHUT_WR); peer.recv(1); print(time.monotonic() - began)
"""


@pytest.fixture(name="pair", scope="module")
def make_pair():
    with Cluster(2, f"{RATE / 1e6:g}mbit", memory="16m") as cluster:
        yield cluster


def test_nodes_have_their_own_names_networks_and_memory(pair):
    for number, node in enumerate(pair.nodes):
        assert node.run("hostname").strip() == f"h{number + 1}"
        assert sorted(os.path.basename(name) for name in node.run("ls", "/sys/class/net").split()) == ["e0", "lo"]
        assert pair.address(number) in node.run("ip", "-4", "address", "show", "e0")
    memories = {node.run("stat", "-c", "%d", "/dev/shm") for node in pair.nodes}
    assert len(memories | {f"{os.stat('/dev/shm').st_dev}\n"}) == 3
    pair.nodes[0].run("touch", "/dev/shm/mine")
    assert not pair.nodes[1].run("ls", "/dev/shm") and not os.path.exists("/dev/shm/mine")


def test_links_carry_what_is_sent_at_their_rate(pair):
    before = pair.counters()
    with subprocess.Popen(pair.nodes[0].enter(sys.executable, "-c", RECEIVE, pair.address(0)),
                          stdout=subprocess.PIPE, text=True) as receiver:
        assert receiver.stdout.readline() == "ready\n"
        seconds = float(pair.nodes[1].run(sys.executable, "-c", SEND, pair.address(0), VOLUME))
        assert int(receiver.stdout.readline()) == VOLUME
    after = pair.counters()
    # The limit is the kernel's and holds on the busiest machine; how close to it one gets does not.
    assert VOLUME * 8 / seconds < 1.15 * RATE
    assert after[0]["received"] - before[0]["received"] >= VOLUME
    assert after[1]["sent"] - before[1]["sent"] >= VOLUME


def test_a_command_that_fails_says_where_and_why(pair):
    with pytest.raises(Failed, match=r"h2.*nothing_there"):
        pair.nodes[1].run("ls", "/nothing_there")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_when_its_maker_is_ended(how):
    script = ("import sys, cluster\n"
              "made = cluster.Cluster(1, '80mbit', memory='1m')\n"
              "import subprocess\n"
              "inside = subprocess.Popen(made.nodes[0].enter('sleep', '600'))\n"
              "print(made.head.pid, made.nodes[0].pid, inside.pid, flush=True)\n"
              # In short pieces: a signal that comes just before one long wait does not end it (PEP 475).
              "import time\n"
              "for _ in range(600): time.sleep(0.1)")
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as maker:
        held = [int(word) for word in maker.stdout.readline().split()]
        assert len(held) == 3 and all(map(runs, held))
        maker.send_signal(how)
        maker.wait(20)
    end = time.monotonic() + 20
    while any(map(runs, held)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not [process for process in held if runs(process)]


def runs(process):
    """False for one that is gone, or dead and waiting for a parent to notice."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

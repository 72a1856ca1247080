# SPDX-License-Identifier: BSD-3-Clause
"""Pretended machines joined by links of a chosen rate."""

import fcntl
import glob
import os
import re
import shutil
import tempfile
import time

from .node import Failed, Node

# Every run has a switch in a namespace of its own, so addresses and names never meet those of
# another run, nor the machine's.
NETWORK = "10.77.0."
HEAD = NETWORK + "254"
DEVICE = "e0"
MOST_NODES = 200

UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}

FOLDERS = os.path.join(tempfile.gettempdir(), "dsm-cluster-")


def bits_per_second(rate):
    """100mbit as 1e8."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)bit", rate.lower())
    if not found:
        raise Failed(f"a rate looks like 100mbit or 1.5gbit, not '{rate}'")
    return float(found[1]) * UNITS[found[2]]


def remove_stale():
    """The only thing a killed run can leave behind is its folder; a living one has it locked."""
    for folder in glob.glob(FOLDERS + "*"):
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # One younger than this may be about to be locked.
            if time.time() - os.fstat(descriptor).st_mtime > 60:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(descriptor)


def why_not():
    """Why no cluster can be made here; None when one can."""
    for program in ("unshare", "nsenter", "ip", "tc"):
        if not shutil.which(program):
            return f"{program} is not installed (packages util-linux, iproute2)"
    try:
        with Cluster(1, "100mbit", memory="1m"):
            return None
    except Failed as error:
        return (
            f"network namespaces cannot be made here (they need root rights, CAP_NET_ADMIN and CAP_SYS_ADMIN): {error}"
        )


class Cluster:
    """N nodes h1 … hN at 10.77.0.1 … N, each behind a link of the given rate in both directions; and a
    head, where MPI's launchers run, on the switch itself and unlimited. `memory` is the size of each
    node's /dev/shm. A context manager; also without, all goes when this process ends."""

    def __init__(self, nodes, rate, memory="2g", mtu=9000):
        if not 0 < nodes <= MOST_NODES:
            raise Failed(f"a cluster has 1 to {MOST_NODES} nodes, not {nodes}")
        self.rate = bits_per_second(rate)
        self.nodes = []
        remove_stale()
        self.folder = tempfile.mkdtemp(prefix=os.path.basename(FOLDERS))
        self.lock = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        try:
            self.head = Node("head")
            for number in range(1, nodes + 1):
                self.nodes.append(Node(f"h{number}", memory))
            self._connect(mtu)
            self.agent = self._write_agent()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for node in [*self.nodes, *([self.head] if hasattr(self, "head") else [])]:
            node.close()
        self.nodes = []
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def address(self, number):
        """Of node 0, 1, …"""
        return f"{NETWORK}{number + 1}"

    def _connect(self, mtu):
        lines = ["link add sw type bridge stp_state 0", f"link set sw mtu {mtu} up", f"address add {HEAD}/24 dev sw"]
        for number, node in enumerate(self.nodes):
            lines += [f"link add v{number} mtu {mtu} type veth peer name {DEVICE} mtu {mtu} netns {node.pid}",
                      f"link set v{number} master sw up"]
        self.head.run("ip", "-batch", "-", text="\n".join(lines))
        for number, node in enumerate(self.nodes):
            node.run(
                "ip", "-batch", "-", text=f"address add {self.address(number)}/24 dev {DEVICE}\nlink set {DEVICE} up"
            )
            node.run("tc", "qdisc", "add", "dev", DEVICE, "root", *self._limit())
        self.head.run("tc", "-batch", "-", text="\n".join(
            " ".join(["qdisc add dev", f"v{number}", "root", *self._limit()]) for number in range(len(self.nodes))))

    def _limit(self):
        # The burst holds what the link carries in 4 ms (the longest between two of the kernel's clock
        # ticks) and the largest packet the kernel makes; more would let short messages pass at no cost.
        # The queue is long enough that nothing is ever lost: the networks of clusters make senders wait
        # instead, and TCP's timeouts after a loss would be all that one measures.
        burst = max(int(self.rate / 8 * 0.004), 65536 + 1024)
        queue = 32 << 20
        return ["tbf", "rate", f"{int(self.rate)}bit", "burst", str(burst), "limit", str(burst + queue)]

    def _write_agent(self):
        # What MPI's launchers call in the place of ssh: [options] HOST COMMAND…, which a shell there
        # reads, as with ssh.
        cases = "\n".join(f"  {self.address(number)}|{node.name}) pid={node.pid} ;;"
                          for number, node in enumerate(self.nodes))
        path = os.path.join(self.folder, "enter")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"""#!/bin/sh
while :; do case $1 in -*) shift ;; *) break ;; esac; done
host=$1; shift
case $host in
{cases}
  *) echo "there is no node $host in this cluster" >&2; exit 1 ;;
esac
exec nsenter --target=$pid --net --uts --mount --pid --root --wd="$PWD" -- sh -c "$*"
""")
        os.chmod(path, 0o755)
        return path

    def counters(self):
        """Bytes since the beginning, per node: what it received and what it sent."""
        with open(f"/proc/{self.head.pid}/net/dev", encoding="ascii") as file:
            lines = dict(line.strip().split(":", 1) for line in file if ":" in line)
        # The head sees the other ends: what a switch's port sends, its node receives.
        fields = [lines[f"v{number}"].split() for number in range(len(self.nodes))]
        return [{"received": int(values[8]), "sent": int(values[0])} for values in fields]

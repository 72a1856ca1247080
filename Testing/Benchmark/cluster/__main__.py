# SPDX-License-Identifier: BSD-3-Clause
"""Runs one MPI program across emulated machines and says what crossed their links.

    python3 -m cluster --nodes 4 --rate 200mbit [--per-node 2] [--mpi openmpi] -- ./program arguments
"""

import argparse
import signal
import subprocess
import sys
import time

from . import Cluster, Failed, environment, mpiexec


def main():
    parser = argparse.ArgumentParser(prog="cluster", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--rate", default="100mbit", help="of every link, in each direction")
    parser.add_argument("--per-node", type=int, default=1, help="ranks on each node")
    parser.add_argument("--memory", default="2g", help="size of each node's /dev/shm")
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], default="mpich")
    parser.add_argument("--limit", type=float, default=600, help="seconds the program may take")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Cluster(given.nodes, given.rate, given.memory) as cluster:
        words = mpiexec(cluster, given.mpi, [(node, given.per_node) for node in range(given.nodes)], given.command)
        began = time.monotonic()
        try:
            status = subprocess.run(words, env=environment(), timeout=given.limit, check=False).returncode
        except subprocess.TimeoutExpired:
            print(f"cluster: the program still ran after {given.limit:g} s and was ended", file=sys.stderr)
            status = 124
        seconds = time.monotonic() - began
        print(f"{'node':<6} {'received MiB':>14} {'sent MiB':>14}   in {seconds:.1f} s, links of {given.rate}")
        for node, bytes_ in zip(cluster.nodes, cluster.counters(), strict=True):
            print(f"{node.name:<6} {bytes_['received'] / 2**20:14.2f} {bytes_['sent'] / 2**20:14.2f}")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

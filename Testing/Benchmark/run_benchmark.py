# SPDX-License-Identifier: BSD-3-Clause
"""Starts dsm_bench with as many ranks as it needs, on this machine or on a cluster of emulated ones.

    run_benchmark.py --build build/openmpi --hosts 2 --writers 1,2 --datasets 1,10 --size 512MiB
    run_benchmark.py --build build/mpich --cluster --rate 200mbit --hosts 4 --writers 4 --transport fabric
    run_benchmark.py --build build/openmpi --recommend

All other options are dsm_bench's (--help-all). Needs no ParaView.
"""
import argparse
import signal
import subprocess
import sys
from pathlib import Path

import cluster
import running


def counts(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("--build", type=Path, required=True, help="build folder with bin/dsm_bench")
    parser.add_argument("--mpiexec", type=str.split, help="default: that of the build's MPI")
    parser.add_argument("--limit", type=float, default=600, help="seconds for the whole run")
    parser.add_argument("--cluster", action="store_true", help="every host and writer on a node of its own")
    parser.add_argument("--rate", default="100mbit", help="of a cluster's links")
    parser.add_argument("--hosts-per-node", type=int, default=1)
    parser.add_argument("--writers-per-node", type=int, default=1)
    parser.add_argument("--hosts", type=counts, help="numbers of hosts, 1,2")
    parser.add_argument("--writers", type=counts, help="numbers of writers, 1,2,4")
    parser.add_argument("--put", action="store_true", help="single puts and gets instead of files")
    parser.add_argument("--help-all", action="store_true", help="dsm_bench's own options")
    given, rest = parser.parse_known_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if given.help_all:
        return subprocess.run([given.build / "bin" / "dsm_bench", "--help"], check=False).returncode
    # What dsm_bench itself assumes.
    usual = [2] if any(word.startswith("--recommend") for word in rest) else [1]
    hosts, writers = given.hosts or usual, given.writers or usual
    if given.put:
        hosts, writers, options = [1], [1], ["--put", *rest]
    else:
        options = ["--hosts", ",".join(map(str, hosts)), "--writers", ",".join(map(str, writers)), *rest]
    if not given.cluster:
        return running.on_this_machine(given.build, max(hosts) + max(writers), options, given.mpiexec,
                                       given.limit).returncode
    places = running.placement(max(hosts), max(writers), given.hosts_per_node, given.writers_per_node)
    with cluster.Cluster(running.nodes(places), given.rate) as made:
        done, moved = running.on_cluster(made, given.build, places, options, given.limit)
    for node, bytes_ in enumerate(moved):
        ranks = sum(count for place, count in places if place == node)
        print(f"h{node + 1} ({ranks} rank{'s' if ranks > 1 else ''}): received {bytes_['received'] / 2**20:.1f} MiB, "
              f"sent {bytes_['sent'] / 2**20:.1f} MiB")
    return done.returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (cluster.Failed, subprocess.TimeoutExpired) as problem:
        print(f"run_benchmark: {problem}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

# SPDX-License-Identifier: BSD-3-Clause
"""Repeats sections 5.1 to 5.3 of Soumagne, Biddiscombe and Esnard (EuroMPI 2011) on emulated machines.

    reproduce.py --build build/mpich --results FOLDER [--short] [--only puts,single,ten,several]

Writes a CSV file per section, and plots (plots.py makes them again from the CSV files alone). Takes about ten
minutes, the short form one; on an idle machine, since 4 cores play up to 20 machines.
"""
import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path

import cluster
import plots
import running

KIB, MIB = 1 << 10, 1 << 20
RATE = "100mbit"

# What is asked of dsm_bench, by section. Links: the slower side's count of nodes times RATE.
FULL = {
    "size": 64 * MIB, "writers": "2,4,8", "rounds": 2,
    "blocks": [256 << (2 * i) for i in range(8)],  # 256 B … 4 MiB; 16 MiB blocks for 8 hosts want a larger file
    "large_blocks": [16 * MIB], "large_size": 128 * MIB,
    "ten_blocks": [64 * KIB, 256 * KIB, MIB], "ten_writers": "1,2,4,8",
    "several_size": 64 * MIB, "several_writers": "4,8,12", "several_blocks": [16 * KIB, 64 * KIB, 256 * KIB],
    "put_sizes": [8 << i for i in range(20)], "put_seconds": 0.25,
}
SHORT = {
    **FULL, "size": 32 * MIB, "writers": "8", "blocks": [4 * KIB, 64 * KIB, MIB], "ten_blocks": [64 * KIB],
    "ten_writers": "8", "large_blocks": [4 * MIB], "large_size": 32 * MIB, "several_size": 16 * MIB,
    "several_writers": "4,12", "several_blocks": [64 * KIB],
    "put_sizes": [8 << (3 * i) for i in range(7)], "put_seconds": 0.1,
}


def joined(values):
    return ",".join(map(str, values))


def sections(how, transports):
    """Of each: its places in the cluster, and the tables it makes with dsm_bench's options."""
    one_each = running.placement(8, 8)
    four_each = running.placement(16, 12, 4, 3)
    files = ["--rounds", how["rounds"], "--warm-ups", 0, "--acquaint", "--write-only", "--unchecked",
             "--memory-per-host", "fit", "--transport", "fabric"]
    single = [*files, "--hosts", 8, "--writers", how["writers"]]
    ten = [*files, "--hosts", 8, "--datasets", 10, "--writers", how["ten_writers"], "--size", how["size"]]
    several = [*files, "--hosts", 16, "--datasets", 10, "--writers", how["several_writers"], "--size",
               how["several_size"]]
    every = "all"
    return {
        "puts": (running.placement(1, 1), {
            "puts": ["--put", "--put-size", joined(how["put_sizes"]), "--put-seconds", how["put_seconds"],
                     "--transport", *transports]}),
        "single": (one_each, {
            "single": [*single, "--size", how["size"], "--strategy", every, "--block-size", joined(how["blocks"])],
            "single_large": [*single, "--size", how["large_size"], "--strategy", "contiguous,block cyclic,random block",
                             "--block-size", joined(how["large_blocks"])]}),
        "ten": (one_each, {"ten": [*ten, "--strategy", every, "--block-size", joined(how["ten_blocks"])]}),
        "several": (four_each, {
            "several": [*several, "--strategy", "block cyclic,random block", "--block-size",
                        joined(how["several_blocks"])]}),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=["puts", "single", "ten", "several"])
    parser.add_argument("--transports", nargs="+", default=["fabric", "mpi-rma", "mpi-messages"],
                        help="for the puts; files go over fabric")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given.results.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in given.only:
        places, tables = sections(SHORT if given.short else FULL, given.transports)[name]
        began = time.monotonic()
        with cluster.Cluster(running.nodes(places), RATE) as made:
            for table, options in tables.items():
                done, _ = running.on_cluster(made, given.build, places,
                                             [*options, "--csv", given.results / f"{table}.csv"], limit=1200)
                failed += done.returncode != 0 and name != "puts"
            moved = sum(node["sent"] for node in made.counters())
        print(f"{name}: {time.monotonic() - began:.0f} s, {moved / 1e6:.0f} MB crossed the links\n", flush=True)
    plots.draw(given.results)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (cluster.Failed, subprocess.TimeoutExpired) as problem:
        print(f"reproduce: {problem}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

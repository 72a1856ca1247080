# SPDX-License-Identifier: BSD-3-Clause
"""Repeats sections 5.1 to 5.3 of Soumagne, Biddiscombe and Esnard (EuroMPI 2011) on emulated machines.

    reproduce.py --build build/mpich --results FOLDER [--short] [--only puts,single,ten,...] [--rates 200mbit,400mbit]

Every section over every transport, writing and reading. A CSV file per section, in which each row says at which
commit it was measured; what is measured again replaces its rows. plots.py draws them from the CSV files alone.
Takes about forty minutes, the short form five; on an idle machine, since its cores play up to 16 machines.
"""
import argparse
import csv
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cluster
import plots
import running

KIB, MIB = 1 << 10, 1 << 20
TRANSPORTS = ["fabric", "mpi-rma", "mpi-messages"]

FULL = {
    "rounds": 2, "size": 64 * MIB, "blocks": [4 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB],
    "ten_blocks": [64 * KIB, MIB], "ten_rates": ["50mbit", "100mbit", "200mbit", "400mbit"],
    "eight_blocks": [64 * KIB, 256 * KIB, MIB],
    # A writer's share of each of ten datasets is as long as a cycle: all writers begin at the same host.
    "several_size": 40 * MIB, "several_blocks": [64 * KIB],
    "put_sizes": [8 << (2 * i) for i in range(10)], "put_seconds": 0.2,
}
SHORT = {
    **FULL, "rounds": 1, "size": 16 * MIB, "blocks": [64 * KIB, MIB], "ten_blocks": [64 * KIB],
    "ten_rates": ["200mbit"], "eight_blocks": [64 * KIB], "several_size": 10 * MIB, "several_blocks": [16 * KIB],
    "put_sizes": [8 << (3 * i) for i in range(7)], "put_seconds": 0.1,
}
# What is added to dsm_bench's own columns, in front: under which conditions a row was measured.
CONDITIONS = ["commit", "mpi", "rate", "queue_depth"]


def joined(values):
    return ",".join(map(str, values))


class Section:
    """What is measured: `places` in the cluster, dsm_bench's options, and each of `depths` (DSM_QUEUE_DEPTH; None:
    as it is) at each of `rates` (None: those that were asked for)."""

    def __init__(self, places, options, depths=(None,), rates=None):
        self.places = places
        self.options = options
        self.depths = depths
        self.rates = rates


def sections(how):
    files = ["--rounds", how["rounds"], "--warm-ups", 0, "--acquaint", "--memory-per-host", "fit"]
    ten = [*files, "--datasets", 10, "--strategy", "contiguous,block cyclic,random block"]
    return {
        "puts": Section(running.placement(1, 1), [
            "--put", "--put-size", joined(how["put_sizes"]), "--put-seconds", how["put_seconds"]]),
        "single": Section(running.placement(4, 4), [
            *files, "--hosts", 4, "--writers", 4, "--size", how["size"], "--strategy", "all", "--block-size",
            joined(how["blocks"])]),
        "ten": Section(running.placement(4, 4), [
            *ten, "--hosts", 4, "--writers", "4", "--size", how["size"], "--block-size", joined(how["ten_blocks"])],
            rates=how["ten_rates"]),
        # As many bytes a second from twice the nodes.
        "ten_eight": Section(running.placement(8, 8), [
            *ten, "--hosts", 8, "--writers", 8, "--size", how["size"], "--block-size", joined(how["eight_blocks"])],
            rates=["50mbit"]),
        "several": Section(running.placement(16, 4, 4, 1), [
            *files, "--hosts", 16, "--writers", 4, "--datasets", 10, "--size", how["several_size"], "--strategy",
            "block cyclic,random block", "--block-size", joined(how["several_blocks"])],
            depths=(None, 1), rates=["50mbit"]),
    }


def merge(table, conditions, rows):
    """Puts rows into a table, in the place of those that were measured under the same conditions over the same
    transport at whatever commit."""
    if not rows:
        return
    kept = running.rows(table) if table.exists() else []
    same = ("mpi", "rate", "queue_depth", "transport")
    fresh = [{**conditions, **row} for row in rows]
    replaced = {tuple(row[key] for key in same) for row in fresh}
    kept = [row for row in kept if tuple(row[key] for key in same) not in replaced]
    with open(table, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(fresh[0]), lineterminator="\n", extrasaction="ignore", restval="")
        writer.writeheader()
        writer.writerows([*kept, *fresh])


def measure(section, made, given, table, conditions, transport):
    """One run of dsm_bench; whether it went well."""
    # Twenty machines on few cores may be silent for long.
    environment = {"DSM_DEFAULTS": "off", "DSM_PEER_TIMEOUT": 60, "DSM_TIMEOUT": 60}
    if conditions["queue_depth"]:
        environment["DSM_QUEUE_DEPTH"] = conditions["queue_depth"]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "fresh.csv"
        trouble = ""
        try:
            done, moved = running.on_cluster(
                made, given.build, section.places, [*section.options, "--transport", transport, "--csv", fresh],
                limit=given.limit, environment=environment)
            trouble = f"ended with {done.returncode}" if done.returncode else ""
        except subprocess.TimeoutExpired:
            trouble, moved = f"still ran after {given.limit:g} s", []
        if fresh.exists():
            merge(table, conditions, running.rows(fresh))
    print(f"{table.stem}, {transport}, {conditions['rate']}, queue depth {conditions['queue_depth'] or 'usual'}: "
          f"{time.monotonic() - began:.0f} s, {sum(node['sent'] for node in moved) / 1e6:.0f} MB crossed the links"
          f"{'; ' + trouble if trouble else ''}\n", flush=True)
    return not trouble


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(sections(FULL)))
    parser.add_argument("--rates", type=lambda text: text.split(","), default=["200mbit", "400mbit"],
                        help="of the links, where a section has none of its own")
    parser.add_argument("--transports", nargs="+", default=TRANSPORTS)
    parser.add_argument("--limit", type=float, default=900, help="seconds for a section over one transport")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given.results.mkdir(parents=True, exist_ok=True)
    conditions = {"commit": running.commit(), "mpi": running.flavour(given.build)}
    failed = 0
    for name in given.only:
        section = sections(SHORT if given.short else FULL)[name]
        for rate in section.rates or given.rates:
            for depth in section.depths:
                for transport in given.transports:
                    # A cluster of its own: what one transport leaves behind does not disturb the next.
                    with cluster.Cluster(running.nodes(section.places), rate) as made:
                        failed += not measure(section, made, given, given.results / f"{name}.csv",
                                              {**conditions, "rate": rate, "queue_depth": depth or ""}, transport)
    plots.draw(given.results)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except cluster.Failed as problem:
        print(f"reproduce: {problem}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

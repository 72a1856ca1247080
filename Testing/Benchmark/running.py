# SPDX-License-Identifier: BSD-3-Clause
"""How dsm_bench is started: on this machine, or on a cluster of emulated ones."""

import csv
import os
import subprocess
from pathlib import Path

import cluster

# No core is taken by a rank that only waits; a crash is a crash.
ALONE = {"UCX_ERROR_SIGNALS": "", "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_mpi_yield_when_idle": "1",
         "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}


def flavour(build):
    """mpich or openmpi: what a build folder was made for."""
    for name in ("mpich", "openmpi"):
        if (Path(build) / "lib" / f"libdsmcore-{name}.so").exists():
            return name
    raise SystemExit(f"there is no libdsmcore-….so in {build}/lib: name the folder of a build with --build")


def launcher(build):
    """The words that start a job on this machine, without its number of ranks."""
    kind = flavour(build)
    return [f"mpiexec.{kind}", *(["--oversubscribe"] if kind == "openmpi" else [])]


def on_this_machine(build, ranks, options, mpiexec=None, limit=600, **how):
    """Runs dsm_bench and returns the finished process."""
    words = [*(mpiexec or launcher(build)), "-n", str(ranks), str(Path(build) / "bin" / "dsm_bench"),
             *map(str, options)]
    return subprocess.run(words, env={**ALONE, **os.environ}, timeout=limit, check=False, **how)


def placement(hosts, writers, hosts_per_node=1, writers_per_node=1):
    """(node, ranks) in rank order: the hosts node by node, then the writers, dealt in turn to their nodes."""
    places = []
    while hosts > 0:
        places.append((len(places), min(hosts, hosts_per_node)))
        hosts -= hosts_per_node
    first, nodes = len(places), -(-writers // writers_per_node)
    return places + [(first + writer % nodes, 1) for writer in range(writers)]


def nodes(places):
    """How many nodes a placement needs."""
    return 1 + max(node for node, _ in places)


def on_cluster(made, build, places, options, limit=600, environment=None, **how):
    """The same across a cluster; the counters' growth per node comes along."""
    words = cluster.mpiexec(made, flavour(build), places,
                            [str(Path(build).resolve() / "bin" / "dsm_bench"), "--contact-folder", made.folder,
                             "--no-baselines", "--link-rate", f"{made.rate / 1e6:g}mbit", *map(str, options)])
    before = made.counters()
    done = subprocess.run(words, env=cluster.environment(**(environment or {})), timeout=limit, check=False, **how)
    after = made.counters()
    return done, [{way: late[way] - early[way] for way in late} for early, late in zip(before, after, strict=True)]


def commit():
    """Of this checkout, with a mark when it has changes."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "describe", "--always", "--dirty", "--exclude", "*"],
                          cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def rows(path):
    """A CSV file of results."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, columns, results):
    """Makes one."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(results)


def lines(results, titles):
    """A table for people: the columns of each title, in the order of `titles`."""
    yield f"| {' | '.join(title for title, _ in titles)} |"
    yield "|" + " --- |" * len(titles)
    for row in results:
        yield f"| {' | '.join(str(row[column]) for _, column in titles)} |"

# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Markdown table of transport_table.py from the results of its runs."""

import re

from transport_table import HOSTS, SHAPES, STRATEGIES, TRANSPORTS, WRITERS

BY_SIZE = "by size"
ROWS = (*TRANSPORTS[:-1], BY_SIZE)
NO_PORT = "no: its UCX netmod has no ports"
HANGS = "no: `MPI_Comm_connect` hangs, so it is refused"
ONE_LIBRARY = "no: MPI joins programs of one library"
NOT_NEEDED = "as in two jobs: it asks no MPI"
NO_JOB = "as in one job: it asks no MPI"


class Column:
    """A way to run: its title, whose results belong to it, and why transports over MPI cannot be."""

    def __init__(self, title, hosts, writers, started, without_mpi=None, no_fabric=None):
        self.title, self.key = title, (hosts, writers, started)
        self.without_mpi, self.no_fabric = without_mpi, no_fabric


COLUMNS = [
    Column("MPICH 4.2.1, one job", "MPICH", "MPICH", "one job"),
    Column("Open MPI 5.0.7, one job", "Open MPI", "Open MPI", "one job"),
    Column("MPICH 5.0.2, two jobs", "MPICH 5", "MPICH 5", "two jobs"),
    Column("MPICH 4.2.1, two jobs", "MPICH", "MPICH", "two jobs", NO_PORT, NO_JOB),
    Column("Open MPI 5.0.7, two jobs", "Open MPI", "Open MPI", "two jobs", HANGS, NO_JOB),
    Column("hosts Open MPI, writers MPICH", "Open MPI", "MPICH", "two jobs", ONE_LIBRARY),
    Column("hosts MPICH, writers Open MPI", "MPICH", "Open MPI", "two jobs", ONE_LIBRARY),
    Column("ParaView on MPICH 4.2.1, one job", "ParaView, MPICH", "MPICH", "one job", no_fabric=NOT_NEEDED),
    Column("ParaView on MPICH 4.2.1, two jobs", "ParaView, MPICH", "MPICH", "two jobs", NO_PORT),
    Column("ParaView on MPICH 5.0.2, two jobs", "ParaView, MPICH 5", "MPICH 5", "two jobs", no_fabric="as with 4.2.1"),
]


def library(name):
    """"MPICH 4.2.1" -> "MPICH": the packaged ones are known without their versions."""
    name = re.sub(r"MPICH 5\.[\d.]+", "MPICH 5", name)
    return re.sub(r" (v?5\.0\.7|4\.2\.1)$", "", name)


def cells(files):
    """{(hosts, writers, started): {(transport, strategy): {shape: result}}}"""
    found = {}
    for file in files:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                hosting, writing, started, transport, strategy, hosts, writers, result = line.rstrip("\n").split(";")
                row = BY_SIZE if ":" in transport else transport
                column = found.setdefault((library(hosting), library(writing), started), {})
                column.setdefault((row, strategy), {})[int(hosts), int(writers)] = result
    return found


def field(column, row, results):
    """What stands for a column's title and a transport, all strategies together."""
    found = {
        (strategy, shape): result
        for strategy in STRATEGIES
        for shape, result in results.get(column.key, {}).get((row, strategy), {}).items()
    }
    if not found:
        mpi = row.startswith("mpi-")
        return (column.without_mpi if mpi or row == BY_SIZE else column.no_fabric) or "NOT RUN"
    wanted = [(strategy, shape) for strategy in STRATEGIES for shape in SHAPES]
    told = [f"{sum(result == 'identical' for result in found.values())} identical"]
    for title, which in (
        ("DIFFERENT", [cell for cell, result in found.items() if result != "identical"]),
        ("not run", [cell for cell in wanted if cell not in found]),
    ):
        if which:
            told.append(
                f"{title}: " + ", ".join(f"{strategy} {hosts}x{writers}" for strategy, (hosts, writers) in which)
            )
    return "; ".join(told)


TEXT = """# What the transports were tried with

Made by

    ./dev build
    ./dev shell python3 Testing/Parallel/transport_table.py run /tmp/cells.csv
    python3 Testing/Parallel/transport_table.py show /tmp/cells.csv >Testing/Parallel/TRANSPORTS.md

with a ParaView on MPICH in place (`Testing/Environment/README.md`). `./dev test` runs the one-job lines whole and the others with fewer numbers of ranks.

A field stands for {count} runs: the strategies {strategies}; {hosts} hosts; {writers} writers. "Identical" counts those whose snapshot, saved, has the bytes of the file that MPI-IO writes. Hosts and writers are on one node; where the transport is not shared memory, that is forbidden. Files are small (14 to 70 KiB in blocks of 1 or 4 KiB, 8 MiB per host): contiguous therefore fills one host only; files over several hosts with it are in `Session.*`, and files of 100 MB by every strategy and transport in `Bulk.*`, `BulkJobs` and `ParaView.Bulk`.

"""  # noqa: E501 (paragraphs of Markdown)

NOTES = """
By size: `mpi-rma` for 1 KiB and more with `mpi-messages` below; in lines without MPI, `fabric` with `shared-memory` below.

MPICH 5.0.2 is PyPI's (`Testing/Environment/mpich-ports.sh`), put in the place of Debian's library: the same programs, whose jobs meet at a port while they run. ParaView is 5.13.2.

What cannot be is said at connect, in one message that names what to do: `MpiTransports` (`test_no_port`), `ParaView.OneJob` (`test_two_jobs`), and the unit tests `MpiOffer.*`."""  # noqa: E501 (paragraphs of Markdown)


def show(files):
    """The whole text."""
    results = cells(files)
    lines = [
        "| | " + " | ".join(row if row == BY_SIZE else f"`{row}`" for row in ROWS) + " |",
        "| --- " * (len(ROWS) + 1) + "|",
    ]
    lines += [
        f"| {column.title} | " + " | ".join(field(column, row, results) for row in ROWS) + " |" for column in COLUMNS
    ]
    told = TEXT.format(count=len(STRATEGIES) * len(SHAPES), strategies=", ".join(STRATEGIES),
                       hosts=", ".join(map(str, HOSTS)), writers=", ".join(map(str, WRITERS)))
    return told + "\n".join(lines) + "\n" + NOTES

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sums up, and draws, what a program's calls to the DSM file driver were (DSM_TRACE).

    DSM_TRACE=trace dsm-run mpiexec -n 4 ./simulation
    dsm-trace trace
    dsm-trace trace --plot trace.png

Each rank has written a file of CSV, a line for each call: any tool that reads CSV reads it, too.
"""
import argparse
import csv
import heapq
import json
import pathlib
import sys
from array import array
from collections import defaultdict
from statistics import median

VERSION = "@PROJECT_VERSION@"  # CMake enters it
TRANSFERS = ("read", "write")
COLOURS = {"read": "tab:blue", "write": "tab:orange", "open": "tab:green", "seal": "tab:red", "close": "tab:pink",
           "flush": "tab:purple", "truncate": "tab:gray"}
NUMBERS = {"begin": float, "seconds": float, "rank": int, "file": int, "address": int, "size": int, "pieces": int,
           "failed": int}


class Unreadable(Exception):
    """What was given is no trace; the text says why."""


class Calls:
    """Some calls, added up."""

    def __init__(self):
        self.calls = self.bytes = self.pieces = self.failed = 0
        self.seconds = self.longest = 0.0

    def add(self, row):
        self.calls += 1
        self.bytes += row["size"]
        self.pieces += row["pieces"]
        self.failed += row["failed"]
        self.seconds += row["seconds"]
        self.longest = max(self.longest, row["seconds"])


class Summary:
    """All that is told of the calls, without keeping them: but for `moments`, three numbers of each, where they are to
    be drawn."""

    def __init__(self, slowest=10, moments=False):
        self.operations = defaultdict(Calls)
        # Of reads and writes, by what they were: {"kind": {"raw": {"read": Calls}}}.
        self.by = {what: defaultdict(lambda: defaultdict(Calls)) for what in ("kind", "transfer", "mode", "transport")}
        self.sizes = {"calls": defaultdict(lambda: defaultdict(int)), "pieces": defaultdict(lambda: defaultdict(int))}
        self.hosts = defaultdict(lambda: dict.fromkeys(TRANSFERS, 0))
        self.ranks = defaultdict(float)
        self.names = {}
        self.begin, self.end = float("inf"), float("-inf")
        self.incomplete = 0
        self.most = slowest
        self.slow = []
        self.moments = defaultdict(lambda: (array("d"), array("d"))) if moments else None

    def add(self, row, source):
        operation = row["operation"]
        self.operations[operation].add(row)
        self.ranks[row["rank"]] += row["seconds"]
        self.begin = min(self.begin, row["begin"])
        self.end = max(self.end, row["begin"] + row["seconds"])
        if row["name"]:
            self.names[source, row["file"]] = row["name"]
        if operation in TRANSFERS:
            self._add_transfer(row, operation)
        # The lines' number decides among equals: rows cannot be compared.
        entry = (row["seconds"], sum(one.calls for one in self.operations.values()), row, source)
        if len(self.slow) < self.most:
            heapq.heappush(self.slow, entry)
        elif self.slow and entry > self.slow[0]:
            heapq.heapreplace(self.slow, entry)
        if self.moments is not None:
            begins, lengths = self.moments[operation]
            begins.append(row["begin"])
            lengths.append(row["seconds"])

    def _add_transfer(self, row, operation):
        for what, groups in self.by.items():
            groups[row[what] or "none"][operation].add(row)
        self.sizes["calls"][bin_of(row["size"])][operation] += 1
        if row["pieces"]:
            self.sizes["pieces"][bin_of(row["size"] // row["pieces"])][operation] += row["pieces"]
        for share in row["hosts"].split():
            host, moved = share.split(":")
            self.hosts[int(host)][operation] += int(moved)

    def slowest(self):
        """(row, name of its file), the slowest first."""
        ordered = sorted(self.slow, reverse=True)
        return [(row, self.names.get((source, row["file"]), "")) for _, _, row, source in ordered]

    def as_json(self):
        def plain(calls):
            return vars(calls)

        return {
            "ranks": {str(rank): seconds for rank, seconds in sorted(self.ranks.items())},
            "files": sorted(set(self.names.values())),
            "seconds": self.end - self.begin,
            "incomplete": self.incomplete,
            "operations": {name: plain(calls) for name, calls in self.operations.items()},
            **{f"{what}s": {name: {one: plain(calls) for one, calls in each.items()} for name, each in groups.items()}
               for what, groups in self.by.items()},
            "sizes": {what: {str(size): dict(each) for size, each in sorted(sizes.items())}
                      for what, sizes in self.sizes.items()},
            "hosts": {str(host): moved for host, moved in sorted(self.hosts.items())},
            "slowest": [{**row, "name": name} for row, name in self.slowest()],
        }


def bin_of(size):
    """The power of two at which the bin of a size begins; 0 for nothing."""
    return 1 << (size.bit_length() - 1) if size else 0


def files_of(paths):
    for path in paths:
        if path.is_dir():
            found = sorted(path.glob("*.csv"))
            if not found:
                raise Unreadable(f"{path} has no trace: no file of it ends in .csv")
            yield from found
        else:
            yield path


def rows_of(path, summary):
    """The lines of a file as they are, with numbers for numbers. A program that was killed leaves half a line."""
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        lines = csv.DictReader(file)
        missing = {*NUMBERS, "operation", "hosts", "name"} - set(lines.fieldnames or [])
        if missing:
            raise Unreadable(f"{path} is no trace of the DSM driver's: it has no column {', '.join(sorted(missing))}")
        for row in lines:
            try:
                for name, number in NUMBERS.items():
                    row[name] = number(row[name])
            except (TypeError, ValueError):
                summary.incomplete += 1
                continue
            if row["name"] is None:
                summary.incomplete += 1
                continue
            yield row


def sum_up(paths, slowest=10, moments=False):
    summary = Summary(slowest, moments)
    for path in files_of(paths):
        for row in rows_of(path, summary):
            summary.add(row, path)
    if not summary.ranks:
        raise Unreadable("no call was traced: files that go to disk are not seen here")
    return summary


def size_text(size):
    for unit, name in ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size:.0f} B"


def time_text(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def table(head, rows):
    """Lines with the first column to the left, the others to the right."""
    cells = [head, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        yield "  ".join(cell.rjust(width) if column else cell.ljust(width)
                        for column, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
    yield ""


def columns(calls):
    return [str(calls.calls), size_text(calls.bytes) if calls.bytes else "", time_text(calls.seconds),
            time_text(calls.seconds / calls.calls), time_text(calls.longest),
            size_text(calls.bytes / calls.seconds) + "/s" if calls.bytes and calls.seconds else ""]


HEAD = ["calls", "bytes", "time", "mean", "longest", "rate"]


def text_of(summary):
    calls = sum(one.calls for one in summary.operations.values())
    failed = sum(one.failed for one in summary.operations.values())
    spent = sorted(summary.ranks.values())
    slowest = max(summary.ranks, key=summary.ranks.get)
    files = len(set(summary.names.values()))
    yield (f"{len(spent)} rank{'s' * (len(spent) > 1)}, {files} file{'s' * (files != 1)}, {calls} calls "
           f"in {time_text(summary.end - summary.begin)}{f', {failed} FAILED' if failed else ''}")
    yield (f"time in the driver: {time_text(spent[0])} to {time_text(spent[-1])} a rank, {time_text(median(spent))} in "
           f"the middle; most on rank {slowest}")
    if summary.incomplete:
        yield f"left out: {summary.incomplete} incomplete lines, as a program leaves that was killed"
    yield ""
    yield from table(["operation", *HEAD], [[name, *columns(one)] for name, one in
                                            sorted(summary.operations.items(), key=lambda item: -item[1].seconds)])
    for what, groups in summary.by.items():
        rows = [[f"{name}, {operation}", *columns(one)]
                for name, each in groups.items() for operation, one in each.items()]
        if rows:
            yield from table([what, *HEAD], sorted(rows))
    yield from text_of_sizes(summary)
    yield from text_of_hosts(summary)
    if summary.slow:
        yield from table(["slowest calls", "time", "bytes", "pieces", "address", "kind", "rank", "file"], [
            [row["operation"], time_text(row["seconds"]), size_text(row["size"]), str(row["pieces"]),
             str(row["address"]), row["kind"], str(row["rank"]), name] for row, name in summary.slowest()])


def text_of_sizes(summary):
    bins = sorted(set(summary.sizes["calls"]) | set(summary.sizes["pieces"]))
    if not bins:
        return
    most = max(sum(each.values()) for each in summary.sizes["calls"].values())
    yield from table(["size from", "reads", "their pieces", "writes", "their pieces", "calls"], [
        [size_text(size),
         *(str(summary.sizes[what].get(size, {}).get(operation, 0)) for operation in TRANSFERS
           for what in ("calls", "pieces")),
         ("#" * round(40 * sum(summary.sizes["calls"].get(size, {}).values()) / most)).ljust(40)] for size in bins])


def text_of_hosts(summary):
    if not summary.hosts:
        return
    even = sum(sum(each.values()) for each in summary.hosts.values()) / len(summary.hosts)
    yield from table(["host", "read", "written", "of an even share"], [
        [str(host), size_text(each["read"]), size_text(each["write"]), f"{sum(each.values()) / even:.2f}"]
        for host, each in sorted(summary.hosts.items(), key=lambda item: -sum(item[1].values()))])


def draw(summary, path):
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise Unreadable(f"drawing needs matplotlib for Python (Debian: python3-matplotlib): {error}") from error
    figure, ((sizes, times), (hosts, moments)) = plt.subplots(2, 2, figsize=(11, 7.5))
    draw_sizes(sizes, summary)
    draw_times(times, summary)
    draw_hosts(hosts, summary)
    draw_moments(moments, summary)
    figure.suptitle(f"{len(summary.ranks)} ranks, {sum(one.calls for one in summary.operations.values())} calls",
                    fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def draw_sizes(axes, summary):
    bins = sorted(summary.sizes["calls"])
    below = [0] * len(bins)
    for operation in TRANSFERS:
        counts = [summary.sizes["calls"][size].get(operation, 0) for size in bins]
        axes.bar(range(len(bins)), counts, bottom=below, color=COLOURS[operation], label=operation)
        below = [one + other for one, other in zip(below, counts, strict=True)]
    axes.set_xticks(range(len(bins)), [size_text(size) for size in bins], rotation=60, fontsize=7)
    axes.set_ylabel("calls")
    axes.set_title("Sizes (from)", fontsize=9)
    axes.legend(fontsize=8)


def draw_times(axes, summary):
    labels, rows = [], []
    for what, groups in summary.by.items():
        for name, each in groups.items():
            labels.append(f"{what}: {name}")
            rows.append([each[operation].seconds if operation in each else 0 for operation in TRANSFERS])
    for column, operation in enumerate(TRANSFERS):
        axes.barh(range(len(rows)), [row[column] for row in rows], left=[sum(row[:column]) for row in rows],
                  color=COLOURS[operation], label=operation)
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("seconds, of all ranks")
    axes.set_title("Time of reads and writes", fontsize=9)
    axes.legend(fontsize=8)


def draw_hosts(axes, summary):
    numbers = sorted(summary.hosts)
    below = [0.0] * len(numbers)
    for operation in TRANSFERS:
        moved = [summary.hosts[host][operation] / (1 << 20) for host in numbers]
        axes.bar(range(len(numbers)), moved, bottom=below, color=COLOURS[operation], label=operation)
        below = [one + other for one, other in zip(below, moved, strict=True)]
    if numbers:
        axes.axhline(sum(below) / len(below), color="black", linestyle="--", linewidth=1, label="even share")
    axes.set_xticks(range(len(numbers)), numbers, fontsize=7)
    axes.set_xlabel("host")
    axes.set_ylabel("MiB")
    axes.set_title("What went to each host, and came from there", fontsize=9)
    axes.legend(fontsize=8)


def draw_moments(axes, summary):
    for operation, (begins, lengths) in summary.moments.items():
        axes.scatter([begin - summary.begin for begin in begins], [max(length, 1e-9) for length in lengths], s=6,
                     color=COLOURS.get(operation), label=operation, rasterized=True)
    axes.set_yscale("log")
    axes.set_xlabel("seconds since the first call")
    axes.set_ylabel("seconds of a call")
    axes.set_title("Each call", fontsize=9)
    axes.legend(fontsize=8)


def command_line():
    parser = argparse.ArgumentParser(prog="dsm-trace", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}",
                        help="print the version and exit")
    parser.add_argument("paths", metavar="TRACE", nargs="+", type=pathlib.Path,
                        help="a folder with traces, or the files themselves")
    parser.add_argument("--slowest", metavar="N", type=int, default=10, help="how many of the slowest calls are told "
                        "(default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="the numbers as JSON, times in seconds, sizes in bytes")
    parser.add_argument("--plot", metavar="FILE", type=pathlib.Path,
                        help="draw them as FILE, a .png, .svg or .pdf (needs matplotlib)")
    return parser


def main(arguments=None):
    options = command_line().parse_args(arguments)
    try:
        summary = sum_up(options.paths, max(0, options.slowest), moments=options.plot is not None)
        if options.plot:
            draw(summary, options.plot)
    except (Unreadable, OSError, ValueError) as error:
        print(f"dsm-trace: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(summary.as_json(), indent=2))
    else:
        print("\n".join(text_of(summary)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Draws the tables that reproduce.py, selection_bench.py, archive_bench.py and bench.py made: plots.py FOLDER"""
import functools
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import running

COLOURS = {"contiguous": "black", "mask": "tab:gray", "block cyclic": "tab:blue", "random block": "tab:orange",
           "tmpfs": "tab:red", "fabric": "tab:blue", "mpi-rma": "tab:orange", "mpi-messages": "tab:green",
           "shared-memory": "black"}
STYLES = ["-", "--", "-.", ":"]
DIRECTIONS = ["write", "read"]


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def mbit(row):
    return int(row["rate"].removesuffix("mbit"))


def values(rows, key):
    """Those that occur, in the order in which they do."""
    return list(dict.fromkeys(row[key] for row in rows))


def finish(figure, axes, path, title):
    """One legend beside all panels."""
    lines = {}
    for one in axes:
        one.tick_params(labelsize=7)
        one.grid(alpha=0.3)
        handles, labels = one.get_legend_handles_labels()
        lines.update(zip(labels, handles, strict=True))
    figure.legend(lines.values(), lines.keys(), fontsize=6, loc="center right", handlelength=3)
    figure.suptitle(title, fontsize=9)
    figure.tight_layout(rect=(0, 0, 0.84, 1))
    figure.savefig(path, dpi=100)
    plt.close(figure)


NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}


def suffix(library):
    """Of a picture's name: what was measured first has none."""
    return "" if library == "mpich" else f"_{library}"


def draw_puts(rows, folder, library):
    rows = [row for row in rows if row["bytes"]]
    for name, up in (("MB_per_s", "MB/s"), ("latency_us", "µs for one and its flush")):
        figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, squeeze=False)
        for panel, way in zip(axes[0], ("put", "get"), strict=True):
            for transport in values(rows, "transport"):
                for rate, style in zip(values(rows, "rate"), STYLES, strict=False):
                    mine = [row for row in rows if row["transport"] == transport and row["rate"] == rate]
                    panel.loglog([int(row["bytes"]) for row in mine], [float(row[f"{way}_{name}"]) for row in mine],
                                 style, marker="o", markersize=3, color=COLOURS.get(transport),
                                 label=f"{transport}, {rate}")
            panel.set_title(way, fontsize=8)
            panel.set_xlabel("bytes", fontsize=8)
        axes[0][0].set_ylabel(up, fontsize=8)
        short = "bandwidth" if name == "MB_per_s" else "latency"
        finish(figure, axes[0], folder / f"puts_{short}{suffix(library)}.png",
               f"One writer and one host: {short} (5.1), {NAMES[library]}")


def panels(rows, path, title, across, draw):
    """One panel for each direction and transport, of the share of the links that was reached; draw(panel, rows)
    fills it."""
    rows = [row for row in rows if row["MB_per_s"]]
    transports = values(rows, "transport")
    figure, axes = plt.subplots(2, len(transports), figsize=(2.4 * len(transports) + 2, 4.6), sharex=True, sharey=True,
                                squeeze=False)
    for line, direction in zip(axes, DIRECTIONS, strict=True):
        for panel, transport in zip(line, transports, strict=True):
            draw(panel, [row for row in rows if row["direction"] == direction and row["transport"] == transport])
            panel.set_title(f"{transport}, {direction}", fontsize=8)
            panel.set_ylim(0, 1)
        line[0].set_ylabel("of the links", fontsize=8)
    for panel in axes[1]:
        panel.set_xlabel(across, fontsize=8)
    finish(figure, [panel for line in axes for panel in line], path, title)


def by_blocks(panel, rows):
    """Lines over the block size; strategies without blocks are level."""
    for rate, style in zip(values(rows, "rate"), STYLES, strict=False):
        for strategy in values(rows, "strategy"):
            mine = sorted((int(row["block_size"]), float(row["of_links"])) for row in rows
                          if row["strategy"] == strategy and row["rate"] == rate)
            how = {"linestyle": style, "color": COLOURS.get(strategy), "label": f"{strategy}, {rate}"}
            if mine[0][0] == 0:
                panel.axhline(mine[0][1], linewidth=0.8, **how)
            else:
                panel.semilogx(*zip(*mine, strict=True), marker="o", markersize=3, base=2, **how)
    sizes = sorted({int(row["block_size"]) for row in rows} - {0})
    panel.set_xticks(sizes, [size_text(size) for size in sizes], rotation=45)


def by_rates(panel, rows):
    """Lines over the rate of the links."""
    blocks = sorted({int(row["block_size"]) for row in rows})
    for strategy in values(rows, "strategy"):
        for block in sorted({int(row["block_size"]) for row in rows if row["strategy"] == strategy}):
            mine = sorted((mbit(row), float(row["of_links"])) for row in rows
                          if row["strategy"] == strategy and int(row["block_size"]) == block)
            panel.semilogx(*zip(*mine, strict=True), STYLES[max(0, blocks.index(block) - 1)], marker="o", markersize=3,
                           color=COLOURS.get(strategy), base=2,
                           label=strategy + (f", {size_text(block)}" if block else ""))
    rates = sorted({mbit(row) for row in rows})
    panel.set_xticks(rates, rates)


def by_depth(panel, rows):
    """Bars: each strategy with the usual number of transfers under way and with few."""
    depths = values(rows, "queue_depth")
    strategies = values(rows, "strategy")
    for number, strategy in enumerate(strategies):
        mine = [next(float(row["of_links"]) for row in rows
                     if row["strategy"] == strategy and row["queue_depth"] == depth) for depth in depths]
        panel.bar([place + 0.4 * number for place in range(len(depths))], mine, 0.38, color=COLOURS.get(strategy),
                  label=strategy)
    panel.set_xticks([place + 0.2 for place in range(len(depths))], [depth or "256" for depth in depths])


# The paper's sections over MPI libraries: what a picture shows, over what, and how.
SECTIONS = {
    "single": ("One dataset, 4 hosts, 4 writers (5.2)", "block size", by_blocks),
    "ten": ("Ten datasets, 4 hosts, 4 writers (5.3)", "Mbit/s of each link", by_rates),
    "ten_eight": ("Ten datasets, 8 hosts, 8 writers (5.3)", "block size", by_blocks),
    "several": ("Ten datasets, 4 nodes with 4 hosts each, 4 writers (5.3)", "transfers under way", by_depth),
}


def draw_section(name, rows, folder):
    """A picture for each MPI library."""
    for library in values(rows, "mpi"):
        mine = [row for row in rows if row["mpi"] == library]
        if name == "puts":
            draw_puts(mine, folder, library)
        else:
            title, across, how = SECTIONS[name]
            panels(mine, folder / f"{name}{suffix(library)}.png", f"{title}, {NAMES[library]}", across, how)


def draw_selections(rows, folder):
    """One figure for each pattern, all ranks with data: a panel for each direction, MB/s over the ranks."""
    modes = values(rows, "mode")
    for pattern in values(rows, "pattern"):
        figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, squeeze=False)
        for panel, direction in zip(axes[0], DIRECTIONS, strict=True):
            mine = [row for row in rows if row["pattern"] == pattern and row["direction"] == direction
                    and row["ranks"] == row["active"]]
            for way in values(mine, "way"):
                for mode in values(mine, "mode"):
                    line = sorted((int(row["ranks"]), float(row["MB_per_s"])) for row in mine
                                  if row["way"] == way and row["mode"] == mode)
                    if line:
                        panel.semilogy(*zip(*line, strict=True), STYLES[modes.index(mode) % len(STYLES)], marker="o",
                                       markersize=3, color=COLOURS.get(way.partition("/")[0]),
                                       label=f"{way}, {mode}")
            panel.set_title(direction, fontsize=8)
            panel.set_xlabel("ranks", fontsize=8)
        axes[0][0].set_ylabel("MB/s", fontsize=8)
        finish(figure, axes[0], Path(folder) / f"selections_{pattern}.png", f"Selections: {pattern}")


WRITERS = {"plain": ("plain write, a file each", "black", "--"), "MPI-IO": ("HDF5's MPI-IO, one file", "tab:red", "-"),
           "subfiling": ("HDF5's Subfiling", "tab:orange", "-"),
           "memory": ("the simulation, into memory", "tab:green", "-"),
           "archive, single": ("archive, one file", "tab:blue", "--"),
           "archive, subfiles 1": ("archive, a subfile for each host", "tab:blue", "-")}


def draw_archive(rows, folder):
    """As the study has it: I/O time and rate over the processes, the rate over the subfiling factor, and reading by
    other numbers of ranks; a line of panels for each place. What goes to a disk counts until it is there."""
    def seconds(row):
        return float(row["on_disk_seconds_median"] or row["seconds_median"])

    def rate(row):
        return int(row["bytes"]) / seconds(row) / 1e9

    most = max((row["processes"] for row in rows), key=int)
    places = values(rows, "place")
    figure, axes = plt.subplots(len(places), 4, figsize=(15, 3.4 * len(places)), squeeze=False)
    for line, place in zip(axes, places, strict=True):
        here = [row for row in rows if row["place"] == place]
        written = [row for row in here if row["kernel"] == "VPIC-IO"]
        at_most = [row for row in written if row["processes"] == most]
        for way, (label, colour, style) in WRITERS.items():
            how = {"linestyle": style, "color": colour, "marker": "o", "markersize": 3}
            mine = [row for row in written if row["way"] == way]
            for panel, value in zip(line, (seconds, rate), strict=False):
                panel.plot([int(row["processes"]) for row in mine], [value(row) for row in mine],
                           label=label if mine else None, **how)
            if way in ("plain", "archive, single"):
                line[2].axhline(rate(next(row for row in at_most if row["way"] == way)), linestyle=style, color=colour)
            read = [row for row in here if row["kernel"] == "BD-CATS-IO" and row["processes"] == most
                    and row["way"] == way]
            line[3].plot([int(row["readers"]) for row in read], [float(row["GB_per_s"]) for row in read], **how)
        factors = [row for row in at_most if "subfiles" in row["way"]]
        line[2].plot([int(row["way"].split()[-1]) for row in factors], [rate(row) for row in factors], "o-",
                     markersize=3, color="tab:blue")
        titles = (f"VPIC-IO to {place}: time", f"VPIC-IO to {place}: rate", f"factor, {most} processes",
                  f"BD-CATS-IO of what {most} wrote")
        for panel, title, across, up in zip(line, titles, ("processes", "processes", "hosts of a subfile", "readers"),
                                            ("s", "GB/s", "GB/s", "GB/s"), strict=True):
            panel.set_title(title, fontsize=8)
            panel.set_xlabel(across, fontsize=8)
            panel.set_ylabel(up, fontsize=8)
            panel.set_ylim(bottom=0)
            panel.xaxis.get_major_locator().set_params(integer=True)
    finish(figure, axes.flat, Path(folder) / "archive.png", "The kernels of the study of HDF5's subfiling (2017)")


# The steps from a file to its picture, in their order.
STEPS = ["close", "notice", "read", "range", "inform", "draw"]
USERS_COLOURS = {"DSM": "tab:green", "memcpy": "black", "tmpfs": "tab:red", "SST": "tab:orange"}


def draw_users(panel, rows):
    """Draws bars for each case and way: how long a program is held up."""
    cases, ways = values(rows, "case"), values(rows, "way")
    for number, way in enumerate(ways):
        mine = {row["case"]: float(row["value"]) for row in rows if row["way"] == way}
        panel.barh([place + 0.8 * number / len(ways) for place, case in enumerate(cases) if case in mine],
                   [mine[case] for case in cases if case in mine], 0.8 / len(ways), color=USERS_COLOURS.get(way),
                   label=way)
    panel.set_xscale("log")
    panel.set_yticks([place + 0.3 for place in range(len(cases))], cases)
    panel.invert_yaxis()
    panel.set_title("A program is held up by a file", fontsize=8)


def draw_pictures(panel, rows):
    """Draws a bar for each size and number of ranks, of the steps one after the other."""
    bars = list(dict.fromkeys((row["case"], row["way"]) for row in rows))
    left = [0.0] * len(bars)
    for step in STEPS:
        times = {(row["case"], row["way"]): float(row["value"]) for row in rows if row["step"] == step}
        lengths = [times.get(bar, 0) for bar in bars]
        panel.barh(range(len(bars)), lengths, 0.6, left=left, label=step)
        left = [begin + length for begin, length in zip(left, lengths, strict=True)]
    panel.set_yticks(range(len(bars)), [", ".join(bar) for bar in bars])
    panel.invert_yaxis()
    panel.set_title("From H5Fclose to the picture in pvbatch", fontsize=8)


def draw_ways(panel, rows):
    """Draws a bar for each size and way: first how long the program is held up, then how long the picture takes.

    In line both are the same time, which is drawn once.
    """
    held, whole = ({(row["case"], row["way"]): float(row["value"]) for row in rows if row["step"] == step}
                   for step in ("create to close", "create to picture"))
    bars = list(whole)
    first = [min(held[bar], whole[bar]) for bar in bars]
    panel.barh(range(len(bars)), first, 0.6, label="program held up")
    panel.barh(range(len(bars)), [whole[bar] - begin for bar, begin in zip(bars, first, strict=True)], 0.6, left=first,
               label="then to the picture")
    panel.set_yticks(range(len(bars)), [", ".join(bar) for bar in bars])
    panel.invert_yaxis()
    panel.set_title("From H5Fcreate to the picture", fontsize=8)


def draw_bench(rows, folder):
    """Draws what ./dev bench measured of a program that writes, and of pictures: medians in milliseconds."""
    for name, benchmark, steps, drawing in (("user", "user", None, draw_users),
                                            ("picture", "picture", STEPS, draw_pictures),
                                            ("ways", "picture", ["create to close", "create to picture"], draw_ways)):
        mine = [row for row in rows if row["benchmark"] == benchmark and row["statistic"] == "median"
                and row["unit"] == "ms" and (steps is None or row["step"] in steps)]
        if not mine:
            continue
        lines = len({(row["case"], row["way"]) for row in mine})
        figure, axes = plt.subplots(1, 1, figsize=(8, max(3.2, 1 + 0.25 * lines) if name == "ways" else 3.2),
                                    squeeze=False)
        drawing(axes[0][0], mine)
        axes[0][0].set_xlabel("ms", fontsize=8)
        row = mine[0]
        finish(figure, axes[0], Path(folder) / f"bench_{name}.png",
               f"{row['machine']}, {row['cores']} cores, {row['date']}, {row['commit']}"
               + (" (short: no result)" if row["short"] == "yes" else ""))


def draw(folder):
    """All plots whose tables are there."""
    folder = Path(folder)
    drawings = {
        "selections": lambda rows: draw_selections(rows, folder),
        "archive": lambda rows: draw_archive(rows, folder),
        "bench": lambda rows: draw_bench(rows, folder),
        **{name: functools.partial(draw_section, name, folder=folder) for name in ["puts", *SECTIONS]},
    }
    for name, drawing in drawings.items():
        table = folder / f"{name}.csv"
        if table.exists() and (rows := running.rows(table)):
            drawing(rows)


if __name__ == "__main__":
    draw(sys.argv[1])

# SPDX-License-Identifier: BSD-3-Clause
"""Draws the tables that reproduce.py made: plots.py FOLDER"""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import running

COLOURS = {"contiguous": "black", "mask": "tab:gray", "block cyclic": "tab:blue", "random block": "tab:orange",
           "fabric": "tab:blue", "mpi-rma": "tab:orange", "mpi-messages": "tab:green", "shared-memory": "black"}
SIZE = (6.0, 3.2)


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def finish(figure, axes, path, title, across, up):
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(across, fontsize=8)
    axes.set_ylabel(up, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw_puts(rows, folder):
    rows = [row for row in rows if row["bytes"]]
    for column, up, name in (("put_MB_per_s", "MB/s", "bandwidth"), ("put_latency_us", "µs for one put and its flush",
                                                                      "latency")):
        figure, axes = plt.subplots(figsize=SIZE)
        for transport in dict.fromkeys(row["transport"] for row in rows):
            mine = [row for row in rows if row["transport"] == transport]
            axes.loglog([int(row["bytes"]) for row in mine], [float(row[column]) for row in mine], "o-", markersize=3,
                        color=COLOURS.get(transport), label=transport)
        finish(figure, axes, folder / f"puts_{name}.png", f"One writer to one host: {name} (5.1)", "bytes of a put", up)


def measured(rows):
    return [row for row in rows if row["MB_per_s"] and row["direction"] == "write"]


def links(rows, axes):
    """The sum of the links, by the number of writers."""
    points = sorted({(int(row["writers"]), float(row["MB_per_s"]) / float(row["of_links"])) for row in rows})
    best = {}
    for writers, rate in points:
        best.setdefault(writers, rate)
    axes.plot(list(best), list(best.values()), ":", color="tab:red", label="sum of the links")


def draw_by_writers(rows, path, title):
    rows = measured(rows)
    figure, axes = plt.subplots(figsize=SIZE)
    links(rows, axes)
    styles = ["-", "--", "-.", ":"]
    blocks = sorted({int(row["block_size"]) for row in rows} - {0})
    for strategy in dict.fromkeys(row["strategy"] for row in rows):
        for block in sorted({int(row["block_size"]) for row in rows if row["strategy"] == strategy}):
            mine = sorted((int(row["writers"]), float(row["MB_per_s"])) for row in rows
                          if row["strategy"] == strategy and int(row["block_size"]) == block)
            style = styles[blocks.index(block) % 4] if block else "-"
            axes.plot(*zip(*mine, strict=True), style, marker="o", markersize=3, color=COLOURS.get(strategy),
                      label=strategy + (f", {size_text(block)}" if block else ""))
    axes.set_ylim(bottom=0)
    axes.set_xticks(sorted({int(row["writers"]) for row in rows}))
    finish(figure, axes, path, title, "writers", "MB/s")


def draw_by_blocks(rows, path, title):
    rows = measured(rows)
    figure, axes = plt.subplots(figsize=SIZE)
    for writers, style in zip(sorted({int(row["writers"]) for row in rows}), ("-.", "--", "-", ":"), strict=False):
        for strategy in dict.fromkeys(row["strategy"] for row in rows):
            mine = sorted((int(row["block_size"]), float(row["MB_per_s"])) for row in rows
                          if row["strategy"] == strategy and int(row["writers"]) == writers)
            label = f"{strategy}, {writers} writers"
            if mine[0][0] == 0:
                axes.axhline(mine[0][1], linestyle=style, color=COLOURS.get(strategy), linewidth=0.8, label=label)
            else:
                axes.semilogx(*zip(*mine, strict=True), style, marker="o", markersize=3, color=COLOURS.get(strategy),
                              label=label, base=2)
    axes.set_ylim(bottom=0)
    ticks = sorted({int(row["block_size"]) for row in rows} - {0})
    axes.set_xticks(ticks, [size_text(tick) for tick in ticks], rotation=45)
    finish(figure, axes, path, title, "block size", "MB/s")


def draw(folder):
    """All plots whose tables are there."""
    folder = Path(folder)
    drawings = {
        "puts": lambda rows: draw_puts(rows, folder),
        "single": lambda rows: draw_by_blocks(rows, folder / "single.png", "One dataset, 8 hosts (5.2)"),
        "ten": lambda rows: draw_by_writers(rows, folder / "ten.png", "Ten datasets, 8 hosts (5.3)"),
        "several": lambda rows: draw_by_writers(rows, folder / "several.png",
                                                "Ten datasets, 4 nodes with 4 hosts each (5.3)"),
    }
    for name, drawing in drawings.items():
        table = folder / f"{name}.csv"
        if table.exists() and (rows := running.rows(table)):
            drawing(rows)


if __name__ == "__main__":
    draw(sys.argv[1])

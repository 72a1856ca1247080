#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what dsm-perf measured (dsm-perf -o FILE.csv): plot_perf.py FILE.csv PICTURE.png"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NAMES = {"posix": "POSIX", "mpiio": "MPI-IO", "phdf5": "parallel HDF5", "dsm": "DSM"}
COLOURS = {"posix": "tab:gray", "mpiio": "tab:orange", "phdf5": "tab:green", "dsm": "tab:blue"}
PANELS = {"write": "write", "write_file": "write, with create and close", "read": "read",
          "read_file": "read, with open and close"}
STYLES = ["-", "--", "-.", ":"]


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def draw(rows, path):
    figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), sharey=True)
    processes = sorted({int(row["processes"]) for row in rows}, reverse=True)
    sizes = sorted({int(row["transfer"]) for row in rows})
    for axis, (operation, title) in zip(axes, PANELS.items(), strict=True):
        for api, name in NAMES.items():
            for count, style in zip(processes, STYLES, strict=False):
                mine = [row for row in rows if row["api"] == api and row["operation"] == operation
                        and int(row["processes"]) == count]
                if mine:
                    axis.plot([int(row["transfer"]) for row in mine], [float(row["MB_per_s"]) for row in mine], style,
                              marker="o", markersize=3, color=COLOURS[api],
                              label=f"{name}, {count} process{'es' if count > 1 else ''}")
                    axis.fill_between([int(row["transfer"]) for row in mine],
                                      [float(row["MB_per_s_least"]) for row in mine],
                                      [float(row["MB_per_s_most"]) for row in mine], color=COLOURS[api], alpha=0.1)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(sizes, [size_text(size) for size in sizes], fontsize=7)
        axis.minorticks_off()
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("bytes of a call", fontsize=8)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("MB/s (mean; band: least to most)", fontsize=8)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=7, loc="center right")
    figure.tight_layout(rect=(0, 0, 0.86, 1))
    figure.savefig(path, dpi=100)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"{sys.argv[1]} has no measurement")
    draw(rows, sys.argv[2])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Draws charts: the smallest, the mean and the largest value of an array over the snapshots, and the numbers that a
simulation reports."""

import math

CURVES = ("maximum", "mean", "minimum")
# Points of a curve; of more, the oldest leave.
LENGTH = 500


class _Axes:
    """Places values in an SVG of 100 by 100."""

    def __init__(self, steps, lowest, highest):
        self._first, self._last = steps[0], steps[-1]
        self._low, self._high = (lowest, highest) if lowest < highest else (lowest - 1, highest + 1)

    def points(self, steps, values):
        """Returns a curve, as the points of an SVG's polyline."""
        across = 100 / ((self._last - self._first) or 1)
        up = 100 / (self._high - self._low)
        return " ".join(f"{across * (step - self._first):.2f},{up * (self._high - value):.2f}"
                        for step, value in zip(steps, values, strict=True))

    def ends(self):
        """Returns what stands at the ends of the axes."""
        return {"low": f"{self._low:.4g}", "high": f"{self._high:.4g}", "first": f"{self._first:.15g}",
                "last": f"{self._last:.15g}"}


def observed_of(program):
    """Returns the observables of a program for the page: the newest value of each, and its curve if there are
    several."""
    units = {one["name"]: one["unit"] for one in program["declarations"]["observables"]}
    drawn = []
    for name, series in program["observed"].items():
        # A value that is no number has no place in a chart.
        known = [(step, value) for step, value in zip(series["steps"], series["values"], strict=True)
                 if isinstance(value, (int, float)) and math.isfinite(value)][-LENGTH:]
        if not known:
            continue
        steps, values = zip(*known, strict=True)
        axes = _Axes(steps, min(values), max(values))
        unit = units.get(name, "")
        drawn.append({"name": name, "value": f"{values[-1]:.6g}" + (f" {unit}" if unit else ""),
                      "points": axes.points(steps, values) if len(known) > 1 else "", **axes.ends()})
    return drawn


class Chart:
    """Keeps the statistics of the snapshots that were shown, for each array."""

    def __init__(self):
        self._points = {}

    def add(self, array, step, statistics):
        """Enters a snapshot. One that is shown again, or whose step comes again in another run, replaces."""
        points = self._points.setdefault(array, {})
        points[step] = statistics
        while len(points) > LENGTH:
            points.pop(min(points))

    def clear(self):
        self._points = {}

    def drawn(self, array):
        """Returns what the page draws of an array: curves as points of an SVG of 100 by 100, and the axes' ends."""
        points = sorted(self._points.get(array, {}).items())
        if len(points) < 2:
            return None
        steps = [step for step, _ in points]
        axes = _Axes(steps, min(each["minimum"] for _, each in points), max(each["maximum"] for _, each in points))
        return {"curves": {name: axes.points(steps, [each[name] for _, each in points]) for name in CURVES},
                **axes.ends()}

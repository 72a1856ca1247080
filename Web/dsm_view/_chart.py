# SPDX-License-Identifier: BSD-3-Clause
"""The chart: the smallest, the mean and the largest value of an array over the snapshots."""

CURVES = ("maximum", "mean", "minimum")
# Points of a curve; of more, the oldest leave.
LENGTH = 500


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
        low = min(each["minimum"] for _, each in points)
        high = max(each["maximum"] for _, each in points)
        if low == high:
            low, high = low - 1, high + 1
        curves = {
            name: " ".join(f"{100 * (step - steps[0]) / (steps[-1] - steps[0]):.2f},"
                           f"{100 * (high - each[name]) / (high - low):.2f}" for step, each in points)
            for name in CURVES
        }
        return {"curves": curves, "low": f"{low:.4g}", "high": f"{high:.4g}", "first": f"{steps[0]:.15g}",
                "last": f"{steps[-1]:.15g}"}

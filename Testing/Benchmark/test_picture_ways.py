# SPDX-License-Identifier: BSD-3-Clause
"""picture_bench.py measures every way to a picture, or says why it cannot; never how fast."""

import argparse

import pytest

import picture_bench
import picture_ways
from test_picture_bench import check_numbers, pytestmark, rows_of

__all__ = ["pytestmark"]


@pytest.mark.parametrize("name", [name for name in picture_ways.MODULES if name != "pvbatch"])
def test_every_way_has_its_numbers_or_says_why_not(name):
    for way in picture_ways.chosen([name]):
        rows = rows_of(way.name, "--ways", name)
        if reason := rows[0][0].partition("cannot be measured: ")[2]:
            assert [row[1:] for row in rows] == [["-", "-", "-"]], rows
            pytest.skip(f"{way.name}: {reason}")
        check_numbers(rows)
        assert all(float(cell) > 0 for row in rows for cell in row[1:]), rows


def test_way_that_cannot_be_measured_says_why(monkeypatch, capsys):
    reason = "this machine has no browser."
    monkeypatch.setattr(picture_ways, "chosen", lambda _: [picture_ways.Way("browser", None, lambda _: reason)])
    picture_bench.print_ways(argparse.Namespace(ways=["browser"]), {})
    assert capsys.readouterr().out.endswith(f"| browser | cannot be measured: {reason} | - | - | - |\n")

# SPDX-License-Identifier: BSD-3-Clause
"""The table of HDF5's parallel programs: what is run when, what is kept, and what is told of it."""

from types import SimpleNamespace

import pytest

import testpar_table as table
from run_program import ON_DISK, Case, Outcome

BUILDS = [SimpleNamespace(flavour="openmpi"), SimpleNamespace(flavour="mpich")]
MAPS = ["block cyclic", "mask"]
QUICK, SLOW = Case([["quick"]]), Case([["one"], ["two"]], server=("--publish", "flush"))


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "CASES", [QUICK, SLOW])
    return table.Results(tmp_path / "results.json", "c0ffee")


@pytest.fixture
def runner(results, tmp_path, monkeypatch):
    """One whose programs end as `outcomes` says, by way; it notes what it ran."""
    made = table.Runner(results, tmp_path)
    made.ran, made.outcomes = [], {}

    def run(_build, case, ranks, way, _keep):
        made.ran.append((case.name, ranks, way))
        return made.outcomes.get(way, Outcome(1.0))

    monkeypatch.setattr(table, "run", run)
    return made


def cell(case, ranks=4, build=BUILDS[0], way="mask"):
    return table.Cell(case, ranks, build, way)


def keep(results, outcome, *cells, why=""):
    for one in cells:
        results.keep(one, {"outcome": outcome, "why": why, "seconds": 1, "snapshots": 1})


def every(case, ranks):
    return [cell(case, ranks, build, way) for build in BUILDS for way in MAPS]


def lines(results):
    shown = table.Table(results, BUILDS, MAPS)
    return {case.name: [shown.entry(case, ranks) for ranks in table.RANKS] for case in (QUICK, SLOW)}, [
        *shown.differences()]


def test_what_is_usual_is_run_first():
    cells = [cell(case, ranks, way=way) for case in (QUICK, SLOW) for ranks in (1, 4) for way in MAPS]
    ordered = [(one.case.name, one.ranks, one.way) for one in table.in_order(cells)]
    assert ordered[:3] == [("quick", 4, "block cyclic"), ("one, two", 4, "block cyclic"), ("quick", 1, "block cyclic")]
    assert len(ordered) == len(cells)


def test_an_interrupted_run_goes_on(results):
    keep(results, table.PASSED, cell(QUICK))
    later = table.Results(results.path, "c0ffee")
    assert later.of(cell(QUICK))["outcome"] == table.PASSED
    assert later.of(cell(QUICK, 2)) is None
    # What another driver did is run anew, and known until then.
    other = table.Results(results.path, "decade")
    assert other.of(cell(QUICK)) is None
    assert other.last(cell(QUICK))["outcome"] == table.PASSED
    keep(other, table.FAILED, cell(QUICK))
    assert table.Results(results.path, "decade").of(cell(QUICK))["outcome"] == table.FAILED


def test_another_machine_begins_with_what_was_committed(results, tmp_path):
    keep(results, table.PASSED, cell(QUICK))
    committed = tmp_path / "testpar.json"
    results.copy(committed)
    elsewhere = tmp_path / "elsewhere" / "results.json"
    begun = table.Results(elsewhere, "decade", committed)
    assert begun.last(cell(QUICK))["outcome"] == table.PASSED
    keep(begun, table.FAILED, cell(SLOW))
    again = table.Results(elsewhere, "decade", committed)
    assert {again.last(one)["outcome"] for one in (cell(QUICK), cell(SLOW))} == {table.PASSED, table.FAILED}
    assert table.Results(tmp_path / "new.json", "decade", committed).last(cell(SLOW)) is None


def test_the_table_says_which_drivers_it_was(results):
    shown = table.Table(results, BUILDS, MAPS)
    assert shown.commits() == "the driver of commit c0ffee"
    keep(results, table.PASSED, *every(QUICK, 1))
    other = table.Results(results.path, "decade")
    shown = table.Table(other, BUILDS, MAPS)
    assert shown.commits() == "the driver of commit c0ffee"
    keep(other, table.PASSED, cell(QUICK, 1))
    assert shown.commits() == "the driver of commits (and so many of 4 cells) c0ffee (3), decade (1)"


def test_what_says_nothing_new_is_not_run(results):
    alone = SLOW._replace(most_ranks=2, one_map=True)
    assert table.cells_of(alone, 4, BUILDS, MAPS) == []
    assert [one.way for one in table.cells_of(alone, 2, BUILDS, MAPS)] == ["block cyclic"] * 2
    assert len(table.cells_of(SLOW, 4, BUILDS, MAPS)) == 4
    shown = table.Table(results, BUILDS, MAPS)
    keep(results, table.PASSED, cell(alone, 2, way="block cyclic"))
    assert [shown.entry(alone, ranks) for ranks in (2, 4)] == ["1/1 of 2", "as 2"]


def test_what_fails_is_run_on_disk_as_well(runner):
    runner.run(cell(QUICK))
    assert runner.ran == [("quick", 4, "mask")]
    runner.outcomes["mask"] = Outcome(1.0, failure="quick ended with status 1:\nthings\nproc 0: ERROR of a kind\n")
    runner.run(cell(SLOW))
    assert runner.ran[1:] == [("one, two", 4, "mask"), ("one, two", 4, ON_DISK)]
    assert runner.results.of(cell(SLOW))["why"] == "quick ended with status 1: proc 0: ERROR of a kind"
    assert table.fails_with_us_only(runner.results, cell(SLOW))
    assert not table.fails_with_us_only(runner.results, cell(QUICK))


def test_a_run_that_was_interrupted_in_between_runs_it_on_disk(runner):
    keep(runner.results, table.PASSED, cell(QUICK))
    keep(runner.results, table.FAILED, cell(SLOW))
    runner.run(cell(QUICK))
    runner.run(cell(SLOW))
    assert runner.ran == [("one, two", 4, ON_DISK)]
    runner.run(cell(QUICK), anew=True)
    assert runner.ran[1:] == [("quick", 4, "mask")]


def test_what_fails_on_disk_too_is_known_by_then(runner):
    runner.outcomes["mask"] = runner.outcomes[ON_DISK] = Outcome(1.0, failure="late")
    runner.run(cell(QUICK))
    runner.outcomes["block cyclic"] = Outcome(1.0, failure="late")
    runner.run(cell(QUICK, way="block cyclic"))
    assert runner.ran.count(("quick", 4, ON_DISK)) == 1
    assert not table.fails_with_us_only(runner.results, cell(QUICK))


def test_a_cell_says_how_many_pass_of_how_many(results):
    keep(results, table.PASSED, *every(QUICK, 1), *every(QUICK, 2)[:3], cell(QUICK, 4))
    keep(results, table.FAILED, every(QUICK, 2)[3], why="late")
    keep(results, table.REFUSED, *every(SLOW, 1), why="too few")
    assert lines(results)[0] == {"quick": ["4/4", "3/4", "1/1 of 4", ""], "one, two": ["-", "", "", ""]}


def test_what_differs_is_named_with_what_the_disk_does(results):
    keep(results, table.REFUSED, *every(SLOW, 1), cell(SLOW, 1, way=ON_DISK), cell(SLOW, 1, BUILDS[1], ON_DISK),
         why="too few")
    keep(results, table.FAILED, cell(QUICK, 2, BUILDS[1]), cell(QUICK, 6, BUILDS[1]),
         cell(QUICK, 6, way="block cyclic"), why="a|b")
    keep(results, table.PASSED, cell(QUICK, 2, BUILDS[1], ON_DISK))
    assert lines(results)[1] == [
        "| `quick` | 2 ranks, MPICH, mask | a b | passed |",
        "| `quick` | 6 ranks, Open MPI, block cyclic; 6 ranks, MPICH, mask | a b | not run |",
        "| `one, two` | 1 rank | too few | refused |",
    ]

# SPDX-License-Identifier: BSD-3-Clause
"""The checker finds what is wrong in histories that are written down, and nothing in those that are right."""

import random
import re

import pytest

import linearize
import plans
from history import Operation, by_names, from_text, to_text
from model import DiskModel, MemoryModel

# process: operation name [-> other] [value] = result @ start-end. A result {1 2} is what was read; "died" is a call
# that did not return.
LINE = re.compile(r"(\d+): (open \S+|\w+)(?: (\w+\.h5))?(?: -> (\w+\.h5))?(?: (\d+))?(?: = (.+?))? @ (\d+)-(\d*)")
RESULTS = {"died": None, "yes": True, "no": False}


def history(text):
    operations = []
    for line in filter(None, map(str.strip, text.splitlines())):
        process, kind, name, other, value, result, start, end = LINE.fullmatch(line).groups()
        if result and result.startswith("{"):
            result = frozenset(map(int, result.strip("{}").split()))
        operations.append(Operation(int(process), kind, name or "", other or "", int(value or 0),
                                    RESULTS.get(result, result), int(start), float(end) if end else float("inf")))
    return operations


def explained(text, model):
    return all(linearize.check(part, model).explained for part in by_names(history(text)))


BOTH = pytest.mark.parametrize("model", [DiskModel(), MemoryModel()], ids=["disk", "memory"])

CREATED = """
    1: open x a.h5 = ok @ 1-2
    1: write 1 = ok @ 3-4
    1: close = ok @ 5-6
"""

PLANTED = {
    "a lost append": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        2: close = ok @ 14-15
        3: open r+ a.h5 = ok @ 20-21
        3: write 3 = ok @ 22-23
        3: close = ok @ 24-25
        4: open r a.h5 = ok @ 30-31
        4: read = {1 3} @ 32-33
    """,
    "two appends at once of which one is lost": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        3: open r+ a.h5 = ok @ 12-13
        2: write 2 = ok @ 14-15
        3: write 3 = ok @ 16-17
        2: close = ok @ 18-19
        3: close = ok @ 20-21
    """,
    "two creators of one name": """
        1: open x a.h5 = ok @ 1-4
        2: open x a.h5 = ok @ 2-5
    """,
    "a stale read": CREATED + """
        1: open r+ a.h5 = ok @ 10-11
        1: write 2 = ok @ 12-13
        1: close = ok @ 14-15
        2: open r a.h5 = ok @ 16-17
        2: read = {1} @ 18-19
    """,
    "a rename that leaves the old name readable": CREATED + """
        2: rename a.h5 -> b.h5 = ok @ 10-11
        3: open r a.h5 = ok @ 12-13
        3: read = {1} @ 14-15
    """,
    "a flush lost at a kill": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        2: flush = ok @ 14-15
        2: death @ 16-17
        3: open r a.h5 = ok @ 20-21
        3: read = {1} @ 22-23
    """,
    "a removed name that cannot be created": CREATED + """
        1: remove a.h5 = ok @ 10-11
        1: open x a.h5 = there already @ 12-13
    """,
    "a lock that a dead process keeps": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: death @ 12-13
        3: open r+ a.h5 = locked @ 14-15
    """,
    "a creation that a lock refuses though nothing was refused before": CREATED + """
        2: open r+ a.h5 = ok @ 10-20
        3: open x a.h5 = locked @ 12-13
    """,
    "half a file": CREATED + """
        2: open r a.h5 = ok @ 10-11
        2: read = torn: d1 has 3000 values @ 12-13
    """,
    "what was never written": CREATED + """
        2: open r a.h5 = ok @ 10-11
        2: read = {1 7} @ 12-13
    """,
}


@BOTH
@pytest.mark.parametrize("fault", PLANTED)
def test_planted_fault_is_found(fault, model):
    assert not explained(PLANTED[fault], model)


RIGHT = {
    "overlapping reads before and after an append": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        2: close = ok @ 14-20
        3: open r a.h5 = ok @ 15-25
        3: read = {1 2} @ 26-27
    """,
    "one of two creators fails": """
        1: open x a.h5 = ok @ 1-4
        2: open x a.h5 = there already @ 2-5
    """,
    "a close that may have been, of a process that died in it": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        2: close = died @ 14-
        2: death @ 15-16
        3: open r a.h5 = ok @ 20-21
        3: read = {1 2} @ 22-23
    """,
    "a rename of a process that died in it, which could do nothing at first": CREATED + """
        2: rename b.h5 -> c.h5 = died @ 7-
        2: death @ 7-20
        3: exists b.h5 = no @ 8-9
        1: rename a.h5 -> b.h5 = ok @ 10-11
        3: open r b.h5 = not there @ 12-13
    """,
    "a rename that comes behind another, before which both names were of one file": CREATED + """
        1: link a.h5 -> b.h5 = ok @ 7-8
        2: rename b.h5 -> a.h5 = ok @ 10-30
        3: remove a.h5 = ok @ 11-12
        3: open x a.h5 = ok @ 13-14
        3: close = ok @ 15-16
        3: exists b.h5 = no @ 31-32
        3: open r a.h5 = ok @ 33-34
        3: read = {1} @ 35-36
    """,
    "a close that may not have been": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        2: close = died @ 14-
        2: death @ 15-16
        3: open r a.h5 = ok @ 20-21
        3: read = {1} @ 22-23
    """,
    "a flush that survives a kill, without what was written after it": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        2: flush = ok @ 14-15
        2: write 3 = ok @ 16-17
        2: death @ 18-19
        3: open r a.h5 = ok @ 20-21
        3: read = {1 2} @ 22-23
    """,
    "a writer keeps what it writes to when the name goes": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        3: rename a.h5 -> b.h5 = ok @ 14-15
        2: close = ok @ 16-17
        3: open r a.h5 = not there @ 18-19
        3: open r b.h5 = ok @ 20-21
        3: read = {1 2} @ 22-23
    """,
    "two names of one file": CREATED + """
        2: link a.h5 -> b.h5 = ok @ 10-11
        2: open r+ a.h5 = ok @ 12-13
        2: write 2 = ok @ 14-15
        2: close = ok @ 16-17
        3: open r b.h5 = ok @ 18-19
        3: read = {1 2} @ 20-21
        2: rename a.h5 -> b.h5 = ok @ 22-23
        3: exists a.h5 = yes @ 24-25
    """,
    "a second writer is kept out": CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        3: open a a.h5 = locked @ 12-13
        2: close = ok @ 14-15
        3: open a a.h5 = ok @ 16-17
    """,
}


@BOTH
@pytest.mark.parametrize("case", RIGHT)
def test_history_is_explained(case, model):
    assert explained(RIGHT[case], model)


@pytest.mark.parametrize(("before", "model", "right"), [
    ("open r+ a.h5", MemoryModel(), True), ("open r+ b.h5", MemoryModel(), False),
    ("open r+ a.h5", DiskModel(), False)])
def test_creation_behind_a_refused_opening(before, model, right):
    """h5py's "a" consists of the two, so in memory the creation hears of the lock as well."""
    text = CREATED + f"""
        2: open r+ a.h5 = ok @ 10-11
        3: {before} = {"locked" if "a.h5" in before else "not there"} @ 12-13
        3: open x a.h5 = locked @ 14-15
    """
    assert explained(text, model) == right


@pytest.mark.parametrize(("result", "model", "right"), [
    ("locked", DiskModel(), True), ("ok", DiskModel(), False),
    ("locked", MemoryModel(), False), ("ok", MemoryModel(), True)])
def test_readers_need_no_lock_in_memory(result, model, right):
    text = CREATED + f"""
        2: open r+ a.h5 = ok @ 10-11
        3: open r a.h5 = {result} @ 12-13
    """
    assert explained(text, model) == right


def test_flush_is_seen_if_it_is_published():
    text = CREATED + """
        2: open r+ a.h5 = ok @ 10-11
        2: write 2 = ok @ 12-13
        2: flush = ok @ 14-15
        3: open r a.h5 = ok @ 16-17
        3: read = {1 2} @ 18-19
    """
    assert explained(text, MemoryModel(publish="flush"))
    assert not explained(text, MemoryModel(publish="close"))


@pytest.mark.parametrize(("then", "right"), [("gone", True), ("ok", False)])
def test_evicted_version_does_not_come_back(then, right):
    text = CREATED + f"""
        2: open r a.h5 = gone @ 10-11
        2: open r a.h5 = {then} @ 12-13
    """
    assert explained(text, MemoryModel(evicts=True)) == right
    assert not explained(text, MemoryModel(evicts=False))


@pytest.mark.parametrize(("found", "right"), [
    ("{1 2}", True), ("{1}", False), ("placeholder", False), ("not there", False)])
def test_newest_version_is_on_disk_at_the_end(found, right):
    text = CREATED + f"""
        1: open r+ a.h5 = ok @ 10-11
        1: write 2 = ok @ 12-13
        1: close = ok @ 14-15
        9: final a.h5 = {found} @ 20-21
    """
    assert explained(text, MemoryModel(on_disk="*")) == right


def test_failed_create_on_disk_spoils_the_file_of_others():
    """HDF5 truncates before it asks for the lock; memory may not."""
    text = CREATED + """
        2: open r a.h5 = ok @ 10-11
        3: open w a.h5 = locked @ 12-13
        2: read = torn: d1 has 0 values @ 14-15
    """
    assert explained(text, DiskModel())
    assert not explained(text, MemoryModel())


def test_parts_have_no_name_in_common():
    text = CREATED + """
        2: open x b.h5 = ok @ 10-11
        2: death @ 12-13
        3: exists c.h5 = no @ 14-15
        3: link b.h5 -> d.h5 = ok @ 16-17
    """
    parts = by_names(history(text))
    assert sorted(len(part) for part in parts) == [1, 3, 3]


def test_history_is_the_same_after_it_was_kept():
    operations = history(RIGHT["a close that may have been, of a process that died in it"])
    assert from_text(to_text(operations)) == operations


def test_seed_gives_the_same_plan_again():
    features = set(plans.FEATURES)
    assert plans.draw(7, features) == plans.draw(7, features)
    assert plans.draw(7, features) != plans.draw(8, features)


@BOTH
@pytest.mark.parametrize("seed", range(20))
def test_order_of_a_model_is_found_again(seed, model):
    """A model run one operation after the other gives a history; with every operation made longer it is still one."""
    chance = random.Random(seed)
    state, operations, open_files = model.first(), [], set()
    for moment in range(300):
        process = chance.randrange(6)
        if process in open_files:
            kind = chance.choice(["read", "write", "flush", "close"])
        else:
            kind = chance.choice(["open r", "open r+", "open x", "rename", "remove", "exists"])
        name, other = chance.sample(["a.h5", "b.h5"], 2)
        asked = Operation(process, kind, "" if process in open_files else name, other if kind == "rename" else "",
                          moment, None, 10 * moment, 10 * moment + 1)
        state, result = done(model, state, asked)
        operations.append(asked._replace(result=result))
        if kind.startswith("open") and result == "ok":
            open_files.add(process)
        elif kind == "close":
            open_files.discard(process)
    last = {}
    longer = []
    for op in operations:
        start = max(op.start - chance.randrange(60), last.get(op.process, 0))
        last[op.process] = op.end
        longer.append(op._replace(start=start))
    assert linearize.check(longer, model).explained
    # A value that nobody wrote is found, wherever it is.
    place = chance.choice([place for place, op in enumerate(longer) if op.kind == "read"])
    longer[place] = longer[place]._replace(result=longer[place].result | {1000})
    assert not linearize.check(longer, model).explained


def done(model, state, op):
    """The state after an operation that nothing interrupts, and its result."""
    view = dict(state.handles).get(op.process)
    results = ["ok", "not there", "there already", "locked", "unreadable", True, False, view and view.view]
    for result in results:
        answered = op._replace(result=result)
        ways = model.step(state, answered, None)
        while ways:
            state_after, stage = ways[0]
            if stage is None:
                return state_after, result
            ways = model.step(state_after, answered, stage)
    raise AssertionError(f"the model has no result for {op}")

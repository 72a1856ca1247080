# SPDX-License-Identifier: BSD-3-Clause
"""Is there an order of the operations in which each takes effect between its start and its end, and gives the result
that a sequential model gives? The search of Wing and Gong with Lowe's memory of what has been tried, as in Knossos and
Porcupine.

Each process does one thing after the other, so what has been done is a position in each process's list. An operation
may take several steps of the model, between which others take theirs. The last operation of a process that died may
have taken some of its steps, all or none.
"""

from typing import NamedTuple

from history import with_views


class Verdict(NamedTuple):
    explained: bool
    done: int = 0  # operations of the longest order found
    states: int = 0  # that were looked at
    text: str = ""  # why there is none


def lists_by_process(operations):
    lists = {}
    for op in sorted(operations, key=lambda op: op.start):
        lists.setdefault(op.process, []).append(op)
    return [lists[process] for process in sorted(lists)]


def check(operations, model, limit=2_000_000):
    """Searches an order. `limit` bounds the states that are looked at; a search that reaches it says so. Nearly always
    an opening is one step, and a refused creation has made nothing, so the other orders are searched later."""
    operations = with_views(operations)
    quick = search(operations, model.with_short_openings(), changes_nothing, limit // 4)
    for is_settled in (changes_nothing, never_changes):
        if quick.explained:
            break
        quick = search(operations, model, is_settled, limit)
    return quick


def search(operations, model, is_settled, limit):
    """Searches the orders in which an operation takes effect at once if `is_settled` says so of it."""
    lists = lists_by_process(operations)
    begin = (tuple(0 for _ in lists), tuple(None for _ in lists), model.first())
    seen = {begin}
    stack = [begin]
    best = (-1, begin)
    while stack:
        here = stack.pop()
        places = here[0]
        done = sum(places)
        if done > best[0]:
            best = (done, here)
        if all(is_over(ops, place) for ops, place in zip(lists, places, strict=True)):
            return Verdict(True, done, len(seen))
        nexts = following(lists, here, model, is_settled)
        # What ends first is tried first: it is what most likely took effect first.
        for _, each in sorted(nexts, key=lambda pair: pair[0], reverse=True):
            if each not in seen:
                seen.add(each)
                stack.append(each)
        if len(seen) > limit:
            return Verdict(False, best[0], len(seen), f"gave up after {limit} states\n{stuck(lists, best[1])}")
    return Verdict(False, best[0], len(seen), stuck(lists, best[1]))


def is_over(ops, place):
    return place == len(ops) or (place == len(ops) - 1 and did_not_return(ops[place]))


def did_not_return(op):
    return op.result is None and op.kind != "death"


def changes_nothing(op):
    """Whether an operation changes nothing later if it changes nothing now. A call that did not return may yet have
    another result, and a rename between two names of one file may take effect when they are names of two."""
    return not did_not_return(op) and not (op.kind in ("rename", "move") and op.result == "ok")


def never_changes(op):
    """Whether the same holds although a program that is refused the lock may have created the file."""
    return changes_nothing(op) and not (op.kind in ("open w", "open a", "open x") and op.result != "ok")


def candidates(lists, places):
    """(list's number, operation, place of it) that may take its next step: none that starts after another has ended."""
    found = []
    horizon = float("inf")
    for number, (ops, place) in enumerate(zip(lists, places, strict=True)):
        if place < len(ops):
            op = ops[place]
            found.append((number, op, place))
            horizon = min(horizon, op.end)
            # A call that did not return may be left out: its process's death is next.
            if did_not_return(op) and place + 1 < len(ops):
                found.append((number, ops[place + 1], place + 1))
                horizon = min(horizon, ops[place + 1].end)
    return [each for each in found if each[1].start <= horizon]


def following(lists, here, model, is_settled):
    """(end of the operation, where the search is then) for each step that is possible."""
    places, stages, state = here
    found = []
    for number, op, place in candidates(lists, places):
        stage = stages[number] if place == places[number] else None
        for after, next_stage in model.step(state, op, stage):
            moved = place + (next_stage is None)
            there = ((*places[:number], moved, *places[number + 1:]),
                     (*stages[:number], next_stage, *stages[number + 1:]), after)
            if next_stage is None and after == state and place == places[number] and is_settled(op):
                # The operation may as well take effect now: no later operation depends on it.
                return [(op.end, there)]
            found.append((op.end, there))
    return found


def stuck(lists, here):
    """What the search could not get past, for people."""
    places, _, state = here
    lines = ["No order of the operations gives these results. After the longest that does, the model has:", str(state),
             "None of these can be next:"]
    lines += [str(op) for _, op, _ in candidates(lists, places)]
    lines.append("What was done before, newest last, by these processes:")
    before = [op for ops, place in zip(lists, places, strict=True) for op in ops[:place]]
    before.sort(key=lambda op: op.start)
    lines += [str(op) for op in before[-20:]]
    return "\n".join(lines)

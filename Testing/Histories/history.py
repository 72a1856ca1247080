# SPDX-License-Identifier: BSD-3-Clause
"""What processes did with files: the records that are checked, and their form on disk."""

import json
from typing import NamedTuple

OPENS = ("open r", "open r+", "open w", "open x", "open a")
ON_A_HANDLE = ("read", "write", "flush", "close")


class Operation(NamedTuple):
    """One call of one process. Times are nanoseconds of the machine's monotonic clock."""

    process: int  # number of the process; a process that takes a dead one's place has a number of its own
    kind: str  # one of OPENS, ON_A_HANDLE, or rename, remove, link, exists, death, or uncoupled: move, look
    name: str = ""  # the file's name; empty for what works on the process's open file
    other: str = ""  # the second name of rename, move and link
    value: int = 0  # what a write adds
    result: object = None  # None: the process died before the call returned
    start: int = 0
    end: float = float("inf")  # infinite: the call did not return
    view: object = None  # of an opening: the content that it found, if a later read tells that
    refused: bool = False  # of an opening: the process was refused the file's lock in the opening before

    def __str__(self):
        words = [self.kind, self.name, self.other and f"-> {self.other}", f"{self.value}" if self.value else ""]
        told = "died in it" if self.result is None and self.kind != "death" else shown(self.result)
        end = "" if self.end == float("inf") else f"{self.end / 1e6:.3f}"
        return f"{self.start / 1e6:11.3f} {end:>11} ms  process {self.process}: {' '.join(filter(None, words))}: {told}"


def shown(result):
    return "{" + " ".join(map(str, sorted(result))) + "}" if isinstance(result, frozenset) else str(result)


def to_text(operations):
    """One operation a line, as JSON, so that a failed history can be kept and looked at again."""
    return "".join(
        json.dumps([*op[:5], sorted(op.result) if isinstance(op.result, frozenset) else op.result, op.start,
                    None if op.end == float("inf") else op.end]) + "\n" for op in operations)


def from_text(text):
    operations = []
    for line in text.splitlines():
        *head, result, start, end = json.loads(line)
        operations.append(Operation(*head, frozenset(result) if isinstance(result, list) else result, start,
                                    float("inf") if end is None else end))
    return operations


def with_views(operations):
    """Adds to each opening the content that it found: the first read of the open file tells it, less what the process
    has written by then. Adds also whether it follows a refusal."""
    known = {}  # by openings
    refused = set()  # openings
    last = {}  # by processes: its last opening
    opened = {}  # by processes: its last opening, and what it has written since
    for op in sorted(operations, key=lambda op: op.start):
        if op.kind in OPENS:
            before = last.get(op.process)
            if before and (before.kind, before.name, before.result) == ("open r+", op.name, "locked"):
                refused.add(op)
            last[op.process] = op
            opened[op.process] = (op, set()) if op.result == "ok" else None
        opening = opened.get(op.process)
        if opening and op.kind == "write":
            opening[1].add(op.value)
        elif opening and op.kind == "read" and isinstance(op.result, frozenset):
            known.setdefault(opening[0], op.result - opening[1])
    return [op._replace(view=known.get(op), refused=op in refused) for op in operations]


def by_names(operations):
    """The history cut into those that have no name in common: linearizability of each is that of all of them. Names
    belong together if a file went from one to the other."""
    group = {}

    def find(name):
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    for op in operations:
        if op.name:
            find(op.name)
        if op.other:
            group[find(op.other)] = find(op.name)
    parts = {}
    opened = {}  # the name that a process has opened last
    for op in operations:
        if op.kind in OPENS:
            opened[op.process] = op.name
        name = op.name or opened.get(op.process)
        if name:  # else a process died that had opened nothing
            parts.setdefault(find(name), []).append(op)
    return list(parts.values())

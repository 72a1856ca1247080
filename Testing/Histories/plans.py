# SPDX-License-Identifier: BSD-3-Clause
"""What the processes of a history do, drawn from a seed: the same seed gives the same plan."""

import random
from typing import NamedTuple

NAMES = ("a.h5", "b.h5", "c.h5", "d.h5")

# What a history may have in it. Each history draws some of what is switched on, so that each is about something.
FEATURES = {
    "absent names": "names are not there at the beginning; else each has a file",
    "create": "open a file with w, over an older one too",
    "exclusive": "create a file with x",
    "append": "open a file with r+ and write",
    "append or create": "open a file with h5py's a",
    "read": "open a file with r and read",
    "flush": "flush in the middle of writing",
    "rename": "rename a closed file",
    "rename open": "rename while a process may have the file open",
    "remove": "remove a name",
    "link": "make a hard link",
    "exists": "look whether a name is there",
    "kill": "end a process between two calls, with files open",
    "kill in a call": "end a process in the middle of a call",
    "kill after a flush": "processes that end so may have flushed",
    "kill while overwriting": "processes that end so may have a file open that they opened with w, over an older one",
    "shared names": "several processes write to one name; else each name has one writer",
    "uncoupled": "processes without dsm-run rename, remove and read names on disk",
}

HOWS = ("SIGKILL", "SIGKILL", "SIGTERM", "exit")


class Life(NamedTuple):
    """What one process does. If `killed`, another takes its place when it has ended."""

    operations: list
    killed: bool
    new: bool  # whether it begins with a process that has not been connected before


class Plan(NamedTuple):
    seed: int
    features: tuple
    begin: list  # operations before all others
    lives: list  # for each process at a time, the lives that follow each other
    coupled: list  # for each, whether it is started by dsm-run


def draw(seed, switched_on, processes=(4, 8), length=60, splits_links=False):
    """A plan of `length` operations for each process. `splits_links`: the server may make several files of one that has
    several names, so names that several processes write to, or rename when they are open, are not linked."""
    chance = random.Random(seed)
    features = tuple(name for name in FEATURES if name in switched_on and chance.random() < 0.7)
    if splits_links and {"shared names", "rename open"} & set(features):
        features = tuple(name for name in features if name != "link")
    if "absent names" in features and not {"create", "exclusive", "append or create"} & set(features):
        features = (*features, "create")
    count = chance.randint(*processes)
    names = NAMES[:chance.randint(1, len(NAMES))]
    shared = "shared names" in features
    coupled = [not ("uncoupled" in features and number > 1 and chance.random() < 0.3) for number in range(count)]
    makers = []
    values = iter(range(1, 1 << 30))
    writers = [number for number in range(count) if coupled[number]]
    writers = writers[:chance.randint(1, len(writers))]
    for number in range(count):
        owned = names if shared else [name for place, name in enumerate(names)
                                      if writers[place % len(writers)] == number]
        makers.append(Maker(chance, features, names, owned, values, coupled[number]))
    begin = [] if "absent names" in features else [
        operation for name in names for operation in (("open x", name, "", 0, 0), ("write", "", "", next(values), 0),
                                                      ("close", "", "", 0, 0))]
    return Plan(seed, features, begin, [maker.lives(length) for maker in makers], coupled)


class Maker:
    """Makes one process's lives."""

    def __init__(self, chance, features, names, owned, values, coupled):
        self.chance = chance
        self.features = set(features)
        self.names = names
        self.owned = owned  # the names that the process writes, renames and removes
        self.values = values
        self.pauses = chance.choice((0, 300, 3000))  # the longest, in microseconds
        kinds = {"read": 3, "exists": 1}
        if owned:
            kinds.update({"create": 2, "exclusive": 2, "append": 4, "append or create": 4, "rename": 1,
                          "rename open": 1, "remove": 1, "link": 1})
        kinds = {kind: weight for kind, weight in kinds.items() if kind in self.features}
        if not coupled:
            # On disk a name is a small file that stands for the one in memory: nothing to write to.
            kinds = {kind: weight for kind, weight in kinds.items() if kind in ("rename", "remove", "link", "exists")}
            kinds["look"] = 3
        self.kinds = kinds or {"exists": 1}

    def lives(self, length):
        done = []
        while sum(len(life.operations) for life in done) < length:
            rest = length - sum(len(life.operations) for life in done)
            done.append(self.life(rest))
        return done

    def life(self, length):
        operations = []
        while len(operations) < length:
            kind, = self.chance.choices(list(self.kinds), self.kinds.values())
            operations += self.burst(kind)
        new = self.chance.random() < 0.3
        if self.features & {"kill", "kill in a call"} and self.chance.random() < 0.6:
            return Life(self.killed(operations), True, new)
        return Life(operations, False, new)

    def killed(self, operations):
        """Ends them at some place."""
        if "kill after a flush" not in self.features:
            operations = [operation for operation in operations if operation[0] != "flush"]
        if "kill while overwriting" not in self.features:
            operations = [("open r+", *operation[1:]) if operation[0] == "open w" else operation
                          for operation in operations]
        place = self.chance.randrange(len(operations))
        hows = [how for how in ("kill", "kill in a call") if how in self.features]
        if self.chance.choice(hows) == "kill":
            return [*operations[:place], self.operation("kill", self.chance.choice(HOWS))]
        # In the middle of one of the next calls; at the latest behind them.
        after = self.chance.choice((200, 1000, 5000))
        return [*operations[:place], self.operation("kill", "later", value=self.chance.randint(1, after)),
                *operations[place:place + 8], self.operation("kill", "SIGKILL")]

    def operation(self, kind, name="", other="", value=0):
        return (kind, name, other, value, self.chance.randint(0, self.pauses))

    def burst(self, kind):
        name = self.chance.choice(self.owned or self.names)
        if kind in ("read", "exists", "look"):
            name = self.chance.choice(self.names)
        if kind == "read":
            return [self.operation("open r", name), *[self.operation("read")] * self.chance.randint(1, 2),
                    self.operation("close")]
        if kind in ("exists", "look", "remove"):
            return [self.operation(kind, name)]
        if kind in ("rename", "rename open", "link"):
            others = [other for other in self.owned if other != name]
            call = kind.partition(" ")[0]
            if not others:
                return [self.operation("exists", name)]
            return [self.operation(call, name, self.chance.choice(others))]
        mode = {"create": "w", "exclusive": "x", "append": "r+", "append or create": "a"}[kind]
        work = [self.operation("open " + mode, name)]
        for _ in range(self.chance.randint(1, 3)):
            work.append(self.operation("write", value=next(self.values)))
            if "flush" in self.features and self.chance.random() < 0.4:
                work.append(self.operation("flush"))
            if self.chance.random() < 0.2:
                work.append(self.operation("read"))
        return [*work, self.operation("close")]

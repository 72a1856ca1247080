# SPDX-License-Identifier: BSD-3-Clause
"""A program that does with its files what programs do, in an order by chance, and looks at each time whether they are
what it has written. walk.py FOLDER SEED PAUSE: PAUSE is how many seconds it does nothing now and then."""

import os
import random
import sys
import time

import h5py

STEPS = 120
NAMES = ["a.h5", "b.h5", "c.h5", "t.tmp"]
RENAMED = ["a.h5", "b.h5", "d.h5", "e.h5"]


def content(file):
    return {name: [*map(int, file[name][:50]), file[name].size] for name in file}


class Walk:
    def __init__(self, seed, pause):
        self.chance = random.Random(seed)
        self.pause = pause
        self.files = {}
        self.sets = 0

    def write(self, name, mode, sizes):
        with h5py.File(name, mode) as file:
            assert mode == "w" or content(file) == self.files[name], name
            self.sets += 1
            size = self.chance.choice(sizes)
            file[f"d{self.sets}"] = [(self.sets * 7 + value) % 1000 for value in range(size)]
            self.files[name] = content(file)

    def step(self):
        what = self.chance.choice(["create", "create", "append", "append", "rename", "remove", "read", "pause"])
        name = self.chance.choice(NAMES)
        if what == "create":
            self.write(name, "w", [10, 1000, 50000])
        elif what == "pause":
            time.sleep(self.pause)
        elif what == "read":
            for each, expected in self.files.items():
                with h5py.File(each) as file:
                    assert content(file) == expected, each
        elif name in self.files and what == "append":
            self.write(name, "r+", [5, 20000])
        elif name in self.files and what == "rename":
            other = self.chance.choice(RENAMED)
            os.rename(name, other)
            self.files[other] = self.files.pop(name)
        elif name in self.files:
            os.remove(name)
            del self.files[name]
        # A file has another name for a moment just before it gets its own.
        there = [each for each in os.listdir() if not each.endswith(".part")]
        assert sorted(there) == sorted(self.files), there


def main(folder, seed, pause):
    os.makedirs(folder)
    os.chdir(folder)
    walk = Walk(int(seed), float(pause))
    for number in range(STEPS):
        try:
            walk.step()
        except AssertionError as error:
            raise AssertionError(f"step {number}: {error}") from error
    print("done")


if __name__ == "__main__":
    main(*sys.argv[1:])

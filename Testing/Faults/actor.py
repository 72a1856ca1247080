# SPDX-License-Identifier: BSD-3-Clause
"""A serial program that does with HDF5 files what it is told, a line each, and says what came of it, with a number
before:

    write FILE COUNT SEED     a new file with COUNT values, which stays open: "did …" or "failed …"
    more FILE COUNT SEED      another dataset in it
    close FILE
    open NAME                 for reading
    check NAME SEED           its values are those of that seed: "did …", "wrong …" or "failed …"
"""

import sys

import h5py
import numpy

opened = {}


def values(count, seed):
    return numpy.arange(count, dtype="i8") * 7 + seed


def write(name, count, seed):
    opened[name] = h5py.File(name, "w")
    opened[name]["values"] = values(int(count), int(seed))


def more(name, count, seed):
    opened[name][f"more{len(opened[name])}"] = values(int(count), int(seed))


def close(name):
    opened.pop(name).close()


def open_it(name):
    opened[name] = h5py.File(name, "r")


def check(name, seed):
    found = opened[name]["values"][:]
    return "did" if numpy.array_equal(found, values(len(found), int(seed))) else "wrong"


ACTS = {"write": write, "more": more, "close": close, "open": open_it, "check": check}

print("ready", flush=True)
for number, line in enumerate(sys.stdin, 1):
    act, *arguments = line.split()
    try:
        outcome = ACTS[act](*arguments) or "did"
    except (OSError, RuntimeError, KeyError, ValueError) as error:  # as h5py puts it
        outcome = f"failed ({error})".replace("\n", " ")
    print(f"{number}: {outcome}", flush=True)

# SPDX-License-Identifier: BSD-3-Clause
"""What is done to the steered programs (Parallel/steered_program.*), whoever does it: dsm-steer, a script in
pvbatch, a person at the page Steering. And what they must print then.

Imports nothing: scripts in pvbatch read it as well.
"""

FIRST = "flag 0 count 3 feed 0.029999999999999999 mode 0 label first where 0 0 0 again 0 pressure 1 same 1"

# One change of every type.
CHANGES = {"flag": True, "count": 7, "feed": 0.05, "mode": "fixed", "label": "second one", "where": [1, 2.5, -3]}
FIRST_VALUES = {"flag": False, "count": 3, "feed": 0.03, "mode": "periodic", "label": "first", "where": [0, 0, 0]}
OFFERED = ["flag", "count", "feed", "mode", "label", "where", "output interval", "/fields"]
COMMANDS = ["pause", "resume", "advance", "pause at", "stop", "write to disk", "seed again", "write snapshot"]

# What is refused: what to set, the name that is to blame, a part of the reason.
REFUSALS = [
    ({"feed": 0.2, "count": 9}, "feed", "is out of range (maximum is 0.1 1/s)"),
    ({"feed": -1}, "feed", "is out of range (minimum is 0"),
    ({"feed": "much"}, "feed", "expects a number"),
    ({"count": 1.5}, "count", "whole number"),
    ({"count": 101}, "count", "is out of range (maximum is 100)"),
    ({"count": 0}, "count", "is out of range (minimum is 1)"),
    ({"mode": "open"}, "mode", 'has no choice "open": it can be periodic, mirror, fixed'),
    ({"label": "x" * 100}, "label", "has room for 15 bytes of text, not for 100"),
    ({"where": [1, 2]}, "where", "expects three numbers"),
    ({"flag": 2}, "flag", "true or false"),
    ({"food": 1}, "food", "no parameter of this name"),
]
# The same of commands: name, count, a part of the reason.
REFUSED_COMMANDS = [
    ("dance", None, "pause, resume, advance, pause at, stop"),
    ("seed again", 3, "takes no argument"),
    ("advance", 0, "needs a count from 1 on"),
]


def values(pressure):
    """What the programs print once all of CHANGES and "seed again" have come, on all ranks alike."""
    return ("flag 1 count 7 feed 0.050000000000000003 mode 2 label second one where 1 2.5 -3 again 1 "
            f"pressure {pressure} same 1")


# A tour by all commands through a program that began paused: at the step where it waits, what is set there and
# then, and the commands that follow. A dataset and the group around it are switched off and on.
TOUR = [
    (0, CHANGES, [("seed again", None), ("advance", 3)]),
    (3, {"/fields/pressure": False}, [("write snapshot", None), ("advance", 1)]),
    (4, {"/fields/pressure": True, "output interval": 5}, [("advance", 2)]),
    (6, {"/fields": False, "output interval": 0}, [("write to disk", None), ("advance", 1)]),
    (7, {"/fields": True}, [("resume", None)]),
]
TOLD = [
    f"step 0 {values(1)}", "write at step 3", f"step 3 {values(0)}", f"step 4 {values(1)}", "write at step 5",
    "write at step 6", f"step 6 {values(0)}", f"step 7 {values(1)}",
]


def check_tour(text):
    """What a program must have printed until it was told to stop."""
    told = [line for line in text.splitlines() if line.startswith(("step", "write"))]
    assert told == TOLD, text
    assert "ended at step" in text, text

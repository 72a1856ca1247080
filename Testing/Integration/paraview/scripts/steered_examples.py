# SPDX-License-Identifier: BSD-3-Clause
"""Steers shallow water or particles, and takes a picture of each snapshot."""

import os

import flat_picture
import paraviewdsm

# What is changed at which snapshot, which commands come with it, and the snapshot's picture. The simulation begins
# paused, and writes when it is told to: the order is in the same change, so the snapshot shows what was done.
WATER = {
    "begin": ({"rain": False, "output interval": 0}, [("write snapshot", None), ("advance", 1)]),
    0: ({"drop position": (36, 22, 0), "drop height": 0.7}, [("drop", None), ("write snapshot", None), ("advance", 1)]),
    1: ({}, [("write to disk", None), ("stop", None)]),
    "picture": ("height", (0.5, 2), [23.5, 15.5, 0], 16, [480, 320]),
    "look": {"Representation": "Surface"},
}
PARTICLES = {
    "begin": (
        {"mass": 0, "drag": 2, "wind": (1.5, 0, 0), "output interval": 100},
        [("write snapshot", None), ("advance", 101)],
    ),
    0: None,
    100: ({}, [("stop", None)]),
    "picture": ("speed", (0, 4), [0, 0, 0], 1.5, [500, 300]),
    "look": {"Representation": "Points", "PointSize": 2},
}


def steer(server, what):
    changes, commands = what
    for name, value in changes.items():
        server.parameters[name] = value
    server.steering().apply(commands=commands)


example = os.environ["DSM_TEST_EXAMPLE"]
story = {"water": WATER, "particles": PARTICLES}[example]
with paraviewdsm.Server(contact=f"{os.environ['DSM_TEST_FOLDER']}/steer.dsm", memory_per_host="16 MiB") as server:
    server.steering().wait_for_simulation()
    steer(server, story["begin"])
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        step = round(snapshot.step)
        flat_picture.save(reader, f"{example}.{step}", *story["picture"], **story["look"])
        if story.get(step):
            steer(server, story[step])

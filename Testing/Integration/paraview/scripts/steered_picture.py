# SPDX-License-Identifier: BSD-3-Clause
"""Steers Gray-Scott and takes a picture of each snapshot, and of the files of a run nobody steered.

A picture shows u in the plane in which the reagent is dropped, gray, ten pixels to a point: what is
where in it can be told.
"""

import os

from paraview.simple import Delete, OpenDataFile, SetProperties, Slice

import flat_picture
import paraviewdsm
from reporting import report

folder = os.environ["DSM_TEST_FOLDER"]
size = int(os.environ["DSM_TEST_SIZE"])
place = [float(number) for number in os.environ["DSM_TEST_PLACE"].split(",")]


def picture(source, name):
    middle = [(size - 1) / 2, (size - 1) / 2, place[2]]
    plane = Slice(Input=source, SliceType="Plane")
    SetProperties(plane.SliceType, Origin=middle, Normal=[0, 0, 1])
    flat_picture.save(plane, name, "u", (0, 1), middle, size / 2, [10 * size, 10 * size])
    Delete(plane)


with paraviewdsm.Server(contact=f"{folder}/steer.dsm", memory_per_host="16 MiB") as server:
    # The simulation began paused.
    server.steering().wait_for_simulation()
    server.advance(1)
    # The change and the order to write it are one: the snapshot shows what was done at this step.
    server.parameters["feed"] = 0
    server.parameters["drop position"] = place
    server.parameters["drop radius"] = float(os.environ["DSM_TEST_RADIUS"])
    applied = server.steering().apply(commands=[("drop reagent", None), ("write snapshot", None), ("resume", None)])
    report(applied=[applied["state"], applied["step"]])
    reader = server.reader()
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        picture(reader, f"steered.{snapshot.step:.0f}")
        server.save(snapshot, f"{folder}/steered.{snapshot.step:05.0f}.vtkhdf")
for step in (0, int(os.environ["DSM_TEST_STEPS"])):
    picture(OpenDataFile(f"{folder}/disk/gray_scott.{step:05d}.vtkhdf"), f"disk.{step}")

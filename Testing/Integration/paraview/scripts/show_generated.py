# SPDX-License-Identifier: BSD-3-Clause
"""Shows what is in the ring when all programs have written, each file's newest snapshot at each of its steps, and
writes what each rank got of it. The ParaView that hosts; with DSM_TEST_VIEWER another, which opens its contact file."""

import json
import os
import pathlib

from paraview import simple

import paraviewdsm
from collect_parts import look, wait_for

paraviewdsm.load()

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])


def look_at_all(contact, numbers):
    for file, number in numbers.items():
        look(simple.DSMReader(Snapshot=number, ContactFile=contact), file)


if os.environ.get("DSM_TEST_VIEWER"):
    wait_for("numbers.json")
    look_at_all(*json.loads((folder / "numbers.json").read_text()))
    (folder / "seen").touch()
else:
    with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB") as server:
        wait_for("written")
        numbers = {os.path.basename(one.file): one.number for one in server.snapshots(timeout=10)}
        (folder / "numbers.new").write_text(json.dumps([server.contact, numbers]))
        (folder / "numbers.new").rename(folder / "numbers.json")
        look_at_all(server.contact, numbers)
        wait_for("seen")

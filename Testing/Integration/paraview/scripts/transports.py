# SPDX-License-Identifier: BSD-3-Clause
"""Serves one simulation after the other, named by their numbers of ranks. Each writes a file per strategy,
when told that the server has changed to it; each file is saved."""

import os
import pathlib

import paraviewdsm

MEMORY, BLOCK, EXPECTED = os.environ["DSM_TEST_SIZES"].split(";")
folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
strategies = os.environ["DSM_TEST_STRATEGIES"].split(";")
for writers in os.environ["DSM_TEST_WRITERS"].split():
    with paraviewdsm.Server(
        contact=folder / f"{writers}.dsm",
        strategy=strategies[0],
        block_size=BLOCK,
        memory_per_host=MEMORY,
        expected_file_size=EXPECTED,
        seed=2011,
    ) as server:
        (folder / f"{writers}.0.go").touch()
        for snapshot in server.snapshots(timeout=100):
            server.save(snapshot, folder / f"saved.{writers}.{snapshot.number - 1}.h5")
            if snapshot.number < len(strategies):
                server.redistribute(strategies[snapshot.number], BLOCK, seed=2011)
                (folder / f"{writers}.{snapshot.number}.go").touch()

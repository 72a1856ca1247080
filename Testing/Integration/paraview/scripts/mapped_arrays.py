# SPDX-License-Identifier: BSD-3-Clause
"""Goes through what array_writer.py writes, while the ring evicts and filters hold the newest three."""

import os
import pathlib

from paraview import simple

import mapped_checks
import paraviewdsm
from reporting import information, on_every_rank, report


def main():
    """In a function: what a filter runs may replace the names of this module."""
    folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
    size = int(os.environ["DSM_TEST_SIZE"])
    with paraviewdsm.Server(
        contact=f"{folder}/run.dsm",
        memory_per_host=os.environ["DSM_TEST_MEMORY"],
        strategy=os.environ["DSM_TEST_STRATEGY"],
    ) as server:
        reader = server.reader()
        memory = set()
        for snapshot in server.snapshots(timeout=60):
            step = int(snapshot.step)
            code = f"import mapped_checks; mapped_checks.see(data, {step}, {size})"
            simple.Delete(on_every_rank(reader, code, snapshot.time))
            memory.add(" ".join(information(reader, "MemoryOfArrays")))
        # A filter that writes into its input harms nobody else.
        simple.Delete(on_every_rank(reader, "import mapped_checks; mapped_checks.spoil(data)", snapshot.time))
        other = simple.DSMReader(FilePattern="", ContactFile=server._contact)
        code = f"import mapped_checks; mapped_checks.compare(data, {step}, {size})"
        simple.Delete(on_every_rank(other, code, snapshot.time))
        report(memory=sorted(memory))
    # The arrays outlast the server.
    mapped_checks.held.pop()
    report(outlast=[mapped_checks.is_right(data, step, size) for step, data in mapped_checks.held])
    mapped_checks.held.clear()
    report(ended=True)


main()

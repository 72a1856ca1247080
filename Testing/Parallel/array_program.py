# SPDX-License-Identifier: BSD-3-Clause
"""The Python twin of array_program.c. Without mpiexec it does without MPI."""

import os
import sys
import time

import numpy

comm = None
if any(name in os.environ for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")):
    from mpi4py import MPI

    comm = MPI.COMM_WORLD

import dsm  # noqa: E402 (behind MPI, as in a simulation)

whole, folder, block = (int(sys.argv[1]), int(sys.argv[2])), sys.argv[3], int(sys.argv[4:] == ["block"])
rank, ranks = (comm.rank, comm.size) if comm else (0, 1)
starts, ends = [0, 0], list(whole)
starts[block], ends[block] = whole[block] * rank // ranks, whole[block] * (rank + 1) // ranks
field = numpy.zeros([end - start for start, end in zip(starts, ends, strict=True)])

session = dsm.Session(comm)
gain = session.parameter("gain", 1.0)
session.array("field", field, unit="m", **({"sizes": whole, "starts": starts} if block else {}))
for wrong in (field.astype("float16"), field[:, ::2]):
    try:
        session.array("wrong", wrong)
    except (TypeError, ValueError):
        continue
    raise AssertionError("an array that cannot be steered was not refused")
step = 0
while step < 2000 and session.running:
    session.step(step, float(step))
    if session.changed("field"):
        field.tofile(f"{folder}/{rank}.{step}")
        if rank == 0:
            print(f"changed at step {step}, gain {gain.value:g}", flush=True)
    time.sleep(0.01)
    step += 1
session.close()

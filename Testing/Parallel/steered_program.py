# SPDX-License-Identifier: BSD-3-Clause
"""The Python twin of steered_program.c: prints the same lines. Without mpiexec it does without MPI."""

import os
import sys
import time

comm = None
if any(name in os.environ for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")):
    from mpi4py import MPI

    comm = MPI.COMM_WORLD

import dsm  # noqa: E402 (behind MPI, as in a simulation)


def main():
    arguments = [int(word) for word in sys.argv[1:]]
    steps = arguments[0] if arguments else 1000000
    nap = arguments[1] if len(arguments) > 1 else 1000
    rank = comm.rank if comm else 0

    session = dsm.Session(comm)
    flag = session.parameter("flag", False)
    count = session.parameter("count", 3, range=(1, 100))
    feed = session.parameter("feed", 0.03, range=(0, 0.1), unit="1/s", text="how fast u is fed", group="Reaction")
    mode = session.parameter("mode", "periodic", choices=("periodic", "mirror", "fixed"))
    label = session.parameter("label", "first", capacity=15)
    where = session.parameter("where", (0, 0, 0), meaning="position")
    called = []  # one for each time
    session.command("seed again", lambda: called.append(step))
    session.observable("energy")
    written = (lambda: rank == 0 and print(f"written at step {step}", flush=True)) if len(arguments) > 2 else None
    session.last_step(steps - 1)
    session.output_interval(0, written)
    session.enabled("/fields")  # whoever asks for a group offers to switch off all that is in it
    refusal = ""
    try:
        session.parameter("feed", 1.0)
    except dsm.Error as error:
        refusal = str(error)
    assert '"feed" is declared already' in refusal, "a name declared twice was not refused"

    last, energy, step = "", 1.0, 0
    while step < steps and session.running:
        session.observe("energy", energy)
        session.step(step, 0.5 * step)
        energy += feed.value
        now = (
            f"flag {int(flag.value)} count {count.value} feed {feed.value:.17g} mode {mode.index} label {label} where "
            f"{' '.join(f'{number:g}' for number in where.value)} again {len(called)} "
            f"pressure {int(session.enabled('/fields/pressure'))}"
        )
        if session.output_due and rank == 0:
            print(f"write at step {step}")
        same = comm.allreduce(comm.bcast(now) == now, MPI.LAND) if comm else True
        if rank == 0 and (now != last or not same):
            print(f"step {step} {now} same {int(same)}", flush=True)
            last = now
        time.sleep(nap * 1e-6)
        step += 1
    if rank == 0:
        print(f"energy {energy:.17g}\nended at step {step}", flush=True)
    session.close()


main()

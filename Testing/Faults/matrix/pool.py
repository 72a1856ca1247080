# SPDX-License-Identifier: BSD-3-Clause
"""Several injections at a time, each in a process forked for it."""

import multiprocessing
import multiprocessing.connection
import time

from processes import adopt_orphans, end_everything

from . import one

MOST = 180  # seconds of an injection, after which it counts as hanging


def _work(pipe, injection, folder, alone, keep):
    pipe.send(one.run(injection, folder, alone, keep))
    pipe.close()


def run_all(injections, folder, at_once, keep=False):
    """Yields (injection, Outcome or None) as they end; None where the process failed or hung."""
    context = multiprocessing.get_context("fork")
    (folder / "alone").mkdir(parents=True, exist_ok=True)
    adopt_orphans()
    try:
        yield from _run_all(list(enumerate(injections))[::-1], context, folder, at_once, keep)
    finally:
        end_everything(2)


def _run_all(waiting, context, folder, at_once, keep):
    alone = folder / "alone"
    running = {}
    while waiting or running:
        while waiting and len(running) < at_once:
            number, injection = waiting.pop()
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(theirs, injection, folder / str(number), alone, keep))
            process.start()
            theirs.close()
            running[ours] = process, injection, time.monotonic() + MOST
        for pipe in multiprocessing.connection.wait(list(running), 1.0):
            process, injection, _ = running.pop(pipe)
            try:
                outcome = pipe.recv()
            except EOFError:
                outcome = None
            process.join()
            pipe.close()
            yield injection, outcome
        for pipe, (process, injection, limit) in list(running.items()):
            if time.monotonic() > limit:
                process.kill()
                process.join()
                del running[pipe]
                yield injection, None

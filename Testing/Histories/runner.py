# SPDX-License-Identifier: BSD-3-Clause
"""Runs plans: starts a server and the processes, and records what they did."""

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from history import Operation
from plans import NAMES, Life, Plan
from processes import Job

WORKER = Path(__file__).with_name("worker.py")
LIMIT = 60  # seconds, for one history
KEPT = 8  # processes that have nothing to do
LAST = 1 << 30  # the number of the process that looks at the end


class Hang(AssertionError):
    """A process did not come back from a call."""


class Worker:
    """A process that does lists of operations, and the socket to it."""

    def __init__(self, connection, pid):
        self.connection = connection
        self.pid = pid
        self.ended = os.pidfd_open(pid)
        self.rest = b""
        self.over = False  # the socket has been closed

    def give(self, folder, operations):
        self.connection.sendall((json.dumps([str(folder), operations]) + "\n").encode())

    def lines(self):
        """What has come."""
        got = self.connection.recv(1 << 16)
        self.over = not got
        *lines, self.rest = (self.rest + got).split(b"\n")
        return [line.decode() for line in lines]

    def close(self):
        self.connection.close()
        os.close(self.ended)


class Nursery:
    """Forks processes that have h5py loaded, behind dsm-run or not."""

    def __init__(self, prefix, path):
        self.coupled = bool(prefix)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        self.listener.settimeout(LIMIT)
        one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "PYTHONDONTWRITEBYTECODE"), "1")
        self.job = Job([*prefix, sys.executable, WORKER, path], {**os.environ, **one}, talk=True)
        self.job.wait_for_line("ready")
        self.idle = []

    def worker(self, new=False):
        """One that has nothing to do, or a new one, which has not been connected to the server yet."""
        if self.idle and not new:
            return self.idle.pop()
        self.job.say("fork")
        connection, _ = self.listener.accept()
        word = b""
        while not word.endswith(b"\n"):
            got = connection.recv(1)
            assert got, f"a process ended before it began:\n{self.job.text}"
            word += got
        return Worker(connection, int(word.split()[1]))

    def take_back(self, worker):
        """A worker that has nothing to do any more."""
        self.idle.append(worker)
        while len(self.idle) > KEPT:
            self.idle.pop(0).close()

    def close(self):
        while self.idle:
            self.idle.pop().close()
        self.job.process.stdin.close()
        self.job.status()
        self.listener.close()


class Slot:
    """The place of one process at a time in a history."""

    def __init__(self, lives, nursery, numbers):
        self.lives = list(lives)
        self.nursery = nursery
        self.numbers = numbers
        self.worker = None

    def begin(self, folder):
        """Starts the next life; False if there is none."""
        if not self.lives:
            return False
        self.life = self.lives.pop(0)
        self.number = next(self.numbers)
        self.begun = None  # (place, time) of the call that has not returned
        if self.worker is None:
            self.worker = self.nursery.worker(self.life.new)
        self.worker.give(folder, self.life.operations)
        return True


def run(plan, folder, coupled, alone, limit=LIMIT):
    """Carries a plan out in a folder: the operations as they happened. `coupled` and `alone` are the nurseries behind
    dsm-run and without."""
    folder.mkdir(exist_ok=True)
    operations = []
    numbers = iter(range(1 << 30))
    if plan.begin:
        together([Slot([Life(plan.begin, False, False)], coupled, numbers)], folder, operations, limit)
    together([Slot(lives, coupled if behind else alone, numbers)
              for lives, behind in zip(plan.lives, plan.coupled, strict=True)], folder, operations, limit)
    return operations


def together(slots, folder, operations, limit):
    """Lets processes live beside each other, and adds what they do to `operations`."""
    with selectors.DefaultSelector() as selector:

        def begin(slot):
            if slot.begin(folder):
                selector.register(slot.worker.connection, selectors.EVENT_READ, (slot, "lines"))
                selector.register(slot.worker.ended, selectors.EVENT_READ, (slot, "ended"))

        def leave(slot):
            selector.unregister(slot.worker.connection)
            selector.unregister(slot.worker.ended)

        for slot in slots:
            begin(slot)
        end = time.monotonic() + limit
        while selector.get_map():
            events = selector.select(max(0.0, end - time.monotonic()))
            if not events:
                raise Hang(hanging(slots, selector, limit))
            # Lines first: a process that has ended may have written some.
            for key, _ in sorted(events, key=lambda event: event[0].data[1] == "ended"):
                slot, what = key.data
                if slot.worker is None or key.fileobj not in selector.get_map():
                    continue
                if what == "lines":
                    if note(slot, slot.worker.lines(), operations):
                        leave(slot)
                        if slot.lives:
                            begin(slot)
                        else:
                            slot.nursery.take_back(slot.worker)
                            slot.worker = None
                    elif slot.worker.over:
                        selector.unregister(slot.worker.connection)
                else:
                    died = time.monotonic_ns()
                    while not slot.worker.over:
                        note(slot, slot.worker.lines(), operations)
                    with contextlib.suppress(KeyError):
                        selector.unregister(slot.worker.connection)
                    selector.unregister(slot.worker.ended)
                    operations += deaths(slot, died)
                    slot.worker.close()
                    slot.worker = None
                    if not slot.life.killed:
                        raise AssertionError(f"process {slot.number} ended by itself:\n{slot.nursery.job.text}")
                    begin(slot)


def note(slot, lines, operations):
    """Records what a process told. True if it has done all."""
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "done":
            return True
        place, _, rest = rest.partition(" ")
        moment, _, result = rest.partition(" ")
        if word == "start":
            slot.begun = (int(place), int(moment))
            slot.last = int(moment)
        else:
            result = json.loads(result)
            result = frozenset(result) if isinstance(result, list) else result
            operations.append(operation(slot, slot.begun, result, int(moment)))
            slot.last = int(moment)
            slot.begun = None
    return False


def operation(slot, begun, result, end):
    place, start = begun
    kind, name, other, value, _ = slot.life.operations[place]
    kind = "move" if kind == "rename" and not slot.nursery.coupled else kind
    return Operation(slot.number, kind, name, other, value, result, start, end)


def deaths(slot, died):
    """A process's last call, if it did not return, and its end."""
    found = []
    if slot.begun:
        found.append(operation(slot, slot.begun, None, float("inf")))
    if getattr(slot, "last", None):
        found.append(Operation(slot.number, "death", start=slot.last + 1, end=died))
        slot.last = None
    return found


def hanging(slots, selector, limit):
    lines = [f"after {limit} s these are not done:"]
    for slot in slots:
        if slot.worker and slot.worker.ended in selector.get_map():
            what = slot.life.operations[slot.begun[0]][:4] if slot.begun else "between two calls"
            lines.append(f"process {slot.number} (pid {slot.worker.pid}): {what}")
            with contextlib.suppress(OSError):
                lines.append(Path(f"/proc/{slot.worker.pid}/wchan").read_text())
            with contextlib.suppress(ProcessLookupError):
                os.kill(slot.worker.pid, signal.SIGKILL)
    return "\n".join(lines)


class Place:
    """A folder in which histories happen, with a server or without, while the context lasts."""

    def __init__(self, folder, programs=None, options=(), run_options=()):
        """`programs`: the build's folder of programs; without it nothing is coupled."""
        self.folder = Path(folder)
        self.programs = programs
        self.options = options
        self.run_options = run_options
        self.server = None
        self.said = ""  # by the server, when it has ended

    def __enter__(self):
        self.folder.mkdir(parents=True)
        prefix = []
        if self.programs:
            contact = self.folder / "run.dsm"
            self.server = Job([self.programs / "dsm-serve", "--contact", contact, *self.options],
                              {"DSM_LOG": "info", **os.environ})
            self.server.wait_for_line("ready")
            prefix = [self.programs / "dsm-run", "--contact", contact, "--without-server", "fail", *self.run_options]
        self.coupled = Nursery(prefix, self.folder / "coupled")
        self.alone = Nursery([], self.folder / "alone") if self.programs else self.coupled
        return self

    def run(self, plan, name):
        return run(plan, self.folder / name, self.coupled, self.alone)

    def last(self, name):
        """What a history's names have now, for a program behind dsm-run."""
        looks = [(kind, file, "", 0, 0) for file in NAMES for kind in ("open r", "read", "close")]
        looks = [(kind, file if kind == "open r" else "", *rest) for kind, file, *rest in looks]
        plan = Plan(0, (), [], [[Life(looks, False, False)]], [True])
        return [op._replace(process=LAST - 1) for op in run(plan, self.folder / name, self.coupled, None)]

    def final(self, name):
        """What a history's names have on disk now."""
        looks = [("look", file, "", 0, 0) for file in NAMES]
        plan = Plan(0, (), [], [[Life(looks, False, False)]], [False])
        return [op._replace(kind="final", process=LAST) for op in run(plan, self.folder / name, None, self.alone)]

    def end_server(self):
        """Ends the processes behind dsm-run and the server, which then writes what is to be on disk. Its status."""
        self.coupled.close()
        self.server.process.send_signal(signal.SIGTERM)
        status = self.server.status()
        self.said = self.server.text
        self.server = None
        return status

    def __exit__(self, *error):
        if self.server:
            self.server.stop()
        for nursery in {self.coupled, self.alone}:
            with contextlib.suppress(AssertionError, OSError):
                nursery.close()
        shutil.rmtree(self.folder, ignore_errors=True)

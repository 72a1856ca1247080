# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that live for long: simulations come, write, end, are killed; viewers read, and are killed, too; hosts are
stopped for a moment. What the hosts use stays what it is."""

import os
import pathlib
import random
import shutil
import signal
import tempfile
import time

from . import library

AT_ONCE = 3  # programs
MOST_FILES = 12
SAMPLES = 24
STEP = 60
# By how much the most in the second half may be above the most in the first, per process of the hosts. Allocators keep
# some of what they had, ZeroMQ and libfabric make the places of peers a few at a time.
BOUNDS = {"memory (MiB)": 4, "descriptors": 8, "threads": 2}


def use(pid):
    """What a process uses: memory of its own, without what it lends."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return {
        "memory (MiB)": int(status["RssAnon"].split()[0]) / 1024,
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": int(status["Threads"]),
    }


class Soak:
    """Of one library's programs, in this process's place."""

    def __init__(self, folder, chance):
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.chance = chance
        self.programs = []
        self.began = 0
        self.counts = dict.fromkeys(("simulations", "files", "viewers", "reads", "killed", "stops"), 0)

    def serve(self, limit):
        from conftest import BIN, MPIEXEC
        from peers import by_rank
        from processes import Job, environ

        self.server = Job([*MPIEXEC, "-n", 2, BIN / "dsm-serve", "--contact", self.contact, "--memory-per-host",
                           "8 MiB", "--maximum-snapshots", 8, "--limit", limit], environ(DSM_PEER_TIMEOUT=6))
        self.server.wait_for_line("ready", STEP)
        self.hosts = by_rank("dsm-serve", self.contact)

    def sample(self):
        return {rank: use(pid) for rank, pid in self.hosts.items()}

    def turn(self):
        """Something happens."""
        self.programs = [program for program in self.programs if program.job.process.poll() is None]
        happens = self.chance.choice(("come", "come", "write", "write", "write", "write", "kill", "end", "stop"))
        if happens == "come" and len(self.programs) < AT_ONCE:
            self._come()
        elif happens == "write" and self.programs:
            self._go_on(self.chance.choice(self.programs))
        elif happens == "stop":
            self._stop()
        elif happens in ("kill", "end") and self.programs:
            self._go(self.chance.choice(self.programs), happens == "kill")

    def _come(self):
        from .program import Program

        self.began += 1
        viewer = self.chance.random() < 0.3
        ranks = 1 if viewer else self.chance.choice((1, 2))
        made = Program(self, self.contact, name=f"sim{self.began}", how="serial" if viewer else "parallel", ranks=ranks,
                       DSM_PEER_TIMEOUT=6)
        made.listening()
        made.is_viewer = viewer
        self.programs.append(made)
        self.counts["viewers" if viewer else "simulations"] += 1

    def _go_on(self, program):
        if program.is_viewer and not program.ledger.files:
            program.does("file")  # it reads its own: others' may have made room
        if program.is_viewer:
            program.tell("read 1")
            self.counts["reads"] += 1
            return
        for command in ("begin", "write 64", f"write {self.chance.randint(1, 600)}", "close"):
            program.tell(command)
        self.counts["files"] += 1
        if len(program.ledger.files) > MOST_FILES:
            self._go(program, False)

    def _go(self, program, kill):
        from peers import processes

        from .trial import Trial

        if kill:
            program.ask("begin")
            Trial.signal_all(signal.SIGKILL, processes("dsmObedient", program.mark))
            self.counts["killed"] += 1
        else:
            program.finish()
        program.status()

    def _stop(self):
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in self.hosts.values():
                os.kill(pid, number)
            time.sleep(0.3)
        self.counts["stops"] += 1

    def end(self):
        for program in self.programs:
            if program.job.process.poll() is None:
                self._go(program, False)
        for pid in self.hosts.values():
            os.kill(pid, signal.SIGTERM)
        self.server.status(STEP)


def grown(samples):
    """What has grown by more than its bound: "host 0: descriptors, 60 to 80"."""
    half, found = len(samples) // 2, []
    for rank in samples[0][1]:
        for what, bound in BOUNDS.items():
            first, second = (max(sample[rank][what] for _, sample in part) for part in (samples[:half], samples[half:]))
            if second > first + bound:
                found.append(f"host {rank}: {what}, {first:.0f} to {second:.0f}")
    return found


def run(minutes, name):
    """Prints a table of what the hosts use; 1 when anything grows."""
    library.use(name)
    from processes import adopt_orphans, descendants, end_everything

    from .place import Place
    from .trial import Trial

    adopt_orphans()
    place = Place()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dsm-soak-"))
    soak = Soak(folder, random.Random(13))
    samples, begin, seconds = [], time.monotonic(), minutes * 60
    try:
        soak.serve(seconds + 120)
        print("| minute | host | " + " | ".join(BOUNDS) + " |\n| --- " + "| --- " * (1 + len(BOUNDS)) + "|")
        while time.monotonic() < begin + seconds:
            soak.turn()
            if time.monotonic() > begin + (len(samples) + 1) * seconds / SAMPLES:
                samples.append(((time.monotonic() - begin) / 60, soak.sample()))
                for rank, values in sorted(samples[-1][1].items()):
                    row = [f"{samples[-1][0]:.1f}", rank, *(f"{value:.0f}" for value in values.values())]
                    print("| " + " | ".join(map(str, row)) + " |", flush=True)
        soak.end()
    finally:
        Trial.signal_all(signal.SIGCONT, descendants())
        end_everything(2)
        place.end()
        shutil.rmtree(folder, ignore_errors=True)
    wrong = grown(samples)
    left = place.listening() + place.in_memory()
    print(", ".join(f"{count} {what}" for what, count in soak.counts.items()))
    print("it grows: " + "; ".join(wrong) if wrong else f"flat within {BOUNDS} from one half to the other")
    if left:
        print(f"left behind: {left}")
    return 1 if wrong or left else 0

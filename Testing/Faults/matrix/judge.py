# SPDX-License-Identifier: BSD-3-Clause
"""Whether what came of an injection is what should have."""

import collections
import contextlib
import dataclasses
import pathlib
import time

from processes import descendants, on_disk

LEFT = 10  # seconds in which the last processes go


@dataclasses.dataclass
class Outcome:
    """`went_on`: seconds. `lost`: files that were finished and are nowhere; `undone`: files that the simulation was
    told are not written."""

    problems: list
    went_on: float = 0.0
    lost: int = 0
    undone: int = 0
    seconds: float = 0.0
    log: str = ""

    @property
    def good(self):
        return not self.problems

    def word(self):
        if not self.good:
            return "BAD"
        return "file not written, and said so" if self.undone else "all there"


class Judge:
    """Of one trial that is over."""

    def __init__(self, trial, alone):
        self.trial = trial
        self.alone = alone
        self.problems = list(trial.problems)
        self.lost = self.undone = 0

    def judge(self):
        trial = self.trial
        if trial.writer and not self.problems:
            self._files(trial.writer)
            self._words()
        if not self.problems:
            self._left()
        return Outcome(self.problems, trial.went_on or 0.0, self.lost, self.undone)

    def _quiet(self):
        """Nobody is to notice anything."""
        injection = self.trial.injection
        return injection.victim == "viewer" or injection.fault in ("short stop", "short cut", "foreign key")

    def _keeps_files(self):
        """Where the ranks map the hosts' memory, losing the hosts costs no file."""
        injection = self.trial.injection
        lost = injection.fault in ("kill", "end", "long stop") and injection.victim in ("first host", "hosts")
        return injection.path == "shared memory" and lost

    def _files(self, writer):
        trial = self.trial
        known = set()
        for file in writer.ledger.files:
            known.add(file.name)
            disk = trial.folder / file.name
            there = trial.copies(file.name)
            told = trial.told(file.name)
            if len(there) > 1 or told > 1 or (told and on_disk(disk)):
                self.problems.append(f"{file.name} is there twice: {there}, {told} snapshots")
            for place in there:
                if place.read_bytes() != self.alone.bytes(trial.injection.library, writer.ranks, file.commands):
                    self.problems.append(f"{place} is not what it is without us")
            if file.state == "finished" and not there and file.number not in trial.read_back:
                self.lost += 1
                self.problems.append(f"{file.name} is lost")
            elif file.state == "failed":
                self.undone += 1
                if self._keeps_files():
                    self.problems.append(f"{file.name} is not written, though the simulation has its bytes in memory")
                if there:
                    self.problems.append(f"{file.name}, whose call failed, is there: {there}")
            if self._quiet() and (on_disk(disk) or file.state != "finished"):
                self.problems.append(f"{file.name} is {file.state}, and nothing should have been noticed")
        known.update(file.name.replace("sim", "next") for file in (trial.next.ledger.files if trial.next else []))
        logs = {trial.rescue_log.name} if trial.ends_hosts else set()
        for folder, names in ((trial.folder, {"saved", *known, *logs}), (trial.saved, known)):
            for found in sorted(folder.iterdir()) if folder.exists() else []:
                if found.name not in names:
                    self.problems.append(f"{found} was left")

    def _words(self):
        """Who is harmed says so, once."""
        trial = self.trial
        said = trial.writer.warnings()
        for line, times in collections.Counter(said).items():
            if times > trial.writer.ranks:
                self.problems.append(f"said {times} times: {line}")
        if self._quiet() and said and not trial.is_refused:
            self.problems.append(f"noticed what it should not: {said}")
        if self.trial.ends_hosts and not said and trial.injection.phase not in ("detach", "finalize"):
            self.problems.append("the simulation says nothing of its lost hosts")

    def _left(self):
        left = self._still_there()
        if left:
            self.problems.append(f"processes are left: {left}")
        ports, names = self.trial.place.listening(), self.trial.place.in_memory()
        if not left and ports:
            self.problems.append(f"ports are left: {ports}")
        if names:
            self.problems.append(f"left in /dev/shm: {names}")

    def _still_there(self):
        """The command lines of processes; launchers' helpers end a little later than the launchers."""
        remote = self.trial.place.remote
        ours = {remote.pid} if remote else set()
        end = time.monotonic() + LEFT
        while (left := set(descendants()) - ours) and time.monotonic() < end:
            time.sleep(0.2)
        found = []
        for pid in left:
            with contextlib.suppress(OSError):
                command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
                found.append(f"{pid} {command.decode()}")
        return found

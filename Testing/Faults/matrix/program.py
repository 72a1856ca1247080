# SPDX-License-Identifier: BSD-3-Clause
"""A simulation or viewer of an injection: does what it is told, and a ledger is kept of its files."""

from conftest import BIN, MPIEXEC, Obedient
from processes import Failure, environ

from .ledger import Ledger

STEP = 25  # seconds that any command may take, whatever has happened: a silence, and what a loaded machine adds
ENDS = 20


class Program:
    """dsmObedient behind dsm-run. Two ranks, or one without a launcher."""

    def __init__(self, trial, contact, name="sim", how="parallel", ranks=2, before=(), policy=(), **environment):
        launched = [*MPIEXEC, "-n", ranks] if ranks > 1 else []
        self.ranks = ranks
        self.job = Obedient([*before, BIN / "dsm-run", "--contact", contact, "--timeout", 5, *policy, *launched,
                             BIN / "dsmObedient", how, trial.folder / name],
                            environ(**environment), talk=True)
        self.mark = trial.folder / name
        self.ledger = Ledger()
        self.pending = None
        self.failures = []
        self.ended = None  # its status

    @property
    def text(self):
        return self.job.text

    def listening(self):
        self.job.wait_for_line("listening", STEP)

    def ask(self, command):
        self.ledger.said(command)
        try:
            self.pending = command, self.job.ask(command)
        except (BrokenPipeError, ValueError):
            self.pending = command, None

    def answer(self):
        """How the pending command went: "ok", "failed" or "wrong"; None when the program has ended meanwhile."""
        command, answer = self.pending
        self.pending = None
        try:
            if answer is None:
                raise Failure("its input is closed")
            answer(STEP)
        except Failure:
            if not self.job.over and self.job.process.poll() is None:
                raise
            return None
        how = self.job.ANSWER.findall(self.text)[-1][1]
        self.ledger.answered(command, how)
        if how != "ok":
            self.failures.append(command)
        return how

    def tell(self, command):
        self.ask(command)
        return self.answer()

    def does(self, *commands):
        for command in commands:
            how = self.tell(command)
            assert how == "ok", f"{command}: {how}\n{self.text}"

    def finish(self):
        """No more commands: it ends."""
        self.job.process.stdin.close()

    @property
    def finished(self):
        return self.job.process.stdin.closed

    def status(self):
        return self.job.status(ENDS)

    def warnings(self):
        return [line[line.index("dsm warning: "):].rstrip() for line in self.job.lines if "dsm warning: " in line]

# SPDX-License-Identifier: BSD-3-Clause
"""Processes with limits that leave nobody behind.

MPI launchers put their ranks into sessions of their own, and a killed launcher orphans them. So this
process becomes the one that orphans are handed to, and ends every descendant it finds.
"""
import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def table():
    """(pid, state, parent) of all processes."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The command's name may hold blanks and brackets; what follows the last bracket is regular.
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        yield int(folder.name), state, int(parent)


def descendants():
    """All living processes below this one, the youngest generation last."""
    children = {}
    for pid, state, parent in table():
        if state != "Z":
            children.setdefault(parent, []).append(pid)
    found, generation = [], [os.getpid()]
    while generation:
        generation = [child for parent in generation for child in children.get(parent, [])]
        found += generation
    return found


def reap():
    """Buries orphans that ended, and leaves to each Process the child it waits for."""
    known = {process.pid for process in Process.Living}
    for pid, state, parent in list(table()):
        if state == "Z" and parent == os.getpid() and pid not in known:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass


def end_everything(grace=5.0):
    """Ends all descendants: asks the launchers, who tidy up behind their ranks; asks all; kills."""
    for whom, number in ((lambda: [process.pid for process in Process.Living if process.Popen.poll() is None], signal.SIGTERM),
                         (descendants, signal.SIGTERM), (descendants, signal.SIGKILL)):
        until = time.monotonic() + grace
        for pid in whom():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        while time.monotonic() < until:
            for process in Process.Living:
                process.Popen.poll()
            reap()
            if not descendants():
                return
            time.sleep(0.05)


class Process:
    """A command with its output in a file."""

    Living = []

    def __init__(self, command, log, environment, folder):
        self.log = Path(log)
        with open(self.log, "wb") as output:
            self.Popen = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
                                          stderr=subprocess.STDOUT, env=environment, cwd=folder, start_new_session=True)
        self.pid = self.Popen.pid
        Process.Living.append(self)

    def text(self):
        return self.log.read_text(errors="replace")

    def wait(self, limit):
        """The exit status, or None when the limit passed first."""
        try:
            return self.Popen.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def wait_for_line(self, start, limit):
        """The first whole line that begins so; None when the process ends or the limit passes without one."""
        until = time.monotonic() + limit
        while True:
            ended = self.Popen.poll() is not None
            for line in self.text().splitlines(keepends=True):
                if line.startswith(start) and line.endswith("\n"):
                    return line.rstrip("\n")
            if ended or time.monotonic() > until:
                return None
            time.sleep(0.02)

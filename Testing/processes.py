# SPDX-License-Identifier: BSD-3-Clause
"""Programs that tests start: what they say, how they end, and that nobody is left behind.

Every wait has a limit, and says with all the program's output what it waited for. Failures are
AssertionErrors, so that pytest shows them and scripts can catch them.

MPI launchers put their ranks into sessions of their own, and a killed launcher orphans them. A script
that must not leave any calls adopt_orphans() first and end_everything() last.
"""

import contextlib
import ctypes
import itertools
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
from typing import ClassVar

LIMIT = 60  # seconds, for whatever is not given another
PR_SET_CHILD_SUBREAPER = 36


class Failure(AssertionError):
    """A program did not do what was waited for."""


def environ(**more):
    """This process's environment and more."""
    return {**os.environ, **{name: str(value) for name, value in more.items()}}


def free_port():
    """A port of this machine that nobody uses, for a server that is about to start: none of those from which the
    system takes one for whoever asks for any."""
    for port in random.sample(range(10000, 30000), 1000):
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return port
            except OSError:
                pass  # somebody has it
    raise Failure("of 1000 ports none is free")


def offered(programs):
    """What the library offers, with its properties by name: {"strategies": {name: {…}}, "transports": {name: {…}}}.
    `programs` is a build's folder of programs. Nothing where there is no build."""
    serve = pathlib.Path(programs) / "dsm-serve"
    if not serve.exists():
        return {"strategies": {}, "transports": {}}
    told = subprocess.run([serve, "--choices"], capture_output=True, text=True, check=True, timeout=LIMIT)
    found = json.loads(told.stdout)
    return {
        "strategies": {one["name"]: one for one in found["strategies"]},
        "transports": {name: one for one in found["transports"] for name in one["names"]},
    }


def on_disk(path):
    """Whether a file is on disk itself, and not only its name: a placeholder stands for one in memory."""
    path = pathlib.Path(path)
    if not path.exists():
        return False
    with open(path, "rb") as file:
        return b"paraview-dsm-placeholder " not in file.read(16 << 10)


LAUNCHER_FOLDER = "PRTE_MCA_prte_tmpdir_base"
numbers = itertools.count()


def apart(environment):
    """The environment, with a folder of its own for Open MPI's launcher. Launchers share one
    otherwise, and one that begins while another removes it fails (PMIX_ERR_EXISTS)."""
    environment = dict(os.environ if environment is None else environment)
    folder = environment.get(LAUNCHER_FOLDER) or tempfile.gettempdir()
    environment[LAUNCHER_FOLDER] = os.path.join(folder, f"{os.getpid()}.{next(numbers)}")
    return environment


class Job:
    """A running program. Its lines can be waited for; `talk` lets say() reach its input, `log` keeps
    its output in a file too, and `limit` is for waits that have none of their own."""

    Started: ClassVar[list] = []

    def __init__(self, command, environment=None, log=None, folder=None, talk=False, limit=LIMIT):
        self.command = [str(word) for word in command]
        self.limit = limit
        self.lines = []
        self.seen = 0
        self.over = False
        self.said = threading.Condition()
        self.log = open(log, "w", encoding="utf-8") if log else None  # noqa: SIM115 (until the program ends)
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE if talk else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", env=apart(environment), cwd=folder,
            process_group=0)  # launchers signal process groups: theirs is not the whole suite's
        Job.Started.append(self)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.said:
                self.lines.append(line)
                self.said.notify_all()
            if self.log:
                self.log.write(line)
                self.log.flush()
        with self.said:
            self.over = True
            self.said.notify_all()

    def __str__(self):
        return " ".join(self.command)

    @property
    def text(self):
        """What the program has said so far."""
        return "".join(self.lines)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _wait_until(self, found, what, limit):
        """Waits until `found`, which looks at the lines, has a result, and gives that back."""
        limit = limit or self.limit
        with self.said:
            self.said.wait_for(lambda: found() is not None or self.over, limit)
            result = found()
            if result is not None:
                return result
            ended = "ended" if self.over else f"still ran after {limit} s"
        raise Failure(f"{self} {ended} without {what}:\n{self.text}")

    def wait_for_line(self, beginning, limit=None):
        """The next line that begins so; lines before it are not looked at again."""
        def found():
            while self.seen < len(self.lines):
                self.seen += 1
                if self.lines[self.seen - 1].startswith(beginning):
                    self.seen -= 1
                    return self.lines[self.seen].rstrip("\n")
            return None

        line = self._wait_until(found, f"a line '{beginning}…'", limit)
        self.seen += 1
        return line

    def wait_to_say(self, words, limit=None):
        """Waits until these words stand somewhere in all that was said."""
        self._wait_until(lambda: True if words in self.text else None, f"a word of '{words}'", limit)

    def wait_for_file(self, path, limit=None):
        """Waits until a file exists that this program makes."""
        limit = limit or self.limit
        end = time.monotonic() + limit
        while not path.exists():
            if self.process.poll() is not None and not path.exists():
                self.reader.join(5)
                raise Failure(f"{self} ended without making {path}:\n{self.text}")
            if time.monotonic() > end:
                raise Failure(f"{self} made no {path} within {limit} s:\n{self.text}")
            time.sleep(0.05)

    def wait_until(self, true, what, limit=None):
        """Waits until something is so that this program brings about."""
        limit = limit or self.limit
        end = time.monotonic() + limit
        while not true():
            if time.monotonic() > end:
                raise Failure(f"{self}: no {what} within {limit} s:\n{self.text}")
            time.sleep(0.05)

    def status(self, limit=None):
        """How the program ended; it is stopped when it is late."""
        limit = limit or self.limit
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.stop()
            raise Failure(f"{self} still ran after {limit} s:\n{self.text}") from None
        self.reader.join(5)
        return status

    def wait(self, limit=None, expect=0):
        """All that the program said, once it has ended as it should."""
        status = self.status(limit)
        if expect is not None and status != expect:
            raise Failure(f"{self} ended with {status}:\n{self.text}")
        return self.text

    def stop(self, kill=False):
        """Ends the program; mpiexec passes it on to its ranks unless it is killed."""
        if self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        self.reader.join(5)


def stat(folder):
    """State and parent of a process or thread, by its folder in /proc."""
    # The command's name may hold blanks and brackets; what follows the last bracket is regular.
    return (folder / "stat").read_text().rpartition(")")[2].split()[:2]


def running(program, mark):
    """The processes of a program, whoever started them: those with a mark (a path of this test) in their command
    line."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                state, _ = stat(folder)
            except OSError:
                continue
            is_it = words and words[0].decode().endswith("/" + program) and str(mark).encode() in b" ".join(words)
            if is_it and state != "Z":
                found.append(int(folder.name))
    return sorted(found)


def adopt_orphans():
    """From now on, descendants whose parents die become children of this process."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def table():
    """(pid, state, parent) of all processes."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state, parent = stat(folder)
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


def _reap():
    """Buries orphans that ended, and leaves to each Job the child it waits for."""
    known = {job.process.pid for job in Job.Started}
    for pid, state, parent in list(table()):
        if state == "Z" and parent == os.getpid() and pid not in known:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def end_everything(grace=5.0):
    """Ends all descendants: asks the launchers, who tidy up behind their ranks; asks all; kills."""
    def launchers():
        return [job.process.pid for job in Job.Started if job.process.poll() is None]

    for whom, number in ((launchers, signal.SIGTERM), (descendants, signal.SIGTERM), (descendants, signal.SIGKILL)):
        until = time.monotonic() + grace
        for pid in whom():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        while time.monotonic() < until:
            for job in Job.Started:
                job.process.poll()
            _reap()
            if not descendants():
                return
            time.sleep(0.05)

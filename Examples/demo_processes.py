# SPDX-License-Identifier: BSD-3-Clause
"""The demo's children, and how they are ended so that nothing of them stays behind."""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import select
import signal
import subprocess
import sys
import threading
import time


class Failure(Exception):
    """Ends the demo; the text is for the user."""


def environment_of(build):
    """Returns the environment of all programs of a demo."""
    return dict(
        os.environ,
        PYTHONPATH=os.pathsep.join(filter(None, (str(build / "lib/paraview-dsm"), os.environ.get("PYTHONPATH")))),
        # Ranks share few cores here: one that waits must not keep another from working.
        OMPI_MCA_mpi_yield_when_idle="1",
        MPIR_CVAR_ENABLE_HEAVY_YIELD="1",
        OMPI_MCA_btl_tcp_if_include="lo",
        # A crash in UCX's signal handler looks like a hang.
        UCX_ERROR_SIGNALS="",
        # Both sides are processes of many: threads of their own would only get in each other's way.
        OMP_NUM_THREADS="1",
    )


def start_screen(log, environment):
    """Starts a screen in memory, since Debian's ParaView cannot render without an X server, and returns its name."""
    reading, writing = os.pipe()
    # -noreset: else the server restarts when the first rank's short visit ends, and the second finds nobody.
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]
    with open(log, "wb") as file:
        screen = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, pass_fds=(writing,), start_new_session=True,
            env=environment,
        )
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip() if select.select([answer], [], [], 30)[0] else ""
    if not number:
        screen.terminate()
        raise Failure(f"Xvfb did not start within 30 s: see {log}")
    return f":{number}"


class Process:
    """A child with its output in a log; its lines are offered one by one as well."""

    def __init__(self, name, command, log, environment, folder, lines=None, stdin=subprocess.DEVNULL):
        self.Name = name
        self.Log = log
        self.File = open(log, "wb")  # noqa: SIM115 (as long as the program runs)
        self.Lines = lines
        shown = (str(word) for word in command if "\n" not in str(word))
        print(f"  {name}: {' '.join(shown)}", file=sys.stderr)
        # A group of its own: Ctrl+C reaches this program only, which then ends both sides in order.
        self.Child = subprocess.Popen(
            list(map(str, command)), stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=environment, cwd=folder, start_new_session=True,
        )
        self.Reader = threading.Thread(target=self.read, daemon=True)
        self.Reader.start()

    def read(self):
        for line in self.Child.stdout:
            self.File.write(line)
            self.File.flush()
            if self.Lines:
                self.Lines.put(line.decode(errors="replace").rstrip())

    def status(self):
        """The exit status, or None while it runs."""
        return self.Child.poll()

    def wait(self, limit):
        try:
            return self.Child.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def end(self):
        """Asks, then insists."""
        for number, limit in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            if self.wait(0) is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.Child.pid, number)
            self.wait(limit)
        self.Reader.join(1)
        self.File.close()

    def last_words(self, count=15):
        self.File.flush()
        lines = self.Log.read_text(errors="replace").splitlines()
        return "\n".join(f"  | {line}" for line in lines[-count:]) or "  | (it said nothing)"


def free_memory():
    """A host that was killed cannot give its memory back; it would stay until the next server starts.

    The rule is the server's own: who lives holds a lock on his segment.
    """
    for segment in pathlib.Path("/dev/shm").glob(f"dsm.{os.getuid()}.*"):
        try:
            with open(segment, "rb") as file:
                # One of size zero is just being made.
                if segment.stat().st_size > 0:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    segment.unlink()
        except OSError:
            continue


def adopt_orphans():
    """Grandchildren whose parent dies become ours (PR_SET_CHILD_SUBREAPER), so none can get lost."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def descendants():
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The command's name, in parentheses, may hold anything.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found = {os.getpid()}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found - {os.getpid()}
        found |= more


def end_descendants():
    for number in (signal.SIGTERM, signal.SIGKILL):
        limit = time.monotonic() + 3
        for process in descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        while time.monotonic() < limit:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.05)
            except ChildProcessError:
                return


def prepare_to_end():
    """Has every program below this one end with it, also when this one is told to end."""
    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))


def end_all(children):
    """Ends the children, the newest first, and all that they have left."""
    for child in reversed(children):
        child.end()
    end_descendants()
    free_memory()

# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that see the server's end, its return and its files at different moments take the same route all the same.

A simulation of two ranks opens, writes, flushes, closes and reads files. DSM_TEST_DELAYS delays single ranks at every
place where a route depends on the server (DSMCore/Base/TestDelay.h). Meanwhile the server is ended, killed, stopped and
started again, and names on disk are removed. Whatever happens, the simulation must end by itself: a rank that waits for
another which took a different route waits for ever.

Everything follows from one seed, except how fast the machine is. DSM_TEST_RUNS says how many runs there are,
DSM_TEST_SEED where the seeds begin.

DSM_TEST_HOLD leaves nothing to chance: one rank waits at one of these places until the server has ended, in each case
of HELD.
"""

import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import pytest

from conftest import BIN, MPIEXEC, Bench
from processes import Failure, Job, environ, running

RUNS = int(os.environ.get("DSM_TEST_RUNS", "32"))
FIRST = int(os.environ.get("DSM_TEST_SEED", "1"))
AT_ONCE = 8
SOON = 20  # seconds
ENDS = 240  # seconds: the longest run takes 40 on a busy machine, with waits for a server that never comes
SERVER = ["--memory-per-host", "16 MiB", "--limit", ENDS]


def commands(draw):
    """What the simulation does: never an operation on a file that a failed command may have left closed."""
    said = []
    for number in range(1, draw.randint(3, 6)):
        kind = draw.choice(["file", "file", "flushed", "again", "read"])
        if number > 1 and kind in ("again", "read"):
            before = draw.randint(1, number - 1)
            said += [f"again {before}", "close"] if kind == "again" else [f"read {before}"]
        said += ["begin", "flush", "close"] if kind == "flushed" else ["file"]
    return said


class Run:
    """One simulation, its servers, and what happens to them."""

    def __init__(self, seed, folder):
        self.seed = seed
        self.draw = random.Random(seed)
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.events = []
        rules = [[], ["--also-on-disk", "all"], ["--publish", "flush"]]
        self.options = [*SERVER, *self.draw.choice(rules)]
        self.policy = self.draw.choice(["disk", "disk", "wait", "fail"])
        self.server = self.serve()

    def serve(self):
        server = Job([BIN / "dsm-serve", "--contact", self.contact, *self.options], environ(DSM_PEER_TIMEOUT=3))
        server.wait_for_line("ready")
        return server

    def signal(self, number):
        self.events.append(signal.Signals(number).name)
        with contextlib.suppress(ProcessLookupError):
            self.server.process.send_signal(number)

    def lose(self):
        """The server goes, in one of the ways that servers go; it may come back."""
        how = self.draw.choice([signal.SIGTERM, signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP])
        self.signal(how)
        if how == signal.SIGSTOP:
            time.sleep(self.draw.uniform(0.1, 5))
            self.signal(signal.SIGCONT)
        else:
            self.server.status(ENDS)
            time.sleep(self.draw.uniform(0, 1))
            if self.policy == "wait" or self.draw.random() < 0.7:
                self.events.append("started again")
                self.server = self.serve()

    def remove(self):
        """A name on disk goes."""
        names = sorted(self.folder.glob("sim.*.h5"))
        if names:
            self.events.append(f"{names[0].name} removed")
            names[0].unlink(missing_ok=True)

    def simulate(self):
        command = [BIN / "dsm-run", "--contact", self.contact, "--without-server", self.policy, "--timeout", 5,
                   *MPIEXEC, "-n", 2, BIN / "dsmObedient", "parallel", self.folder / "sim"]
        job = Job(command, environ(DSM_TEST_DELAYS=self.seed, DSM_PEER_TIMEOUT=3, DSM_WAIT_LIMIT=20), talk=True)
        for said in commands(self.draw):
            job.say(said)
        job.process.stdin.close()
        job.wait_for_line("listening", ENDS)  # dsm-run itself ends if there is no server
        return job

    def stacks(self):
        """Where the ranks are, and the launcher's processes."""
        told = [f"processes: {self.job_processes()}"]
        for pid in running("dsmObedient", self.folder):
            if shutil.which("gdb"):
                said = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "bt 20"], capture_output=True, text=True,
                                      timeout=120, check=False)
                frames = [line for line in said.stdout.splitlines() if line.startswith("#")]
                told.append("\n".join(frames) or f"gdb told nothing of {pid}: {said.stderr}")
        return "\n\n".join(told)

    def job_processes(self):
        """Each process with this run's folder in its command line: number, state, program."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if str(self.folder).encode() in (folder / "cmdline").read_bytes():
                    text = (folder / "stat").read_text()
                    found.append(f"{folder.name} {text[text.rindex(')') + 2]} {(folder / 'comm').read_text().strip()}")
        return found

    def go(self):
        """What is wrong, or nothing."""
        try:
            job = self.simulate()
        except Failure as failure:
            return f"it does not begin: {failure}"
        end = time.monotonic() + ENDS
        while job.process.poll() is None and time.monotonic() < end:
            time.sleep(self.draw.uniform(0.2, 1.5))
            self.draw.choice([self.lose, self.lose, self.remove])()
        try:
            status = job.status(max(1, end - time.monotonic()))
        except Failure as failure:
            return f"it hangs: {failure}\n{self.stacks()}"
        # 4: a file could not be written, and all ranks were told so.
        return "" if status in (0, 4) else f"it ended with {status}:\n{job.text}"

    def told(self):
        wrong = self.go()
        self.server.stop()
        return wrong and (f"seed {self.seed} (DSM_TEST_SEED={self.seed} DSM_TEST_RUNS=1), policy {self.policy}, "
                          f"{self.events}:\n{wrong}")


def run(seed, folder):
    folder = pathlib.Path(folder) / str(seed)
    folder.mkdir()
    wrong = Run(seed, folder).told()
    if not wrong:
        shutil.rmtree(folder)
    return wrong


def test_delays(tmp_path):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        wrong = [text for text in pool.map(lambda seed: run(seed, tmp_path), range(FIRST, FIRST + RUNS)) if text]
    print(f"{RUNS} runs, {len(wrong)} wrong")
    assert not wrong, "\n\n".join(wrong)


HELD_COMMANDS = ["file", "begin", "write 4", "close", "file"]
# The places that both ranks pass when they close a file; they pass more when they open one.
CLOSING = ["before a rank's part", "after a rank's part", "before rank 0 decides", "before rank 0 broadcasts",
           "after rank 0 has decided"]
OPENING = [*CLOSING, "making a file", "finding a connection", "whether the server is alive"]
KILLED = ["before rank 0 broadcasts", "making a file", "after a rank's part"]
HELD = [*itertools.product(["begin"], OPENING, [0, 1], [signal.SIGTERM]),
        *itertools.product(["begin"], KILLED, [0, 1], [signal.SIGKILL]),
        *itertools.product(["close"], CLOSING, [0, 1], [signal.SIGTERM]),
        ("close", "whether the server is alive", 0, signal.SIGTERM)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The files that the simulation writes without a server."""
    return Bench(tmp_path_factory.mktemp("alone")).written_alone(*HELD_COMMANDS, ranks=2)


@pytest.mark.parametrize(("command", "place", "rank", "number"), HELD)
def test_server_ends_while_a_rank_is_held(bench, alone, command, place, rank, number):
    """The ranks take the same route, and the file is whole."""
    hold = bench.folder / "hold"
    server = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--save", bench.saved, *SERVER)
    server.wait_for_line("ready")
    simulation = bench.obey("--without-server", "disk", ranks=2, DSM_TEST_HOLD=f"{rank}:{place}:{hold}")
    for said in HELD_COMMANDS:
        if said != command:
            simulation.does(said, SOON)
            continue
        hold.touch()
        answer = simulation.ask(said)
        simulation.wait_for_file(bench.folder / "hold.reached")
        server.wait_for_file(bench.saved / "sim.1.h5")
        server.process.send_signal(number)
        server.wait(expect=0 if number == signal.SIGTERM else -number)
        hold.unlink()
        assert answer(SOON)[0], f"{said} failed:\n{simulation.text}"
    assert simulation.ends() == 0, simulation.text
    disk = bench.on_disk()
    saved = {file.name: file.read_bytes() for file in bench.saved.iterdir()}
    assert {**disk, **saved} == alone
    # The server has saved the first file, and also the second if that was closed before the server ended.
    closed_before = command == "close" and "sim.2.h5" in saved
    assert set(disk) == ({"sim.3.h5"} if closed_before else {"sim.2.h5", "sim.3.h5"})

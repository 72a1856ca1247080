# SPDX-License-Identifier: BSD-3-Clause
"""Memory that is full, memory that is somebody else's by now, and memory whose host was away: nobody is killed for it,
nobody sees bytes that are not theirs, and nothing stays behind."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import BIN, Obedient
from peers import by_rank, signal_all
from processes import LIMIT, environ

PEER_TIMEOUT = 3  # seconds; everything that is stopped here is so for longer
COUNT = 40000  # values of a file: 313 KiB


class Actor:
    """A serial program behind dsm-run that does what it is told."""

    def __init__(self, bench, *before, contact=None):
        self.job = bench.start(*before, BIN / "dsm-run", "--contact", contact or bench.contact, "--without-server",
                               "fail", BIN / "dsmActor", DSM_PEER_TIMEOUT=PEER_TIMEOUT, DSM_TIMEOUT=10)
        self.job.wait_for_line("ready")
        self.acts = 0

    def act(self, *words, limit=LIMIT):
        """What came of it: "did", "wrong", or "failed" with the reason."""
        self.acts += 1
        self.job.say(" ".join(str(word) for word in words))
        return self.job.wait_for_line(f"{self.acts}: ", limit).removeprefix(f"{self.acts}: ").strip()

    def do(self, *words, limit=LIMIT):
        outcome = self.act(*words, limit=limit)
        assert outcome == "did", f"{words}: {outcome}\n{self.job.text}"

    def write(self, name, seed, count=COUNT):
        self.do("write", name, count, seed)
        self.do("close", name)

    def end(self):
        self.job.process.stdin.close()
        return self.job.status()


@contextlib.contextmanager
def stopped(*numbers):
    """Processes that do nothing for longer than their peers wait."""
    for number in numbers:
        os.kill(number, signal.SIGSTOP)
    try:
        time.sleep(2 * PEER_TIMEOUT)  # the fault itself: nothing to wait for
        yield
    finally:
        for number in numbers:
            os.kill(number, signal.SIGCONT)


def serve(bench, *options, **more):
    return bench.serve("--maximum-snapshots", 2, *options, DSM_PEER_TIMEOUT=PEER_TIMEOUT, **more)


def test_reader_stopped(bench):
    """A reader that was given up sees an error, not the bytes of the file that has its slot now."""
    serve(bench)
    writer, reader = Actor(bench), Actor(bench)
    name = bench.folder / "out.1.h5"
    writer.write(name, 1)
    snapshot = f"{bench.contact}#1"
    reader.do("open", snapshot)
    reader.do("check", snapshot, 1)
    with stopped(reader.job.process.pid):
        for number in range(2, 10):
            writer.write(bench.folder / f"out.{number}.h5", number)
    outcome = reader.act("check", snapshot, 1)
    assert outcome.startswith("failed") and "has left the DSM server's ring" in outcome, outcome
    # It takes no harm for what comes then.
    reader.do("open", bench.folder / "out.9.h5")
    reader.do("check", bench.folder / "out.9.h5", 9)
    assert writer.end() == 0


def test_straggler(bench):
    """A writer that was given up writes nothing into the file that has its slot now."""
    serve(bench)
    late, writer = Actor(bench), Actor(bench)
    name = bench.folder / "late.h5"
    late.do("write", name, 100, 1)
    late.do("more", name, 100, 2)
    with stopped(late.job.process.pid):
        for number in range(1, 10):
            writer.write(bench.folder / f"out.{number}.h5", number)
    # Within what it was granted it asks nobody: its slot says so.
    outcome = late.act("more", name, 100, 3)
    assert outcome.startswith("failed") and "cannot be written any more" in outcome, outcome
    writer.do("open", f"{bench.contact}#9")
    writer.do("check", f"{bench.contact}#9", 9)


@pytest.mark.parametrize("who", ["all", "first", "other"])
def test_server_stopped_and_back(bench, who):
    """A server whose processes, or some of them, were stopped (Ctrl-Z, a debugger, a busy node) is as it was."""
    serve(bench)
    writer = Actor(bench)
    writer.write(bench.folder / "before.h5", 1)
    assert writer.end() == 0
    hosts = by_rank("dsm-serve", bench.contact)
    with stopped(*{"all": hosts.values(), "first": [hosts[0]], "other": [hosts[1]]}[who]):
        pass
    again = Actor(bench)
    deadline = time.monotonic() + LIMIT
    while (outcome := again.act("write", bench.folder / "after.h5", COUNT, 2)) != "did":
        # It takes a moment until all are back, and a file that was begun in that moment is lost with them.
        assert "lost a host" in outcome or "was away" in outcome, outcome
        assert time.monotonic() < deadline, again.job.text
        time.sleep(0.1)
    again.do("close", bench.folder / "after.h5")
    for number, seed in ((1, 1), (2, 2)):
        again.do("open", f"{bench.contact}#{number}")
        again.do("check", f"{bench.contact}#{number}", seed)
    assert again.end() == 0


def test_many_files(bench):
    """A program that opens all its files at start and keeps them open: little for each is enough."""
    bench.serve("--longest-wait", 1)
    writer = Actor(bench)
    names = [bench.folder / f"diagnostic{number}.h5" for number in range(60)]
    for number, name in enumerate(names):
        writer.do("write", name, 1000, number)
    for number, name in enumerate(names):
        writer.do("more", name, 1000, number)
    # Who has the room is said where there is no more.
    outcome = writer.act("write", bench.folder / "large.h5", 1900000, 1, limit=2 * LIMIT)
    assert outcome.startswith("failed") and "61 images being written" in outcome, outcome
    assert "diagnostic0.h5: " in outcome and "write less at once" in outcome, outcome
    for name in names:
        writer.do("close", name)
    writer.do("open", names[59])
    writer.do("check", names[59], 59)
    assert writer.end() == 0


def test_file_per_rank(bench):
    """One file per rank and step, with the settings that nobody chose: all of a step can be open at once, or be written
    one after the other, and all are there afterwards."""
    served = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--limit", LIMIT)
    served.wait_for_line("ready")
    writers = [Actor(bench) for _ in range(4)]

    def name(step, number):
        return bench.folder / f"out_step{step:04d}_rank{number:04d}.h5"

    def check(step, count):
        for number in range(count):
            writer = writers[number % 4]
            writer.do("open", name(step, number))
            writer.do("check", name(step, number), number)
            writer.do("close", name(step, number))

    for step in (1, 2):
        for number in range(160):
            writers[number % 4].do("write", name(step, number), 1000, number)
        for number in range(160):
            writers[number % 4].do("close", name(step, number))
        check(step, 160)
    for number in range(500):
        writers[number % 4].do("write", name(3, number), 1000, number)
        writers[number % 4].do("close", name(3, number))
    check(3, 500)
    assert [writer.end() for writer in writers] == [0] * 4


def test_more_files_than_slots(bench):
    """Each file that is open has a slot: where there is none, an error says how many there are, within the limit."""
    served = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--limit", LIMIT, "--memory-per-host",
                         "256 MiB", "--longest-wait", 1)
    served.wait_for_line("ready")
    writers = [Actor(bench) for _ in range(4)]
    outcome, number = "did", 0
    while outcome == "did":
        outcome = writers[number % 4].act("write", bench.folder / f"rank{number}.h5", 100, number)
        number += 1
        assert number < 4000, outcome
    slots = number - 1
    assert f"{slots} images being written" in outcome, outcome
    assert f"As many files are open as there are slots for: {slots}. Open fewer" in outcome, outcome
    # What was open is not harmed, and there is room when some of it is closed.
    writers[0].do("close", bench.folder / "rank0.h5")
    writers[1].do("write", bench.folder / "after.h5", 100, 5)
    assert [writer.end() for writer in writers] == [0] * 4


def inside_of_small_memory(bench):
    """How a command begins whose /dev/shm has 40 MiB, of which a server lends 36. It makes half of the 40 ready before
    anybody needs it: what is to find no memory must be larger."""
    holder = bench.start("unshare", "--mount", "--propagation", "unchanged", "sh", "-c",
                         "mount --make-private /dev/shm && mount -t tmpfs -o size=40m tmpfs /dev/shm && echo ready && "
                         "exec sleep 1000")
    try:
        holder.wait_for_line("ready")
    except AssertionError:
        pytest.skip("file systems cannot be mounted here")
    inside = ["nsenter", "--target", str(holder.process.pid), "--mount", "--root", "--wd"]
    served = bench.start(*inside, BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "36 MiB",
                         "--limit", LIMIT)
    served.wait_for_line("ready")
    return inside


def fill_memory(inside):
    subprocess.run([*inside, "sh", "-c", "head -c 100M /dev/zero >/dev/shm/full"], check=False, capture_output=True,
                   timeout=LIMIT)


def test_shared_memory_full(bench):
    """Somebody else fills /dev/shm: a file that finds no memory is refused before it writes, and nobody is killed. What
    the hosts have already serves the next of the same series."""
    inside = inside_of_small_memory(bench)
    writer = Actor(bench, *inside)
    writer.write(bench.folder / "out.1.h5", 1)
    fill_memory(inside)
    writer.do("write", bench.folder / "out.2.h5", 100, 2)
    outcome = writer.act("more", bench.folder / "out.2.h5", 3000000, 3)
    assert outcome.startswith("failed") and "of shared memory on this node" in outcome, outcome
    assert "No space left" in outcome
    assert writer.act("close", bench.folder / "out.2.h5").startswith("failed"), "it is incomplete"
    subprocess.run([*inside, "rm", "/dev/shm/full"], check=True, timeout=LIMIT)
    writer.do("write", bench.folder / "large.h5", 1000000, 4)
    writer.do("close", bench.folder / "large.h5")
    writer.do("open", bench.folder / "large.h5")
    writer.do("check", bench.folder / "large.h5", 4)
    assert writer.end() == 0


def test_outgrown_without_memory(bench):
    """The server is gone, and there is no memory by which a file could grow by itself: it is refused in words, and the
    next goes to disk."""
    inside = inside_of_small_memory(bench)
    simulation = Obedient([*inside, BIN / "dsm-run", "--contact", bench.contact, "--timeout", 5, BIN / "dsmObedient",
                           "serial", bench.folder / "sim"], environ(), talk=True)
    bench.jobs.append(simulation)
    for command in ("begin", "write 64"):
        simulation.does(command)
    signal_all("dsm-serve", bench.contact, signal.SIGKILL)
    fill_memory(inside)
    simulation.fails("write 30000")
    assert "No space left" in simulation.text and "shared memory" in simulation.text, simulation.text
    simulation.fails("close")
    simulation.does("file")
    assert simulation.ends() == 4, simulation.text
    assert list(bench.on_disk()) == ["sim.2.h5"]


def files_in_memory():
    """Of ours in /dev/shm; folders of that name are other tests'."""
    return {file for file in pathlib.Path("/dev/shm").glob("dsm*") if file.is_file()}


def test_nothing_left(bench):
    """Hosts that are killed, and with them whoever had mapped their memory."""
    before = files_in_memory()
    host = bench.serve()
    writer = Actor(bench)
    writer.do("write", bench.folder / "out.h5", COUNT, 1)
    assert files_in_memory() <= before
    signal_all("dsm-serve", bench.contact, signal.SIGKILL)
    host.status()
    writer.job.stop()
    assert files_in_memory() <= before

# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that are to save what comes, and are killed before they have: each snapshot that its writer was told of is
saved all the same, by dsm-rescue. Here the folder is away for a while, so that nothing can be saved before."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import BIN
from peers import by_rank, processes, wait_until_gone
from processes import environ
from test_lost_server import killed, signalled

SOON = 20
FABRIC = {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off"}
PATHS = [{}, *([FABRIC] if os.environ["DSM_TEST_FABRIC"] == "1" else [])]


@contextlib.contextmanager
def folder_is_away(bench):
    """Something else has the name of the folder where snapshots are saved."""
    aside = bench.folder / "aside"
    bench.saved.rename(aside)
    bench.saved.touch()
    try:
        yield aside
    finally:
        bench.saved.unlink()
        aside.rename(bench.saved)


def rescued(bench):
    """Those that are saved in the end, when all is over."""
    wait_until_gone("dsm-rescue", bench.contact, SOON)
    return {file.name: file.read_bytes() for file in bench.saved.iterdir()}


@pytest.mark.parametrize("path", PATHS, ids=["shared memory", "fabric"][:len(PATHS)])
@pytest.mark.parametrize("ranks", [None, [1], [0]], ids=["hosts", "other host", "first host"])
def test_killed(bench, path, ranks):
    """All hosts, or one of them, whose launcher ends the others then."""
    host = bench.serve(**path)
    simulation = bench.obey(**path)
    with folder_is_away(bench):
        for command in ("file", "begin", "write 200", "close"):
            simulation.does(command)
        host.wait_to_say("sim.2.h5) is not saved", SOON)
        signalled(bench, signal.SIGKILL, ranks)
        host.status()
        assert processes("dsm-rescue", bench.contact)
    assert rescued(bench) == bench.written_alone("file", "begin", "write 200", "close")
    log = bench.contact.with_suffix(".dsm.rescue.log").read_text()
    assert "snapshots that were not saved: 2" in log and f"is saved as {bench.saved / 'sim.2.h5'}" in log
    assert not bench.on_disk()
    # And the next file goes to disk, as the simulation was told.
    simulation.does("file")
    assert set(bench.on_disk()) == {"sim.3.h5"}


def test_nothing_to_do(bench):
    """It goes with its hosts, and leaves nothing."""
    host = bench.serve()
    simulation = bench.obey()
    simulation.does("file")
    host.wait_to_say("sim.1.h5 ", SOON)
    assert len(processes("dsm-rescue", bench.contact)) == 1
    killed(bench, host)
    assert set(rescued(bench)) == {"sim.1.h5"}
    assert not bench.contact.with_suffix(".dsm.rescue.log").exists()
    host = bench.serve()
    signalled(bench, signal.SIGTERM, [0])
    assert host.status() == 0
    assert not processes("dsm-rescue", bench.contact)


def test_ended(bench):
    """As the hosts were told to: what cannot be saved then is lost, which is said."""
    host = bench.serve()
    simulation = bench.obey()
    with folder_is_away(bench):
        simulation.does("file")
        host.wait_to_say("sim.1.h5) is not saved", SOON)
        signalled(bench, signal.SIGTERM, [0])
        assert host.status() == 1
        assert not processes("dsm-rescue", bench.contact)
    assert "sim.1.h5) is lost: it was not saved" in host.text
    assert not rescued(bench)


def test_rescuer_killed(bench):
    """Nobody needs it but hosts that are killed; these say that it is gone."""
    host = bench.serve()
    simulation = bench.obey()
    for process in processes("dsm-rescue", bench.contact):
        os.kill(process, signal.SIGKILL)
    simulation.does("file")
    simulation.does("file")
    host.wait_to_say("sim.2.h5 ", SOON)
    assert "dsm-rescue has ended" in host.text
    signalled(bench, signal.SIGTERM, [0])
    assert host.status() == 0
    assert set(rescued(bench)) == {"sim.1.h5", "sim.2.h5"}


def test_rescuer_stopped(bench):
    """Who tells it waits for nothing, also when it has not heard of more than a socket holds."""
    host = bench.serve("--maximum-snapshots", 4, "--when-full", "block")
    simulation = bench.obey(ranks=1)
    (rescuer,) = processes("dsm-rescue", bench.contact)
    os.kill(rescuer, signal.SIGSTOP)
    for _ in range(600):
        simulation.does("file", SOON)
    host.wait_to_say("sim.600.h5 ", SOON)
    os.kill(rescuer, signal.SIGCONT)
    signalled(bench, signal.SIGTERM, [0])
    assert host.status() == 0
    assert len(rescued(bench)) == 600


def test_newer_file(bench):
    """An older snapshot never takes the place of a newer file: neither when its hosts save it late, nor after them."""
    host = bench.serve()
    older, newer = (bench.obey(ranks=1), bench.obey(ranks=2))
    with folder_is_away(bench):
        older.does("file")
        host.wait_to_say("sim.1.h5) is not saved", SOON)
    newer.does("file")
    host.wait_to_say("snapshot 2 ", SOON)
    (expected,) = bench.written_alone("file", ranks=2).values()
    time.sleep(7)  # after five the hosts would save the other
    assert (bench.saved / "sim.1.h5").read_bytes() == expected

    with folder_is_away(bench) as aside:
        older.does("file")
        host.wait_to_say("sim.2.h5) is not saved", SOON)
        killed(bench, host)
        (aside / "sim.2.h5").write_text("newer")
    assert rescued(bench)["sim.2.h5"] == b"newer"
    assert "sim.2.h5 is newer" in bench.contact.with_suffix(".dsm.rescue.log").read_text()


# The second state is written beside the first, which somebody has open; and before the hosts have told of that.
TWO_STATES = """
import h5py, subprocess, sys
reads = "import h5py; print('ready', flush=True); input(); x = h5py.File('{name}'); print('open', flush=True); input()"
reader = subprocess.Popen([sys.executable, "-c", reads], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
reader.stdout.readline()
with h5py.File("{name}", "w") as file:
    file["older"] = 1
print("go on", file=reader.stdin, flush=True)
assert reader.stdout.readline() == "open\\n"
with h5py.File("{name}", "r+") as file:
    file["newer"] = 2
input()
"""


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_older_state(bench):
    """The newest state of a file is the file, whatever the clock of the disk says of it."""
    host = bench.serve(hosts=1)
    program = TWO_STATES.format(name=bench.folder / "x.h5")
    bench.start(BIN / "dsm-run", "--contact", bench.contact, sys.executable, "-c", program)
    host.wait_to_say("snapshot 2 ", SOON)
    newest = (bench.saved / "x.h5").read_bytes()
    os.utime(bench.saved / "x.h5", (0, 0))
    signalled(bench, signal.SIGTERM, [0])
    assert host.status() == 0
    assert rescued(bench) == {"x.h5": newest} and b"newer" in newest


def test_by_hand(bench):
    job = bench.start(BIN / "dsm-rescue")
    assert job.status() == 2
    assert "is started by dsm-serve --save" in job.text
    assert not by_rank("dsm-serve", bench.contact)


APPENDS = """
import h5py
def append(rows):
    rows.resize(rows.shape[0] + 1, axis=0)
    rows[-1] = rows.shape[0]
with h5py.File("{name}", "w") as file:
    append(file.create_dataset("rows", (0, 5000), "f8", maxshape=(None, 5000), chunks=(1, 5000)))
for _ in range(4):
    with h5py.File("{name}", "r+") as file:
        append(file["rows"])
"""
STAYS_OPEN = """
file = h5py.File("{name}", "r+")
file["rows"][0] = -1
append(file["rows"])
print("in the middle", flush=True)
input()
"""


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
@pytest.mark.parametrize("open_still", [False, True], ids=["closed", "in the middle"])
def test_appended(bench, open_still):
    """Of a file that is opened again and again, the state that was closed last; also while it is written further."""
    host = bench.serve()
    alone = bench.folder / "alone.h5"
    subprocess.run([sys.executable, "-c", APPENDS.format(name=alone)], env=environ(), check=True, timeout=SOON)
    program = APPENDS + (STAYS_OPEN if open_still else "print('in the middle', flush=True); input()")
    with folder_is_away(bench):
        simulation = bench.start(BIN / "dsm-run", "--contact", bench.contact, "--timeout", 5, sys.executable, "-c",
                                 program.format(name=bench.folder / "rows.h5"))
        simulation.wait_for_line("in the middle")
        simulation.process.kill()
        killed(bench, host)
    assert rescued(bench) == {"rows.h5": alone.read_bytes()}

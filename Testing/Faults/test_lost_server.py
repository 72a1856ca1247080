# SPDX-License-Identifier: BSD-3-Clause
"""A server that is lost, or never there, costs a simulation a message and nothing else: its files go to disk, each
once, the one that was being written too; and they go to memory again when the server is back."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import BIN, LIMIT
from peers import by_rank, signal_all, wait_until_stopped
from processes import Job, environ
from test_faults import OPENMPI, mounted

PEER_TIMEOUT = 4  # seconds; enough for a loaded machine, short enough to wait for
AT_ONCE = 3  # what no time-out fits into: the shortest, DSM_PEER_TIMEOUT, is longer
SOON = 20


def signalled(bench, number, ranks=None):
    """The hosts get a signal, all of them or those of some ranks. Returns which."""
    hosts = by_rank("dsm-serve", bench.contact)
    assert hosts
    told = [hosts[rank] for rank in ranks or hosts]
    for host in told:
        with contextlib.suppress(ProcessLookupError):
            os.kill(host, number)
    return told


def killed(bench, host):
    signalled(bench, signal.SIGKILL)
    host.status()


@contextlib.contextmanager
def stopped(bench, *ranks):
    wait_until_stopped(signalled(bench, signal.SIGSTOP, ranks))
    try:
        yield
    finally:
        signalled(bench, signal.SIGCONT, ranks)


def each_once(bench, disk, memory):
    """Which files are on disk, and which became snapshots of the hosts, one after the other."""
    assert set(bench.on_disk()) == {f"sim.{number}.h5" for number in disk}
    assert bench.snapshots() == [f"sim.{number}.h5" for number in sorted(memory)]


def warnings(simulation):
    return simulation.text.count("dsm warning: ")


def test_lost_before_the_first_file(bench):
    simulation = bench.obey()
    assert "there is no contact file" in simulation.text
    assert "until ParaView is there, files go to disk" in simulation.text
    simulation.does("file", AT_ONCE)
    simulation.does("file", AT_ONCE)
    assert bench.on_disk() == bench.written_alone("file", "file")
    assert warnings(simulation) == 0, "dsm-run has said it"
    host = bench.serve()
    simulation.wait_to_say("is there (process")
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 0, simulation.text
    each_once(bench, {1, 2}, {3})
    assert warnings(simulation) == 1


def test_lost_between_files(bench):
    host = bench.serve()
    simulation = bench.obey()
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    killed(bench, host)
    simulation.does("file", AT_ONCE)
    simulation.does("file", AT_ONCE)
    simulation.wait_until(lambda: warnings(simulation) == 2, "word of what is lost, and what follows", SOON)
    simulation.wait_to_say("sim.2.h5 and the files after it go to disk", SOON)
    host = bench.serve()
    simulation.wait_to_say("is back (process")
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 0, simulation.text
    each_once(bench, {2, 3}, {1, 4})
    assert warnings(simulation) == 3, simulation.text


def test_lost_and_stopped_between_files(bench):
    """One that is stopped takes a time-out, once."""
    host = bench.serve(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    with stopped(bench):
        simulation.does("file", SOON)
        simulation.does("file", AT_ONCE)
        simulation.does("file", AT_ONCE)
        simulation.wait_until(lambda: warnings(simulation) == 2, "word of what is lost, and what follows", SOON)
    simulation.wait_to_say("is back (process")
    simulation.does("file")
    host.wait_for_line("snapshot 2")
    assert simulation.ends() == 0, simulation.text
    each_once(bench, {2, 3, 4}, {1, 5})


def test_killed_in_a_file(bench):
    """Its bytes are in the simulation's own processes as well, which write them to disk."""
    host = bench.serve()
    simulation = bench.obey()
    commands = ["begin", "write 700", "write 50", "close", "file"]
    simulation.does("begin")
    simulation.does("write 700")
    killed(bench, host)
    simulation.does("write 50", AT_ONCE)
    simulation.does("close", AT_ONCE)
    simulation.wait_to_say("sim.1.h5 was in its memory, and was written to disk from there, whole", SOON)
    simulation.does("file", AT_ONCE)
    assert simulation.ends() == 0
    assert bench.on_disk() == bench.written_alone(*commands)
    assert warnings(simulation) == 2, simulation.text
    each_once(bench, {1, 2}, {})


def test_ended_in_a_file(bench):
    host = bench.serve()
    simulation = bench.obey()
    simulation.does("begin")
    simulation.does("write 700")
    host.process.send_signal(signal.SIGTERM)
    host.status()
    simulation.does("write 50", AT_ONCE)
    simulation.does("close", AT_ONCE)
    assert simulation.ends() == 0
    assert bench.on_disk() == bench.written_alone("begin", "write 700", "write 50", "close")
    each_once(bench, {1}, {})


def test_stopped_in_a_file(bench):
    """Stopped past its time, and then it goes on: the file is on disk, and it is not a snapshot as well."""
    host = bench.serve(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation.does("begin")
    simulation.does("write 700")
    with stopped(bench):
        simulation.does("close", SOON)
        simulation.wait_to_say("was written to disk from there, whole", SOON)
        simulation.does("file", AT_ONCE)
    # What the host finds in its socket comes before what it is asked then.
    simulation.wait_to_say("is back (process")
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 0
    alone = bench.written_alone("begin", "write 700", "close", "file")
    assert bench.on_disk() == alone
    each_once(bench, {1, 2}, {3})


def test_paused_in_a_file(bench):
    """Stopped past its time in the middle of a file, and going on before that is closed: nothing of it is lost."""
    bench.serve(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation.does("begin")
    simulation.does("write 700")
    with stopped(bench):
        time.sleep(1.5 * PEER_TIMEOUT)  # the fault itself: nothing to wait for
    time.sleep(1.5 * PEER_TIMEOUT)  # in which the server could give the simulation up
    simulation.does("write 3500", SOON)
    simulation.does("close", SOON)
    assert simulation.ends() == 0, simulation.text
    assert bench.on_disk() == bench.written_alone("begin", "write 700", "write 3500", "close")
    each_once(bench, {1}, {})


def test_first_host_paused_in_a_file(bench):
    """Without its coordinator the other host stays as it is, also when that is back: the file has grown by itself
    meanwhile, into memory that the server never granted."""
    bench.serve("--block-size", "1 MiB", DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation.does("begin")
    simulation.does("write 64")
    with stopped(bench, 0):
        simulation.does("write 700", SOON)
        time.sleep(1.5 * PEER_TIMEOUT)  # in which the other host misses its coordinator
    simulation.does("write 64", SOON)
    simulation.does("close", SOON)
    assert simulation.ends() == 0, simulation.text
    assert bench.on_disk() == bench.written_alone("begin", "write 64", "write 700", "write 64", "close")
    each_once(bench, {1}, {})


def test_other_host_paused_in_a_file(bench):
    """Who needs its memory waits until it is back, and no longer."""
    host = bench.serve(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation.does("begin")
    with stopped(bench, 1):
        host.wait_to_say("its memory cannot be reached", SOON)
        answer = simulation.ask("write 700")
        time.sleep(1)  # it waits, and a moment of that is enough
    assert answer(SOON)[0], simulation.text
    simulation.does("close", SOON)
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 0, simulation.text
    each_once(bench, {}, {1})


def test_paused_host_keeps_its_word(bench):
    """The same where the program wants to fail: what H5Fclose has said stays so."""
    host = bench.serve(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey("--without-server", "fail", DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation.does("begin")
    simulation.does("write 700")
    with stopped(bench):
        simulation.fails("close", SOON)
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 4
    each_once(bench, {}, {2})


def test_outgrown_without_server(bench):
    """A file that is larger than what was granted when the server was lost."""
    host = bench.serve()
    simulation = bench.obey()
    simulation.does("begin")
    simulation.does("write 64")
    killed(bench, host)
    simulation.does("write 3500", SOON)
    simulation.does("write 64", AT_ONCE)
    simulation.does("close", SOON)
    assert simulation.ends() == 0
    assert bench.on_disk() == bench.written_alone("begin", "write 64", "write 3500", "write 64", "close")


def test_flushed_without_server(bench):
    host = bench.serve("--publish", "flush")
    simulation = bench.obey()
    simulation.does("begin")
    simulation.does("write 64")
    simulation.does("flush")
    host.wait_for_line("snapshot 1")
    killed(bench, host)
    simulation.does("write 64", AT_ONCE)
    simulation.does("flush", AT_ONCE)
    simulation.does("flush", AT_ONCE)
    simulation.does("close", AT_ONCE)
    assert simulation.ends() == 0
    assert bench.on_disk() == bench.written_alone(
        "begin", "write 64", "flush", "write 64", "flush", "flush", "close")


def test_stopped_after_a_flush(bench):
    """A file that a flush has shown goes on without its server, which cannot copy what changes: when that is back, it
    has no snapshot that is half what it was. The file is whole on disk."""
    host = bench.serve("--publish", "flush", DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation.does("begin")
    simulation.does("write 64")
    simulation.does("flush")
    host.wait_for_line("snapshot 1")
    with stopped(bench):
        simulation.does("write 700", SOON)
        simulation.does("close", SOON)
        simulation.wait_to_say("was written to disk from there, whole", SOON)
    simulation.wait_to_say("is back (process")
    assert bench.on_disk() == bench.written_alone("begin", "write 64", "flush", "write 700", "close")
    simulation.does("file")
    host.wait_for_line("snapshot 2")
    assert simulation.ends() == 0
    each_once(bench, {1}, {1, 2})  # the first was shown, and saved, before
    for number, told in (1, "there is no snapshot 1"), (2, "['d0']"):
        listed = subprocess.run([BIN / "dsm-run", "--contact", bench.contact, sys.executable, "-c",
                                 f"import h5py; print(list(h5py.File('{bench.contact}#{number}')))"],
                                env=environ(), capture_output=True, text=True, timeout=LIMIT, check=False)
        assert told in listed.stdout + listed.stderr


def test_disk_full_without_server(bench):
    """What the disk does not take is an error, and no half file."""
    whole = bench.folder
    bench.folder = bench.folder / "small"
    with mounted(bench.folder, "1m"):
        host = bench.serve()
        simulation = bench.obey()
        simulation.does("begin")
        simulation.does("write 700")
        killed(bench, host)
        simulation.fails("close", SOON)
        simulation.wait_to_say(f"{bench.folder / 'sim.1.h5'} is lost: cannot write", SOON)
        simulation.wait_to_say("No space left", SOON)
        simulation.does("file", AT_ONCE)
        assert simulation.ends() == 4
        each_once(bench, {2}, {})
    bench.folder = whole


def test_ranks_wait(bench):
    """Rank 0 waits for a server that is stopped, the others for rank 0: they say so, and go on when the server does."""
    host = bench.serve()
    simulation = bench.obey(DSM_WAIT_WARNING=1)
    simulation.does("file")
    with stopped(bench):
        begun = simulation.ask("begin")
        simulation.wait_to_say("has been waiting for the other ranks for 1 s, opening")
    assert begun()[0]
    assert "sim.2.h5 (MPI_" in simulation.text
    simulation.does("write 700")
    simulation.does("close")
    host.wait_for_line("snapshot 2")
    assert simulation.ends() == 0, simulation.text


def test_policy_fail(bench):
    host = bench.serve()
    simulation = bench.obey("--without-server", "fail")
    simulation.does("begin")
    simulation.does("write 700")
    killed(bench, host)
    simulation.fails("close", AT_ONCE)
    simulation.fails("file", AT_ONCE)
    simulation.wait_to_say("start it again", SOON)
    host = bench.serve()
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 4
    each_once(bench, {}, {3})


def test_policy_wait(bench):
    simulation = bench.obey("--without-server", "wait", "--wait-limit", 30)
    assert "its first file waits for ParaView" in simulation.text
    answer = simulation.ask("file")
    simulation.wait_to_say("the program waits for the server, 30 s at most")
    host = bench.serve()
    assert answer()[0], simulation.text
    host.wait_for_line("snapshot 1")
    # And in the middle of a run: the file that was open then is not lost.
    simulation.does("begin")
    simulation.does("write 64")
    killed(bench, host)
    simulation.does("close", AT_ONCE)
    answer = simulation.ask("file")
    host = bench.serve()
    assert answer()[0], simulation.text
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 0, simulation.text
    each_once(bench, {2}, {1, 3})
    # With a limit.
    impatient = bench.obey("--without-server", "wait", "--wait-limit", 1, contact=bench.folder / "nobody.dsm")
    impatient.fails("begin", SOON)
    impatient.wait_to_say("waited 1 s for it (DSM_WAIT_LIMIT)", SOON)
    assert impatient.ends() == 4


def test_policy_discard(bench):
    simulation = bench.obey("--without-server", "discard", how="serial", ranks=1)
    assert "until ParaView is there, files are discarded" in simulation.text
    simulation.does("file", AT_ONCE)
    simulation.does("begin", AT_ONCE)
    simulation.does("write 3000", AT_ONCE)
    simulation.does("write 3000", AT_ONCE)
    simulation.does("close", AT_ONCE)
    simulation.fails("read 1", AT_ONCE)
    host = bench.serve()
    simulation.wait_to_say("is there (process")
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    simulation.does("begin")
    simulation.does("write 64")
    killed(bench, host)
    simulation.does("close", AT_ONCE)
    simulation.does("file", AT_ONCE)
    simulation.ends()
    each_once(bench, {}, {3})
    # Ranks that write one file together could not read what the others wrote: said from the beginning.
    bench.serve()
    together = bench.obey("--without-server", "discard")
    together.fails("begin")
    together.wait_to_say("3 ranks together, and such a file cannot be discarded", SOON)
    alone = bench.obey("--without-server", "discard", ranks=1)
    alone.does("file")
    assert alone.ends() == 0


@pytest.mark.parametrize("named", ["on", "off"])
def test_lost_name(bench, named):
    """What was in the memory of a server that is gone is said to be so; what is on disk is read."""
    host = bench.serve()
    simulation = bench.obey("--placeholders", named)
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    simulation.does("read 1")
    killed(bench, host)
    simulation.fails("read 1", AT_ONCE)
    simulation.wait_to_say("sim.1.h5 is only in the memory of a server, and that is lost" if named == "on" else
                           "sim.1.h5 is not on disk, and whether a server has it is unknown", SOON)
    simulation.does("file", AT_ONCE)
    simulation.does("read 2", AT_ONCE)
    assert simulation.ends() == 4


def test_refused_in_a_run(bench):
    """A server that wants nothing to do with the program is told of at the start by dsm-run; in the middle of a run
    it stops nobody."""
    host = bench.serve()
    simulation = bench.obey()
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    killed(bench, host)
    bench.contact.write_text("not a contact file at all\n")
    simulation.does("file", AT_ONCE)
    simulation.does("file", AT_ONCE)
    assert simulation.ends() == 0
    each_once(bench, {2, 3}, {1})
    # By hand, without dsm-run.
    (bench.folder / "sim.2.h5").unlink()
    (bench.folder / "sim.3.h5").unlink()
    direct = Job(["env", *simulation.command[simulation.command.index("5") + 1:]],
                 environ(DSM_CONTACT=bench.contact, LD_PRELOAD=BIN.parent / "lib/dsm/libdsm-loader.so"), talk=True)
    bench.jobs.append(direct)
    direct.say("file")
    direct.wait_to_say("did file: ok")
    direct.wait_to_say("no contact file of ParaView DSM", SOON)
    assert set(bench.on_disk()) == {"sim.1.h5"}


def test_some_ranks_cannot_write(bench):
    """The others do not wait for it in HDF5, and it does not wait again for what it cannot have; all say so at close,
    and the next file is whole."""
    host = bench.serve("--longest-wait", 2)
    simulation = bench.obey()
    simulation.does("begin")
    simulation.does("write 2000")
    simulation.does("begin")
    simulation.does("write 4")
    # 6 of 16 MiB are taken, and this file shall have 12.
    simulation.does("alone 128 96", SOON)
    simulation.does("write 4", SOON)
    simulation.wait_to_say("rank 2 cannot store all of", SOON)
    simulation.fails("close", AT_ONCE)
    simulation.wait_to_say("sim.2.h5 is incomplete, and its image is discarded instead of becoming a snapshot", SOON)
    simulation.wait_to_say("the DSM server's ring is full", SOON)
    simulation.does("close")
    host.wait_for_line("snapshot 1")
    assert simulation.ends() == 4
    each_once(bench, {}, {1})


def test_exits_in_a_file(bench):
    """exit() with an open file, which HDF5 closes then, when what threads have of their own is gone: it is whole."""
    host = bench.serve()
    simulation = bench.obey(ranks=2, recorded_status=True)
    for command in ("file", "begin", "write 64", "write 700", "exit"):
        simulation.say(command)
    launcher = simulation.status()
    assert launcher == 5 or not OPENMPI, simulation.text  # MPICH's now and then ends with 0 all the same
    assert 5 in (ended := bench.recorded_status()) and 0 not in ended, f"{ended}\n{simulation.text}"
    host.wait_for_line("snapshot 2")
    # MPICH's launcher kills ranks that take longer to end than the first one, and reports it.
    said = simulation.text if OPENMPI else simulation.text.replace("Killed (signal 9)", "")
    assert "signal" not in said and warnings(simulation) == 0, simulation.text
    each_once(bench, {}, {1, 2})


def test_forked(bench):
    """A child of a simulation that ends in the middle of a file, and with it its HDF5: the file is its parent's. With
    more ranks HDF5 itself waits for them there, also for a file on disk."""
    commands = ["begin", "write 50", "fork", "write 50", "close", "file"]
    host = bench.serve()
    simulation = bench.obey(ranks=1)
    for command in commands:
        simulation.does(command, AT_ONCE)
    host.wait_for_line("snapshot 2")
    assert simulation.ends() == 0, simulation.text
    assert warnings(simulation) == 0, simulation.text
    each_once(bench, {}, {1, 2})
    saved = {file.name: file.read_bytes() for file in bench.saved.iterdir()}
    assert saved == bench.written_alone(*commands, ranks=1)


@pytest.fixture(autouse=True)
def nobody_stays_stopped(bench):
    """A stopped process hears of no end."""
    yield
    signal_all("dsm-serve", bench.contact, signal.SIGCONT)

# SPDX-License-Identifier: BSD-3-Clause
"""Files in memory have their names on disk: what they are called by is found, renamed, copied and
removed there, and an older file of the name is never taken for one of them."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from conftest import BIN
from peers import processes
from processes import LIMIT, environ
from test_lost_server import PEER_TIMEOUT, killed, stopped

RANKS = pytest.mark.parametrize("ranks", [1, 3])

# What a program does that knows nothing of us; it says "done" at its end.
NAMES = """
import os, sys, h5py
one, other = sys.argv[1] + "/sim.tmp", sys.argv[1] + "/sim.h5"
with h5py.File(one, "w") as file:
    file["a"] = [1, 2]
    assert os.path.exists(one)
size = os.path.getsize(one)
os.rename(one, other)
assert h5py.is_hdf5(other) and os.path.getsize(other) == size and os.listdir(sys.argv[1]) == ["sim.h5"]
assert list(h5py.File(other)["a"][...]) == [1, 2]
with h5py.File(other, "r+") as file:
    file["b"] = 3
with h5py.File(sys.argv[1] + "/links.h5", "w") as file:
    file["link"] = h5py.ExternalLink("sim.h5", "b")
    assert file["link"][()] == 3
for name, mode, kind in ((one, "r", FileNotFoundError), (one, "r+", FileNotFoundError), (other, "x", FileExistsError)):
    try:
        h5py.File(name, mode)
        raise AssertionError(name)
    except kind:
        pass
os.remove(other)
try:
    h5py.File(other)
    raise AssertionError(other)
except FileNotFoundError:
    pass
print("done")
"""


def h5dump(*words):
    done = subprocess.run(["h5dump", *map(str, words)], capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_names(bench):
    """Programs find, rename, link and remove their files."""
    bench.serve()
    folder = bench.folder / "work"
    folder.mkdir()
    job = bench.start(BIN / "dsm-run", "--contact", bench.contact, sys.executable, "-c", NAMES, folder)
    assert job.status() == 0, job.text
    assert job.lines[-1] == "done\n", job.text
    # What was opened again at once may not have been told of.
    told = [os.path.basename(name) for name in bench.snapshots()]
    assert [name for name in told if name != "sim.tmp"] == ["sim.h5", "links.h5"]


LEFT_MEANWHILE = """
import h5py, numpy, os, sys
os.chdir(sys.argv[1])
with h5py.File("a.h5", "w") as file:
    file["x"] = 1
again = h5py.File("a.h5", "w")
again["y"] = 2
for number in range(3):
    with h5py.File(f"b{number}.h5", "w") as file:
        file["x"] = number
    sys.stdin.readline()
for work in (lambda: again.create_dataset("big", data=numpy.ones(8000000)), again.close):
    try:
        work()
        raise AssertionError("it has no room")
    except (OSError, RuntimeError):
        pass
print("done", flush=True)
"""


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_version_that_left_while_it_was_overwritten(bench):
    """Its replacement came to nothing: the name says that the version before has left the memory."""
    host = bench.serve("--maximum-snapshots", 2)
    job = bench.start(BIN / "dsm-run", "--contact", bench.contact, sys.executable, "-c", LEFT_MEANWHILE,
                      bench.folder)
    for number in (1, 2, 3, 4):
        host.wait_for_line(f"snapshot {number}")  # which is saved by then, and may go
        if number > 1:
            job.say("go on")
    job.wait_for_line("done")
    host.wait_until(lambda: "has left the memory that ParaView lends" in h5dump("-A", bench.folder / "a.h5"),
                    "word of it")
    job.status()


@RANKS
def test_what_stands_there(bench, ranks):
    """A small HDF5 file that says what it is, and is apparently as long as the file; it goes with what never became a
    snapshot."""
    host = bench.serve()
    simulation = bench.obey(ranks=ranks)
    simulation.does("begin")
    simulation.does("write 700")
    name = bench.folder / "sim.1.h5"
    assert "in memory that ParaView lends" in h5dump("-A", name)
    simulation.fails("read 1")
    simulation.wait_to_say("is still being written", LIMIT)
    simulation.does("close")
    simulation.does("read 1")
    host.wait_for_line("snapshot 1")  # which is saved by then
    assert name.stat().st_size == (bench.saved / name.name).stat().st_size
    assert name.stat().st_blocks * 512 < 64 << 10
    simulation.does("begin")
    assert (bench.folder / "sim.2.h5").exists()
    simulation.tell("write 20000")
    simulation.fails("close")
    assert not (bench.folder / "sim.2.h5").exists()
    simulation.ends()
    assert bench.snapshots() == ["sim.1.h5"]


@RANKS
@pytest.mark.parametrize("named", [True, False])
def test_older_file(bench, ranks, named):
    """A file that has left the ring is an error on every rank, and an older run's of the name is no substitute."""
    older = bench.folder / "sim.1.h5"
    older.write_bytes(bench.written_alone("file", ranks=ranks)["sim.1.h5"])
    host = bench.serve("--maximum-snapshots", 2)
    simulation = bench.obey("--placeholders", "on" if named else "off", ranks=ranks)
    for number in (1, 2, 3, 4):
        simulation.does("file")
        simulation.does(f"read {number}")
        host.wait_for_line(f"snapshot {number}")  # which is saved by then, and may go
    if named:
        # The server says so in its place, soon after.
        host.wait_until(lambda: "has left the memory that ParaView lends" in h5dump("-A", older), "word of it")
    simulation.fails("read 1")
    simulation.wait_to_say("sim.1.h5 has left the memory that ParaView lends" if named else
                           "sim.1.h5 has left the DSM server's ring", LIMIT)
    simulation.does("read 4")
    # What has come there since, such as a saved snapshot, is the file.
    older.unlink()
    shutil.copy(bench.saved / older.name, older)
    simulation.does("read 1")
    simulation.ends()


def test_lost_server(bench):
    """Whoever asks for a file that was lost with its server is told so, also when there is another server."""
    host = bench.serve()
    simulation = bench.obey()
    simulation.does("file")
    host.wait_for_line("snapshot 1")
    killed(bench, host)
    # Its memory outlives the server by a moment: until the loss is known, what is read is whole.
    end = time.monotonic() + LIMIT
    while simulation.tell("read 1")[0]:
        assert time.monotonic() < end, simulation.text
        time.sleep(0.05)
    assert "lost the server of" in simulation.text or "is only in the memory of a server, and that is lost" in \
        simulation.text, simulation.text
    simulation.does("file")
    assert "DATASET" in h5dump("-A", bench.folder / "sim.2.h5")
    simulation.ends()
    bench.serve()
    later = bench.obey()
    later.fails("read 1")
    later.wait_to_say("there is another server now", LIMIT)
    later.does("file")
    later.does("read 1")
    assert later.ends() == 4


@pytest.mark.parametrize("how", ["stopped", "saved here", "renamed"])
def test_ended_server(bench, how):
    """A server that ends says so in the place of each file that it had, also when their writers have ended before; what
    it has saved under their names stands there instead. One that is renamed it does not find: that is an error, too."""
    if how == "saved here":
        bench.saved = bench.folder
    host = bench.serve(DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    simulation = bench.obey()
    for number in (1, 2):
        simulation.does("file")
        host.wait_for_line(f"snapshot {number}")
    simulation.does("begin")
    simulation.does("write 700")
    for rank in processes("dsmObedient", bench.folder):
        os.kill(rank, signal.SIGKILL)
    simulation.status()
    first, second, third = (bench.folder / f"sim.{number}.h5" for number in (1, 2, 3))
    host.wait_until(lambda: "ended before it had closed it" in h5dump("-A", third), "word of the program's end")
    if how == "renamed":
        first.rename(bench.folder / "kept")
    host.process.terminate()
    host.status()
    alone = bench.written_alone("file", "file")
    if how == "saved here":
        assert {name: file for name, file in bench.on_disk().items() if name in alone} == alone
        return
    assert "the server that had it has ended" in h5dump("-A", second)
    if how == "renamed":
        first.symlink_to("kept")
        assert "in memory that ParaView lends" in h5dump("-A", first)
    bench.serve()
    later = bench.obey()
    for name, why in (("1", "at .*there is another server now" if how == "renamed" else "server that had it has ended"),
                      ("2", "server that had it has ended"), ("3", "ended before it had closed it")):
        later.fails(f"read {name}")
        later.wait_until(lambda why=why: re.search(why, later.text.replace("\n", " ")), f"word of '{why}'", LIMIT)
    # A name whose file is no more can be written and removed.
    later.does("file")
    later.does("read 1")
    second.unlink()
    later.does("file")
    later.does("read 2")


def test_lost_in_a_file(bench):
    """The ranks write the file to disk, in the place of its placeholder."""
    alone = bench.written_alone("begin", "write 64", "close")
    host = bench.serve()
    simulation = bench.obey()
    simulation.does("begin")
    simulation.does("write 64")
    killed(bench, host)
    simulation.does("close")
    simulation.does("read 1")
    assert simulation.ends() == 0
    assert bench.on_disk() == alone


def test_read_without_asking(bench):
    """Who is connected to a server opens its files by what their placeholders say, and does not wait for the server,
    which keeps them all the same once it hears of it."""
    bench.serve("--maximum-snapshots", 2)
    simulation = bench.obey()
    reader = bench.obey(ranks=2)
    simulation.does("file")
    simulation.does("file")
    reader.does("read 1")
    with stopped(bench):
        reader.does("open 2", within=2)
        reader.does("check")
    for _ in range(6):
        simulation.does("file")
    reader.does("check")
    simulation.fails("read 1")
    assert simulation.ends() == 4
    assert reader.ends() == 0


def test_flushed(bench):
    """A file that stays open is what its last flush has shown."""
    bench.serve()
    writer = bench.obey("--publish", "flush")
    reader = bench.obey(ranks=1)
    writer.does("begin")
    writer.does("write 4")
    writer.does("flush")
    reader.does("open 1")
    reader.does("check")
    writer.does("close")
    assert writer.ends() == 0
    assert reader.ends() == 0


def test_folder_that_takes_none(bench):
    """One message, and the files are in memory all the same: who looks for them asks the server."""
    bench.serve()
    command = [BIN / "dsm-run", "--contact", bench.contact, BIN / "dsmObedient", "serial", "/sys/sim"]
    done = subprocess.run([str(word) for word in command], input="file\nread 1\nfile\nread 2\nread 1\n", env=environ(),
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("/sys/sim.1.h5 is in memory all the same, and its name is not on disk") == 1
    assert done.stderr.count("dsm warning") == 2, done.stderr  # its two lines


NEW = """
import sys, h5py
try:
    h5py.File(sys.argv[1], "w")
except OSError as error:
    print(error.errno)
"""


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_no_file(bench):
    """A pipe stays one, as /dev/null does, and a folder that is not there takes no file: HDF5 says of them what it says
    without us."""
    bench.serve()
    pipe = bench.folder / "pipe"
    os.mkfifo(pipe)
    for name in (pipe, bench.folder / "no folder" / "x.h5", pipe / "x.h5"):
        program = [sys.executable, "-c", NEW, name]
        alone = subprocess.run(program, capture_output=True, text=True, timeout=LIMIT, check=True)
        job = bench.start(BIN / "dsm-run", "--contact", bench.contact, *program)
        assert job.status() == 0, job.text
        assert int(alone.stdout) > 0 and job.text == alone.stdout
    assert pipe.is_fifo()


def test_without(bench):
    """Nothing is on disk, and the server is asked for names."""
    bench.serve()
    simulation = bench.obey("--placeholders", "off")
    reader = bench.obey("--placeholders", "off", ranks=1)
    simulation.does("file")
    reader.does("open 1")
    reader.does("check")
    assert not bench.on_disk()
    assert simulation.ends() == 0
    assert reader.ends() == 0


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
@pytest.mark.parametrize("mode", ["r+"])
def test_a_file_that_is_not_kept_leaves_the_one_before(bench, mode):
    """The ring is full of what nobody has read, and drops what is new: under the name, the older file stays."""
    program = f"""
import h5py, numpy, os
def write(name, value, mode="w"):
    with h5py.File(name, mode) as file:
        if "x" in file: del file["x"]
        file["x"] = numpy.full(400000, float(value))
write("{bench.folder}/a.h5", 1)
write("{bench.folder}/b.h5", 1)
write("{bench.folder}/a.h5", 2, "{mode}")
print(os.path.exists("{bench.folder}/b.h5"), h5py.File("{bench.folder}/a.h5", "r")["x"][-1])
"""
    for _ in range(10):
        host = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "8 MiB", "--when-full",
                           "drop newest", "--limit", LIMIT)
        host.wait_for_line("ready")
        done = subprocess.run([str(BIN / "dsm-run"), "--contact", str(bench.contact), "python3", "-c", program],
                              env=environ(), capture_output=True, text=True, timeout=LIMIT, check=False)
        host.process.send_signal(signal.SIGTERM)
        assert host.status() == 0, host.text
        for file in bench.folder.glob("?.h5"):
            file.unlink()
        if not done.stdout.endswith(" 2.0\n"):
            break  # else this server had the time to read the first file, so that could go
    assert done.stdout == "True 1.0\n", done.stdout + done.stderr + host.text


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_file_that_is_not_kept_is_locked_until_its_name_says_so(bench):
    """A full ring drops the first version of a file. Its close is held just before the name says that."""
    write = """
import h5py, sys
with h5py.File(sys.argv[1], sys.argv[2]) as file:
    if sys.argv[2] == "w":
        file["x"] = 1
print("closed", flush=True)
"""
    hold = bench.folder / "hold"
    reached = bench.folder / "hold.reached"
    file = bench.folder / "new.h5"

    def program(name, mode, **variables):
        return bench.start(BIN / "dsm-run", "--contact", bench.contact, sys.executable, "-c", write, name, mode,
                           **variables)

    def held():
        hold.touch()
        reached.unlink(missing_ok=True)
        job = program(file, "w", DSM_TEST_HOLD=f"0:closing without a snapshot:{hold}")
        job.wait_for_file(reached)
        assert "unable to lock" in program(file, "w").wait(expect=1)
        return job

    host = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "8 MiB", "--when-full",
                       "drop newest", "--maximum-snapshots", 2, "--for-viewer", "--limit", LIMIT)
    host.wait_for_line("ready")
    program(bench.folder / "kept.h5", "w").wait()
    job = held()
    hold.unlink()
    job.wait()
    assert "has left the memory" in program(file, "r").wait(expect=1)
    program(file, "w").wait()
    job = held()
    job.process.kill()
    host.wait_for_line("trouble")
    assert "ended before" in program(file, "r").wait(expect=1)
    program(file, "w").wait()
    assert "has left the memory" in program(file, "r").wait(expect=1)

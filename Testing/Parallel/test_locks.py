# SPDX-License-Identifier: BSD-3-Clause
"""Programs that open the same file at once, and names that were removed: as HDF5 and a file system have it on disk
(Documentation/Names.md). Most programs run on disk first, which shows that the right value is right."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from processes import Job
from test_dsm_run import BIN, LIMIT, MPIEXEC

APPENDER = """
import h5py, random, sys, time
me = sys.argv[1]
for step in range(int(sys.argv[2])):
    while True:
        try:
            with h5py.File("out.h5", "a") as file:
                file.create_group(f"{me}.{step}")
            break
        except OSError:
            time.sleep(random.random() * .01)
"""
# A counter that each open reads and adds to: what is lost is seen although no name is.
COUNTER = """
import h5py, random, sys, time
for step in range(int(sys.argv[2])):
    while True:
        try:
            with h5py.File("out.h5", "a") as file:
                file.attrs["count"] = int(file.attrs.get("count", 0)) + 1
            break
        except OSError:
            time.sleep(random.random() * .01)
"""
# Holds a file open until its input ends; says what came of it.
HOLDER = """
import h5py, os, sys
try:
    with h5py.File(sys.argv[1], sys.argv[2]) as file:
        if sys.argv[2] != "r":
            file.attrs["by"] = sys.argv[3]
        print("open", flush=True)
        sys.stdin.read()
    print("closed", flush=True)
except OSError as error:
    print(type(error).__name__, "errno = 11" in str(error) or error.errno == 11, flush=True)
"""
NAMES = """
import h5py, os
for away in (lambda: os.remove("a.h5"), lambda: os.rename("a.h5", "b.h5")):
    for mode in ("x", "a"):
        with h5py.File("a.h5", "w") as file:
            file["old"] = 1
        away()
        with h5py.File("a.h5", mode) as file:
            print(mode, list(file))
        try:
            h5py.File("a.h5", "x")
        except FileExistsError:
            os.remove("a.h5")
"""
# One process opens a file again, in each way that HDF5 has a word for.
ONE_PROCESS = """
import h5py
def attempt(mode):
    try:
        h5py.File("a.h5", mode).close()
        print(mode, "works")
    except OSError:
        print(mode, "fails")
for held in ("w", "r"):
    with h5py.File("a.h5", held):
        for mode in ("w", "x", "r+"):
            attempt(mode)
"""
LOOK = """
import h5py, sys
for name in sys.argv[1:]:
    try:
        with h5py.File(name, "r") as file:
            print(sorted(file), sorted((key, file.attrs[key]) for key in file.attrs))
    except OSError as error:
        print(type(error).__name__)
"""


class Programs:
    """A folder, and programs that write into it: behind dsm-run if there is a server."""

    def __init__(self, folder):
        self.folder = folder
        self.jobs = []
        self.prefix = []

    def serve(self, *options):
        contact = self.folder / "run.dsm"
        server = self.job([BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "64 MiB", *options])
        server.wait_for_line("ready")
        self.prefix = [BIN / "dsm-run", "--contact", contact]
        return server

    def job(self, command, **more):
        self.jobs.append(Job(command, folder=self.folder, **more))
        return self.jobs[-1]

    def start(self, program, *words, environment=None, launcher=()):
        command = (*self.prefix, *launcher, sys.executable, "-c", program, *words)
        return subprocess.Popen([str(word) for word in command],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                cwd=self.folder, env={**os.environ, **(environment or {})})

    def says(self, program, *words, **more):
        process = self.start(program, *words, **more)
        output, _ = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, output
        return output

    def holds(self, name, mode, by="", **more):
        """A process that has the file open; None if it could not, which is the lock's error then."""
        process = self.start(HOLDER, name, mode, by, **more)
        line = process.stdout.readline()
        if line == "open\n":
            return process
        process.communicate(timeout=LIMIT)
        assert line == "BlockingIOError True\n" or (mode == "x" and line == "FileExistsError False\n"), line
        return None

    def end(self):
        for job in self.jobs:
            job.stop()


def close(process):
    output, _ = process.communicate("", timeout=LIMIT)
    assert output == "closed\n" and process.returncode == 0, output


@pytest.fixture(params=["disk", "memory", "also on disk", "without names"])
def programs(tmp_path, request):
    """On disk, and in memory in each way that names have there."""
    made = Programs(tmp_path)
    if request.param == "also on disk":
        made.serve("--also-on-disk", "all")
    elif request.param != "disk":
        made.serve()
    if request.param == "without names":
        made.prefix.append("--placeholders=off")
    yield made
    made.end()


@pytest.fixture
def served(tmp_path):
    made = Programs(tmp_path)
    made.serve()
    yield made
    made.end()


@pytest.mark.parametrize("program", [APPENDER, COUNTER], ids=["names", "counter"])
def test_appends_arrive(programs, program):
    """Four processes append at once, and each tries again when it is refused."""
    each = 15
    running = [programs.start(program, name, each) for name in "abcd"]
    for process in running:
        output, _ = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, output
    told = programs.says(LOOK, "out.h5")
    if program is APPENDER:
        assert told == f"{sorted(f'{name}.{step}' for name in 'abcd' for step in range(each))} []\n"
    else:
        assert str(4 * each) in told


@pytest.mark.parametrize("mode", ["w", "x"])
def test_one_of_several_creators_succeeds(programs, mode):
    writers = [programs.holds("out.h5", mode, by) for by in "abc"]
    assert [writer is not None for writer in writers] == [True, False, False]
    close(writers[0])
    assert programs.says(LOOK, "out.h5") == "[] [('by', 'a')]\n"


@pytest.mark.parametrize("mode", ["w", "r+"])
def test_a_file_has_one_writer(programs, mode):
    close(programs.holds("out.h5", "w", "first"))
    writer = programs.holds("out.h5", "r+", "second")
    assert programs.holds("out.h5", mode) is None
    close(writer)
    close(programs.holds("out.h5", mode, "third"))
    assert programs.says(LOOK, "out.h5") == "[] [('by', 'third')]\n"


def test_hdf5_turns_locking_off(programs):
    close(programs.holds("out.h5", "w", "first"))
    off = {"HDF5_USE_FILE_LOCKING": "FALSE"}
    writer = programs.holds("out.h5", "r+", "second", environment=off)
    other = programs.holds("out.h5", "r+", "third", environment=off)
    assert writer and other
    for process in (writer, other):
        process.communicate("", timeout=LIMIT)


def test_a_second_close_without_locks_loses_nothing_silently(served):
    close(served.holds("out.h5", "w", "first"))
    off = {"HDF5_USE_FILE_LOCKING": "FALSE"}
    one, other = (served.holds("out.h5", "r+", by, environment=off) for by in ("second", "third"))
    close(one)
    output, _ = other.communicate("", timeout=LIMIT)
    assert output != "closed\n", "the other one's change would be gone"
    assert served.says(LOOK, "out.h5") == "[] [('by', 'second')]\n"


def test_readers_see_the_last_version(served):
    """While a file has a writer: not so on disk, where a lock keeps them out."""
    close(served.holds("out.h5", "w", "first"))
    readers = [served.holds("out.h5", "r") for _ in range(2)]
    writer = served.holds("out.h5", "r+", "second")
    assert served.says(LOOK, "out.h5") == "[] [('by', 'first')]\n"
    close(writer)
    assert served.says(LOOK, "out.h5") == "[] [('by', 'second')]\n"
    for reader in readers:
        close(reader)


@pytest.mark.parametrize("mode", ["a", "r+", "w"])
@pytest.mark.parametrize("holds", ["r+", "r"])
def test_a_file_on_disk_that_another_program_has_open(served, mode, holds):
    """The other program is not behind dsm-run. h5py's "a" creates after each error, unless the driver is HDF5's own."""
    prefix, served.prefix = served.prefix, []
    close(served.holds("out.h5", "w", "first"))
    holder = served.holds("out.h5", holds, "second")
    assert served.holds("out.h5", mode, "third") is None
    served.prefix = prefix
    assert served.holds("out.h5", mode, "third") is None
    close(holder)
    close(served.holds("out.h5", mode, "third"))


def test_a_creation_of_a_locked_file_is_one_of_a_file_that_exists(programs):
    """Unless it follows an opening that the lock has refused."""
    holder = programs.holds("out.h5", "w", "first")
    for before in ("", "h5py.File('other.h5', 'w').close()\n"):
        told = programs.says(f"import h5py\n{before}"
                             "try:\n    h5py.File('out.h5', 'x')\nexcept OSError as error:\n    print(error.errno)")
        if "--placeholders=off" not in programs.prefix:
            assert told == "17\n"
    close(holder)


def test_a_file_that_is_being_made_is_locked(programs):
    writer = programs.holds("out.h5", "w", "first")
    told = programs.says(LOOK, "out.h5")
    if "--placeholders=off" not in programs.prefix:
        assert told == "BlockingIOError\n"
    close(writer)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_lock_ends_with_its_program(programs, how):
    close(programs.holds("out.h5", "w", "first"))
    writer = programs.holds("out.h5", "r+", "second")
    writer.send_signal(how)
    writer.wait(LIMIT)
    close(programs.holds("out.h5", "r+", "third"))


def test_a_lock_follows_a_renamed_file(programs):
    if "--placeholders=off" in programs.prefix:
        pytest.skip("there is no name on disk")
    writer = programs.holds("out.h5", "w", "first")
    os.rename(programs.folder / "out.h5", programs.folder / "renamed.h5")
    assert programs.holds("renamed.h5", "w") is None
    close(programs.holds("out.h5", "w", "second"))
    close(writer)
    assert programs.says(LOOK, "out.h5", "renamed.h5") == "[] [('by', 'second')]\n[] [('by', 'first')]\n"


def test_removed_names_are_free(programs):
    if "--placeholders=off" in programs.prefix:
        pytest.skip("there is no name on disk")
    assert programs.says(NAMES) == "x []\na []\n" * 2


def test_one_process_opens_a_file_again(programs):
    assert programs.says(ONE_PROCESS) == "w fails\nx fails\nr+ works\nw fails\nx fails\nr+ fails\n"


def test_a_file_goes_with_its_folder(programs):
    if "--placeholders=off" in programs.prefix:
        pytest.skip("there is no name on disk")
    for name in ("removed", "renamed"):
        (programs.folder / name).mkdir()
        close(programs.holds(f"{name}/out.h5", "w", name))
    shutil.rmtree(programs.folder / "removed")
    os.rename(programs.folder / "renamed", programs.folder / "new")
    told = programs.says(LOOK, "removed/out.h5", "renamed/out.h5", "new/out.h5")
    assert told == "FileNotFoundError\nFileNotFoundError\n[] [('by', 'renamed')]\n"


def test_a_program_on_disk_keeps_its_lock(served):
    """A file that another program has open on disk does not go to memory under its hands."""
    coupled, served.prefix = served.prefix, []
    writer = served.holds("out.h5", "w", "disk")
    served.prefix = coupled
    assert served.holds("out.h5", "w", "memory") is None
    close(writer)
    close(served.holds("out.h5", "w", "memory"))
    assert served.says(LOOK, "out.h5") == "[] [('by', 'memory')]\n"


PARALLEL = """
import sys
from mpi4py import MPI
import h5py
world = MPI.COMM_WORLD
try:
    file = h5py.File(sys.argv[1], sys.argv[2], driver="mpio", comm=world)
    told = "open"
except OSError as error:
    file, told = None, "locked" if "errno = 11" in str(error) or error.errno == 11 else str(error)
told = world.gather(told)
if world.rank == 0:
    print(*told, flush=True)
    sys.stdin.read()
world.barrier()
if file:
    file.close()
"""


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_a_parallel_job_has_one_lock(served):
    """All ranks have it, or none."""
    launcher = [*MPIEXEC, "-n", 3]
    first = served.start(PARALLEL, "out.h5", "w", launcher=launcher)
    assert first.stdout.readline() == "open open open\n"
    for mode in ("w", "r+"):
        assert served.says(PARALLEL, "out.h5", mode, launcher=launcher) == "locked locked locked\n"
    assert served.holds("out.h5", "w") is None
    first.communicate("", timeout=LIMIT)
    assert served.says(PARALLEL, "out.h5", "r+", launcher=launcher) == "open open open\n"

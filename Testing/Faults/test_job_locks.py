# SPDX-License-Identifier: BSD-3-Clause
"""A parallel job has one lock, and HDF5's switches for locks mean in memory what they mean on disk.

Documentation/Names.md states the differences."""

import os
import signal
import sys

import pytest

from conftest import BIN
from peers import processes
from test_also_on_disk import H5PY

OFF = {"HDF5_USE_FILE_LOCKING": "FALSE"}


def is_locked_out(job, command):
    """All ranks get HDF5's error of a lock."""
    job.fails(command)
    assert f"failed on {job.ranks} of {job.ranks} ranks, locked on {job.ranks}" in job.text


def job_of(bench, ranks, how="parallel", **environment):
    job = bench.obey(ranks=ranks, how=how, **environment)
    job.ranks = ranks
    return job


# ---- A parallel job.


@pytest.mark.parametrize("command", ["again 1", "begin"])
def test_a_parallel_job_has_one_lock(bench, command):
    """Another job is refused as a whole, and so is a single process. After the close the file begins as its newest
    version."""
    bench.serve(hosts=1)
    first, other, single = job_of(bench, 3), job_of(bench, 2), job_of(bench, 1, "serial")
    for step in ("begin", "write 4"):
        first.does(step)
    for job in (other, single):
        is_locked_out(job, command)
    first.does("close")
    for step in ("again 1", "write 4"):
        first.does(step)
    is_locked_out(other, "again 1")
    first.does("close")
    for step in ("again 1", "write 4"):
        other.does(step)
    for job in (first, single):
        is_locked_out(job, "again 1")
    for step in ("close", "open 1", "check 3"):
        other.does(step)


def test_a_single_process_keeps_a_parallel_job_out(bench):
    bench.serve(hosts=1)
    single, job = job_of(bench, 1, "serial"), job_of(bench, 3)
    for step in ("begin", "write 4"):
        single.does(step)
    is_locked_out(job, "again 1")
    single.does("close")
    for step in ("again 1", "write 4", "close", "open 1", "check 2"):
        job.does(step)


def test_a_killed_job_releases_its_lock(bench):
    bench.serve(hosts=1)
    first = job_of(bench, 3)
    ranks = processes("dsmObedient", bench.folder)
    other = job_of(bench, 2)
    for step in ("file", "again 1", "write 4"):
        first.does(step)
    is_locked_out(other, "again 1")
    for rank in ranks:
        os.kill(rank, signal.SIGKILL)
    assert first.status() != 0
    for step in ("again 1", "write 4", "close", "open 1", "check 2"):
        other.does(step)


@pytest.mark.parametrize(("variable", "refused"), [
    ("TRUE", True), ("1", True), ("BEST_EFFORT", True), ("FALSE", False), ("0", False)])
def test_switch_of_a_job(bench, variable, refused):
    """Rank 0's environment decides whether a job takes and needs the lock."""
    bench.serve(hosts=1)
    first = job_of(bench, 3)
    other = job_of(bench, 2, HDF5_USE_FILE_LOCKING=variable)
    for step in ("file", "again 1"):
        first.does(step)
    if refused:
        is_locked_out(other, "again 1")
    else:
        other.does("again 1")


def test_jobs_without_locks_lose_nothing_silently(bench):
    """The later close fails on all ranks, and what the other job has closed stays."""
    bench.serve(hosts=1)
    first, other = job_of(bench, 3, **OFF), job_of(bench, 2, **OFF)
    first.does("file")
    for job in (first, other):
        for step in ("again 1", "write 4"):
            job.does(step)
    first.does("close")
    other.does("write 4")
    other.fails("close")
    assert "failed on 2 of 2 ranks, locked on 0" in other.text
    for step in ("open 1", "check 2"):
        other.does(step)


# ---- HDF5's switches, as h5py has them.

# Opens a file as it is told and says what came of it. Then it closes the file, when its input ends.
OPENS = """
import h5py, os, sys
name, mode, libver, locking, by = sys.argv[1:]
locking = {"None": None, "True": True, "False": False}.get(locking, locking)
swmr = mode.startswith("swmr ")
mode = mode.removeprefix("swmr ")
more = {"swmr": True} if swmr and mode == "r" else {}
try:
    file = h5py.File(name, mode, libver=libver, locking=locking, **more)
except OSError as error:
    print("came locked" if "errno = 11" in str(error) or error.errno == 11 else "came refused", error, flush=True)
    sys.exit()
if swmr and mode != "r":
    file.swmr_mode = True
if mode != "r":
    file.attrs["by"] = by
print("came open", file.attrs.get("by"), flush=True)
sys.stdin.read()
file.close()
print("closed", flush=True)
"""


class Place:
    """A folder, on disk or in memory, and programs there that open one file."""

    def __init__(self, bench, in_memory):
        self.bench = bench
        self.in_memory = in_memory
        self.prefix = [BIN / "dsm-run", "--contact", bench.contact] if in_memory else []

    def opens(self, mode, libver="earliest", locking=None, by="nobody", **environment):
        """Returns a word for the outcome, and the program. Its `by` says who wrote the version that it sees."""
        job = self.bench.start(*self.prefix, sys.executable, "-c", OPENS, self.bench.folder / "out.h5", mode, libver,
                               locking, by, **environment)
        word, job.by = job.wait_for_line("came ").split()[1:3]
        return word, job

    def makes(self, libver="earliest"):
        word, job = self.opens("w", libver, by="first")
        assert word == "open"
        assert closes(job)


def closes(job):
    """Returns whether the close succeeds."""
    job.process.stdin.close()
    return job.status() == 0 and "closed\n" in job.text


@pytest.fixture(params=["disk", "memory"])
def place(bench, request):
    """Runs each test on disk as well, which shows that the expected value is right."""
    in_memory = request.param == "memory"
    if in_memory:
        bench.serve(hosts=1)
    return Place(bench, in_memory)


SWITCHES = [
    # Both programs have this variable and this switch in the access list. The last value says: the second is refused.
    (None, None, True),
    ("TRUE", None, True),
    ("BEST_EFFORT", None, True),
    ("FALSE", None, False),
    ("1", False, True),
    ("0", True, False),
    ("TRUE", False, True),
    ("BEST_EFFORT", False, True),
    ("FALSE", True, False),
    ("FALSE", "best-effort", False),
    (None, True, True),
    (None, "best-effort", True),
    (None, False, False),
]


@H5PY
@pytest.mark.parametrize(("variable", "switch", "refused"), SWITCHES)
def test_switches(place, variable, switch, refused):
    """A second program opens the file for writing."""
    environment = {"HDF5_USE_FILE_LOCKING": variable} if variable else {}
    place.makes()
    first, writer = place.opens("r+", locking=switch, by="second", **environment)
    second, _ = place.opens("r+", locking=switch, by="third", **environment)
    assert (first, second) == ("open", "locked" if refused else "open")
    assert closes(writer)


@H5PY
@pytest.mark.parametrize(("one", "other"), [(True, False), (False, True)])
def test_a_lock_is_between_two(place, one, other):
    """If either program has turned locks off, nobody is refused."""
    place.makes()
    words = [place.opens("r+", locking=switch)[0] for switch in (one, other)]
    assert words == ["open", "open"]


@H5PY
@pytest.mark.parametrize("switch", [None, True, "best-effort", False])
def test_readers_need_no_lock_in_memory(place, switch):
    """Documentation/Names.md has the difference: on disk a reader and a writer keep each other out."""
    place.makes()
    _, writer = place.opens("r+", locking=switch, by="second")
    apart = place.in_memory or switch is False
    word, reader = place.opens("r", locking=switch)
    assert word == ("open" if apart else "locked")
    assert closes(writer)
    if word == "open":
        assert closes(reader)
    if place.in_memory:
        assert reader.by == "first"
    word, reader = place.opens("r", locking=switch)
    assert (word, reader.by) == ("open", "second")
    assert place.opens("r+", locking=switch)[0] == ("open" if apart else "locked")


# ---- SWMR: HDF5 gives the lock back when it begins, and the file's own flags say who may open it.


def is_replaced(place, writer, mode):
    """Documentation/Names.md has the difference: with locks off, the file's flags keep nobody out in memory. The
    writer that closes later hears of it."""
    word, other = place.opens(mode, "latest", by="third", **OFF)
    assert word == "open"
    assert closes(other)
    assert not closes(writer)
    word, reader = place.opens("r", "latest", **OFF)
    assert (word, reader.by) == ("open", "third")


@H5PY
@pytest.mark.parametrize("mode", ["r+", "swmr r+"])
@pytest.mark.parametrize("variable", ["TRUE", "BEST_EFFORT", "FALSE"])
def test_a_swmr_writer_is_alone(place, mode, variable):
    environment = {"HDF5_USE_FILE_LOCKING": variable}
    place.makes("latest")
    word, writer = place.opens("swmr r+", "latest", by="second", **environment)
    assert word == "open"
    if place.in_memory and environment == OFF:
        is_replaced(place, writer, mode)
        return
    assert place.opens(mode, "latest", by="third", **environment)[0] in ("refused", "locked")
    assert closes(writer)
    word, writer = place.opens(mode, "latest", by="third", **environment)
    assert word == "open"
    assert closes(writer)


@H5PY
@pytest.mark.parametrize("mode", ["w", "swmr w"])
def test_a_writer_that_makes_a_file_is_alone(place, mode):
    """It is alone as well, like any other writer."""
    _, writer = place.opens(mode, "latest", by="first")
    assert place.opens("r+", "latest", by="third")[0] in ("refused", "locked")
    assert closes(writer)
    assert place.opens("r+", "latest", by="third")[0] == "open"


@H5PY
@pytest.mark.parametrize("variable", ["TRUE", "BEST_EFFORT", "FALSE"])
def test_readers_of_a_swmr_writer(place, variable):
    """A SWMR reader may open the file. A plain one is refused on disk, and has the last version in memory."""
    environment = {"HDF5_USE_FILE_LOCKING": variable}
    place.makes("latest")
    _, writer = place.opens("swmr r+", "latest", by="second", **environment)
    assert place.opens("swmr r", "latest", **environment)[0] == "open"
    word, reader = place.opens("r", "latest", **environment)
    assert word == ("open" if place.in_memory else "refused")
    if place.in_memory:
        assert reader.by == "first"
    assert closes(writer)
    word, reader = place.opens("r", "latest", **environment)
    assert (word, reader.by) == ("open", "second")


@H5PY
@pytest.mark.parametrize("mode", ["r", "swmr r"])
def test_readers_of_a_file_that_a_swmr_writer_makes(place, mode):
    """There is no version before the close: Documentation/Names.md has EAGAIN for plain readers."""
    _, writer = place.opens("swmr w", "latest", by="first")
    without = "locked" if place.in_memory else "refused"
    assert place.opens(mode, "latest")[0] == ("open" if mode == "swmr r" else without)
    assert closes(writer)
    assert place.opens(mode, "latest")[0] == "open"


@H5PY
def test_flags_of_new_files(place):
    """Files of HDF5's newer format say themselves on disk that they are open, also if locks are off."""
    place.makes("latest")
    _, writer = place.opens("r+", "latest", by="second", **OFF)
    if place.in_memory:
        is_replaced(place, writer, "r+")
        return
    assert place.opens("r+", "latest", by="third", **OFF)[0] == "refused"
    assert closes(writer)

# SPDX-License-Identifier: BSD-3-Clause
"""The surroundings of a process: its cgroup's memory, a clock that is set, its limits, a machine without /proc, and a
second copy of our library."""

import contextlib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

import pytest

from conftest import BIN
from processes import LIMIT, environ, on_disk
from test_also_on_disk import stop, until
from test_house import GUEST, SOON, end, limited, run
from test_memory_faults import Actor

LIBRARIES = BIN.parent / "lib"
WROTE = "wrote 0 closed 0\n"


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """The network library of an MPI says nothing of its own about limits and /proc."""
    monkeypatch.setenv("UCX_LOG_LEVEL", "fatal")


def compiled(target, source, *flags):
    """Compiles a small C program or library."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    done = subprocess.run(["cc", "-o", target, "-x", "c", "-", *flags], input=source, capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    assert done.returncode == 0, done
    return target


# ---- A cgroup.


class Group:
    """A memory cgroup of version 1 or 2."""

    def __init__(self, limit):
        name = f"dsm-test-{os.getpid()}"
        for top, most, self.kills in (("memory", "memory.limit_in_bytes", "memory.oom_control"),
                                      (".", "memory.max", "memory.events")):
            self.folder = pathlib.Path("/sys/fs/cgroup", top, name)
            with contextlib.suppress(OSError):
                self.folder.mkdir()
                (self.folder / most).write_text(str(limit))
                return
            with contextlib.suppress(OSError):
                self.folder.rmdir()
        pytest.skip("no cgroup that limits memory can be made here")

    def inside(self):
        """Returns the words with which a command in the group begins."""
        return ["sh", "-c", f'echo $$ >{self.folder}/cgroup.procs && exec "$@"', "inside"]

    def killed(self):
        """Returns the number of processes that the system has ended for want of memory."""
        return int(re.search(r"^oom_kill (\d+)", (self.folder / self.kills).read_text(), re.MULTILINE)[1])

    def remove(self):
        def gone():
            with contextlib.suppress(OSError):
                self.folder.rmdir()
            return not self.folder.exists()

        until(gone, "the end of the cgroup's processes")


@pytest.fixture
def group():
    made = Group(64 << 20)
    yield made
    made.remove()


@pytest.fixture
def small_host(bench, group):
    """A server that lends more than its cgroup may have."""
    host = bench.start(*group.inside(), BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "1 GiB",
                       "--longest-wait", 1, "--limit", 3 * LIMIT)
    host.wait_for_line("ready")
    yield host
    host.stop()


def warnings(host):
    return [line for line in host.lines if line.startswith("dsm warning:")]


def outcomes_of(bench, lines, *before):
    """Tells an actor all at once, so that it does not wait for us. Returns its outcomes, and the actor."""
    program = bench.start(*before, BIN / "dsm-run", "--contact", bench.contact, BIN / "dsmActor")
    for line in lines:
        program.say(line)
    program.process.stdin.close()
    assert program.status(2 * LIMIT) == 0, program.text
    return re.findall(r"^\d+: (.*)", program.text, re.MULTILINE), program


@pytest.mark.parametrize("who", ["hosts", "job"])
def test_cgroup_evicts(bench, group, small_host, who):
    """Hosts that reach their cgroup's limit evict old snapshots for new files, and say so once. Nobody is killed, also
    if the program is in the same cgroup."""
    lines = []
    for number in range(400):
        name = bench.folder / f"new.{number}.h5"
        lines += [f"write {name} 131072 {number}", f"close {name}"]
    for number in (397, 399):
        name = f"{bench.contact}#{number + 1}"
        lines += [f"open {name}", f"check {name} {number}"]
    outcomes, program = outcomes_of(bench, lines, *(group.inside() if who == "job" else []))
    assert group.killed() == 0, small_host.text
    assert outcomes == ["did"] * len(lines), program.text
    assert Actor(bench).act("open", f"{bench.contact}#1").startswith("failed")
    assert "dsm warning:" not in program.text
    assert not any(on_disk(file) for file in bench.folder.glob("new.*.h5"))
    assert len(warnings(small_host)) == 1, small_host.text
    assert "gets less memory than it shares" in warnings(small_host)[0]


APPEND = """
import h5py, numpy, sys
with h5py.File(sys.argv[1], "w") as file:
    file["x"] = numpy.zeros(100000)
for number in range(150):
    with h5py.File(sys.argv[1], "r+") as file:
        file[f"y{number}"] = numpy.full(10000, number)
    with h5py.File(f"{sys.argv[1]}.{number}", "w") as file:
        file["x"] = numpy.full(200000, number)
with h5py.File(sys.argv[1]) as file:
    print(len(file), sum(file[f"y{number}"][9999] == number for number in range(150)))
"""


def test_cgroup_lets_files_grow(bench, group, small_host):
    """A file that is opened again for each append goes on, since old snapshots are evicted for it."""
    done = run(bench, sys.executable, "-c", APPEND, "grows.h5")
    assert (done.returncode, done.stdout) == (0, "151 150\n"), done
    assert group.killed() == 0
    assert len(warnings(small_host)) == 1, small_host.text


def test_cgroup_then_disk(bench, group, small_host):
    """New files go to disk when there is nothing to evict, with one warning, and with the right values. What is in
    memory stays there."""
    names = [bench.folder / f"held.{number}.h5" for number in range(24)]
    lines = []
    for number, name in enumerate(names):
        # Files that are open for reading are not evicted.
        lines += [f"write {name} 1000000 {number}", f"close {name}", f"open {name}", f"check {name} {number}"]
    outcomes, program = outcomes_of(bench, lines)
    assert group.killed() == 0, small_host.text
    assert outcomes == ["did"] * len(lines), program.text
    # One line has the reason, and the other one says what becomes of the file.
    assert 1 <= program.text.count("dsm warning:") <= 2, program.text
    assert 0 < sum(map(on_disk, names)) < len(names)
    assert len(warnings(small_host)) == len(set(warnings(small_host))) <= 2, small_host.text


def test_cgroup_open_files(bench, group, small_host):
    """Files that are open together and need more than the cgroup has fail with the reason, or are on disk; the hosts
    are not killed. A program in the same cgroup might be: HDF5 needs memory of its own for each open file."""
    names = [bench.folder / f"open.{number}.h5" for number in range(30)]
    lines = [f"write {name} 250000 {number}" for number, name in enumerate(names)]
    lines += [f"close {name}" for name in names]
    outcomes, _ = outcomes_of(bench, lines)
    assert group.killed() == 0, small_host.text
    assert small_host.process.poll() is None
    assert outcomes[0] == "did" and len(outcomes) == len(lines)
    for outcome in outcomes:
        assert outcome == "did" or "of shared memory on this node" in outcome, outcome


# ---- A clock that is set.

CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The seconds that stand in the file DSM_TEST_CLOCK. */
static long Step(void)
{
  char text[32] = "";
  const char* name = getenv("DSM_TEST_CLOCK");
  const int file = name ? (int)syscall(SYS_open, name, 0) : -1;
  if (file < 0)
  {
    return 0;
  }
  syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  return atol(text);
}

int clock_gettime(clockid_t which, struct timespec* now)
{
  const int failed = (int)syscall(SYS_clock_gettime, which, now);
  if (!failed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
  {
    now->tv_sec += Step();
  }
  return failed;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone)
{
  struct timespec read;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &read);
  now->tv_sec = read.tv_sec;
  now->tv_usec = read.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* result)
{
  struct timespec read;
  clock_gettime(CLOCK_REALTIME, &read);
  if (result)
  {
    *result = read.tv_sec;
  }
  return read.tv_sec;
}
"""
HOURS = 3 * 3600


class Clock:
    """A clock that the processes have which are started with its environment."""

    def __init__(self, folder):
        self.now = folder / "clock"
        self.library = compiled(folder / "clock.so", CLOCK, "-shared", "-fPIC", "-w")
        self.environment = {"DSM_TEST_CLOCK": self.now}
        self.set(0)

    def set(self, seconds):
        new = self.now.with_suffix(".new")
        new.write_text(str(seconds))
        new.replace(self.now)

    def command(self):
        return ["env", f"LD_PRELOAD={self.library}"]

    def shows(self, seconds):
        """Returns whether processes see it so."""
        read = subprocess.run([*self.command(), "date", "+%s"], capture_output=True, text=True, timeout=LIMIT,
                              check=True, env=environ(**self.environment))
        return abs(int(read.stdout) - time.time() - seconds) < 60


@pytest.mark.parametrize("where", ["server", "program", "both"])
def test_clock_is_set(bench, where):
    """A clock that is set forward or back delays no file, and no file goes to disk."""
    clock = Clock(bench.folder)
    preload = clock.command() if where != "program" else []
    host = bench.start(*preload, BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "16 MiB",
                       "--limit", LIMIT, **clock.environment)
    host.wait_for_line("ready")
    program = bench.start(BIN / "dsm-run", "--contact", bench.contact, "--without-server", "fail",
                          *(clock.command() if where != "server" else []), BIN / "dsmActor", DSM_PEER_TIMEOUT=5,
                          **clock.environment)
    program.wait_for_line("ready")
    count = 0

    def do(*words):
        nonlocal count
        count += 1
        program.say(" ".join(map(str, words)))
        assert program.wait_for_line(f"{count}: ") == f"{count}: did", program.text

    number = 0
    for step in (0, HOURS, 0, -HOURS, 0, HOURS, -HOURS):
        # It is set before a file, and within one.
        for within in (False, True):
            number += 1
            name = bench.folder / f"out.{number}.h5"
            if not within:
                clock.set(step)
                assert clock.shows(step)
            do("write", name, 1000, number)
            if within:
                clock.set(-step)
                assert clock.shows(-step)
            do("more", name, 1000, number)
            do("close", name)
            do("open", name)
            do("check", name, number)
            do("close", name)
    program.process.stdin.close()
    assert program.status() == 0, program.text
    assert stop(host) == 0, host.text
    assert not any(on_disk(bench.folder / f"out.{one}.h5") for one in range(1, number + 1))
    assert host.text.count("snapshot ") == number, host.text
    assert "warning" not in program.text + host.text, program.text + host.text
    times = [float(seconds) for seconds in re.findall(r"(?:written in|blocked) ([-\d.e]+) s", host.text)]
    assert len(times) == 2 * number and all(0 <= seconds < SOON for seconds in times), host.text


# ---- Limits.


@pytest.mark.parametrize("mebibytes", [1, 2, 4, 8, 16, 24, 32, 38, 64])
def test_data_memory_of_dsm_run(bench, mebibytes):
    """It works, or one message names the limit."""
    host = bench.serve(hosts=1)
    done = run(bench, "true", preexec_fn=limited(resource.RLIMIT_DATA, mebibytes << 20))
    if done.returncode != 0:
        assert done.returncode in (1, 127), done
        assert len(done.stderr.splitlines()) == 1 and "(ulimit -d)" in done.stderr, done
    else:
        assert done.stderr == "", done
    assert host.process.poll() is None


@pytest.mark.parametrize("program", ["parallel", "serial"])
@pytest.mark.parametrize(("which", "option", "amount"), [
    ("data", "-d", 8 << 20), ("data", "-d", 12 << 20), ("data", "-d", 32 << 20), ("data", "-d", 50 << 20),
    ("as", "-v", 55_000_000), ("as", "-v", 150_000_000), ("as", "-v", 1 << 30)])
def test_limits_inside(bench, program, which, option, amount):
    """A program that has a limit of its own ends as without us. Its file is in memory, or one notice names the limit
    and the file is on disk."""
    host = bench.serve(hosts=1)
    words = [GUEST, "a.h5"] if program == "parallel" else ["h5mkgrp", "-v", "a.h5", "made"]
    limit = ["prlimit", f"--{which}={amount}"]
    (bench.folder / "alone").mkdir()
    alone = subprocess.run([*map(str, limit), *map(str, words)], capture_output=True, text=True, timeout=LIMIT,
                           check=False, cwd=bench.folder / "alone")
    if alone.returncode != 0:
        pytest.skip(f"the program itself needs more: {alone.stderr}")
    done = run(bench, *limit, *words)
    assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout), done
    if on_disk(bench.folder / "a.h5"):
        assert "goes to disk" in done.stderr and done.stderr.count(f"(ulimit {option})") == 1, done
        # One line has the reason, and the other one says what becomes of the file.
        assert done.stderr.count("dsm warning:") <= 2, done
    else:
        host.wait_to_say("a.h5", SOON)
        assert done.stderr == alone.stderr, done


@pytest.mark.parametrize("size", [2048, 4096, 6144, 8192])
@pytest.mark.parametrize("program", ["parallel", "serial"])
def test_file_size_limit(bench, program, size):
    """A program whose file fits its limit on disk ends as on disk, whatever we write beside it. One notice names the
    limit if we cannot do something for it."""
    host = bench.serve(hosts=1)
    words = ["h5mkgrp", "-v", "a.h5", "made"] if program == "serial" else [BIN / "dsmActor"]
    given = "" if program == "serial" else "write a.h5 10 1\nclose a.h5\nopen a.h5\ncheck a.h5 1\n"
    (bench.folder / "alone").mkdir()

    def outcome(folder, *before):
        return subprocess.run([*map(str, before), "prlimit", f"--fsize={size}", *map(str, words)],
                              input=given, capture_output=True, text=True, timeout=LIMIT, check=False, cwd=folder)

    alone = outcome(bench.folder / "alone")
    if alone.returncode != 0:
        pytest.skip(f"the program itself needs more: {alone}")
    done = outcome(bench.folder, BIN / "dsm-run", "--contact", bench.contact)
    assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout), done
    if not on_disk(bench.folder / "a.h5"):
        host.wait_to_say("a.h5", SOON)
    if done.stderr:
        # One line has the reason, and the other one says what becomes of the file.
        assert len(done.stderr.splitlines()) <= 2 and done.stderr.count("(ulimit -f)") == 1, done


# ---- No /proc.


WITHOUT_PROC = {
    "empty": "mount --make-private /proc && mount -t tmpfs tmpfs /proc",
    "unmounted": "umount --lazy /proc",
}


def without_proc(how):
    command = ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", f'{WITHOUT_PROC[how]} && exec "$@"',
               "sh"]
    done = subprocess.run([*command, "ls", "/proc"], capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode != 0:
        pytest.skip("/proc cannot be hidden here")
    assert done.stdout == ""
    return command


@pytest.mark.parametrize("program", ["parallel", "serial"])
@pytest.mark.parametrize("how", WITHOUT_PROC)
def test_program_without_proc(bench, how, program):
    """It is coupled, or one notice says what is missing and its file is on disk."""
    host = bench.serve(hosts=1, DSM_LOG="info")
    hidden = without_proc(how)
    words, said = ([GUEST, "a.h5"], WROTE) if program == "parallel" else (
        ["h5mkgrp", "-v", "a.h5", "made"], "h5mkgrp: created group 'made'\n")
    done = run(bench, *hidden, *words)
    assert (done.returncode, done.stdout) == (0, said), done
    if on_disk(bench.folder / "a.h5"):
        assert len(done.stderr.splitlines()) == 1, done
        assert "/proc is not mounted" in done.stderr and "goes to disk" in done.stderr, done
    else:
        assert done.stderr == "", done
        host.wait_to_say("a.h5", SOON)
        host.wait_to_say(") ended", SOON)
        assert "without disconnecting" not in host.text and "stopped responding" not in host.text


@pytest.mark.parametrize("how", WITHOUT_PROC)
def test_dsm_run_without_proc(bench, how):
    bench.serve(hosts=1)
    done = run(bench, *without_proc(how), BIN / "dsm-run", "--contact", bench.contact, GUEST, "a.h5")
    if done.returncode == 0:
        assert done.stdout == WROTE, done
    else:
        assert len(done.stderr.splitlines()) == 1, done
        assert "/proc is not mounted" in done.stderr and "mount it" in done.stderr, done
        assert done.stdout == "", done


# ---- Another copy of our library.

COPY = """
#include <H5FDdsm.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int Write(const char* name, hid_t access)
{
  const int values[10] = { 1, 2, 3 };
  const hsize_t count = 10;
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t set = H5Dcreate2(file, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const int written = H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(set);
  H5Sclose(space);
  return written < 0 || H5Fclose(file) < 0;
}

/* copy FILE HOW DRIVER: DRIVER says whether a second file names the driver of this copy. */
int main(int count, char** words)
{
  char second[4096];
  int failed = Write(words[1], H5P_DEFAULT);
  if (count > 3 && strcmp(words[3], "named") == 0)
  {
    MPI_Init(NULL, NULL);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    failed = H5Pset_fapl_dsm(access, MPI_COMM_SELF, MPI_INFO_NULL, NULL) < 0 || failed;
    snprintf(second, sizeof second, "%s.2", words[1]);
    failed = Write(second, access) || failed;
    H5Pclose(access);
    if (strcmp(words[2], "return") == 0)
    {
      MPI_Finalize();
    }
  }
  printf("failed %d\\n", failed);
  fflush(stdout);
  if (strcmp(words[2], "_exit") == 0)
  {
    _exit(failed);
  }
  return failed;
}
"""


def copied(folder, which):
    """The program, linked with the core beside the loader ("same") or with a copy of that ("other")."""
    flavour = os.environ["DSM_TEST_FLAVOUR"]
    core = LIBRARIES / f"libdsmcore-{flavour}.so"
    place = core.parent
    if which == "other":
        place = folder / "copy"
        place.mkdir()
        shutil.copy(core, place)
    compiler = shutil.which(f"h5pcc.{flavour}") or shutil.which("h5pcc")
    if not compiler:
        pytest.skip("there is no h5pcc")
    source = folder / "copy.c"
    source.write_text(COPY)
    header = pathlib.Path(__file__).parents[2] / "DSMCore" / "Driver"
    done = subprocess.run([compiler, "-shlib", source, "-o", folder / "program", f"-I{header}", "-Wl,--no-as-needed",
                           f"-L{place}", f"-ldsmcore-{flavour}", f"-Wl,-rpath,{place}"], cwd=folder,
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done
    return folder / "program"


@pytest.mark.parametrize("driver", ["default", "named"])
@pytest.mark.parametrize("how", ["return", "_exit"])
@pytest.mark.parametrize("which", ["same", "other"])
def test_second_copy(bench, which, how, driver):
    """A program that is linked with a core of its own, with status 0 and no file open: an end like any other."""
    host = bench.serve(hosts=1, DSM_LOG="info")
    done = run(bench, copied(bench.folder, which), "a.h5", how, driver)
    assert (done.returncode, done.stdout) == (0, "failed 0\n"), done
    host.wait_to_say("program (1 rank", SOON)

    def told(how):
        return re.findall(rf"^dsm info: program .* ({how})", host.text, re.MULTILINE)

    until(lambda: len(told("connected")) == len(told("ended|exited without disconnecting|stopped responding")),
          "the end of all connections")
    assert "without disconnecting" not in host.text and "stopped responding" not in host.text
    files = ["a.h5", "a.h5.2"] if driver == "named" else ["a.h5"]
    assert end(bench, host) == 0, host.text
    assert bench.snapshots() == files

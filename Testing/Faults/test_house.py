# SPDX-License-Identifier: BSD-3-Clause
"""A program's process is its own house: how it ends, its debuggers and other preloaded tools, its core dumps, its
descriptors, its files' names and modes are as without us."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys

import pytest

from conftest import BIN
from peers import signal_all, wait_until_gone
from processes import LIMIT, environ, on_disk
from test_lost_server import signalled

SOON = 20
GUEST = BIN / "dsmGuest"


def run(bench, *command, **options):
    """A command behind dsm-run, to its end."""
    return subprocess.run([str(word) for word in (BIN / "dsm-run", "--contact", bench.contact, *command)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False,
                          **{"env": environ(), "cwd": bench.folder, **options})


def write(bench, name, *words, **options):
    done = run(bench, GUEST, name, *words, **options)
    assert done.stdout == "wrote 0 closed 0\n", done
    return done


def end(bench, host):
    signalled(bench, signal.SIGTERM, [0])
    return host.status()


# ---- Ends.


@pytest.mark.parametrize("how", ["return", "_exit", "quick_exit", "unasked"])
def test_ends_in_order(bench, how):
    """Status 0, and no file is open: an end like any other."""
    host = bench.serve(hosts=1, DSM_LOG="info")
    assert write(bench, "a.h5", how).returncode == 0
    host.wait_to_say("dsmGuest (1 rank", SOON)
    host.wait_to_say(") ended", SOON)
    assert "without disconnecting" not in host.text and "stopped responding" not in host.text


@pytest.mark.parametrize("how", ["fail", "kill"])
def test_ends_otherwise(bench, how):
    host = bench.serve(hosts=1, DSM_LOG="info")
    write(bench, "a.h5", how)
    host.wait_to_say("exited without disconnecting", SOON)


# ---- Tools.


def test_preloaded_tool_of_its_own(bench, tmp_path):
    """A program that is started with another LD_PRELOAD is coupled, and has its tool."""
    other = tmp_path / "other.so"
    shutil.copy(os.environ["DSM_TEST_DEVICE"], other)
    host = bench.serve(hosts=1)
    script = f"grep -c {other.name} /proc/self/maps; exec {GUEST} $0"
    for name, command in (("env.h5", ["env", f"LD_PRELOAD={other}", "sh", "-c", script]),
                          ("sh.h5", ["sh", "-c", f"LD_PRELOAD={other} sh -c '{script}' $0"]),
                          ("spawn.h5", [sys.executable, "-c", f"import os, sys; os.waitpid(os.posix_spawn('/bin/sh', "
                                        f"['sh', '-c', '{script}', sys.argv[1]], "
                                        f"dict(os.environ, LD_PRELOAD='{other}')), 0)"])):
        done = run(bench, *command, name)
        assert re.fullmatch(r"[1-9]\d*\nwrote 0 closed 0\n", done.stdout), done
        host.wait_to_say(name, SOON)
        assert not on_disk(bench.folder / name)


def other_libraries(bench):
    """An environment with a libstdc++ that has no version and no symbol: no library of C++ loads with it."""
    folder = bench.folder / "other"
    folder.mkdir()
    shutil.copy(os.environ["DSM_TEST_DEVICE"], folder / "libstdc++.so.6")
    return environ(LD_LIBRARY_PATH=folder)


def check_unseen(bench, done, name):
    """One notice says what the dynamic linker says, and the file is on disk."""
    assert done.stdout == "wrote 0 closed 0\n", done
    assert len(done.stderr.splitlines()) == 1, done
    assert "no libdsmcore" in done.stderr and "unseen: " in done.stderr, done
    assert "libstdc++" in done.stderr or "CXX" in done.stderr, done
    assert on_disk(bench.folder / name)


def test_library_that_does_not_load(bench):
    bench.serve(hosts=1)
    other = other_libraries(bench)
    done = run(bench, "env", f"LD_LIBRARY_PATH={other['LD_LIBRARY_PATH']}", GUEST, "a.h5")
    check_unseen(bench, done, "a.h5")


def test_started_among_other_libraries(bench):
    """dsm-run starts with libraries that do not fit it, and hands their environment on unchanged."""
    host = bench.serve(hosts=1)
    other = other_libraries(bench)
    check_unseen(bench, run(bench, GUEST, "a.h5", env=other), "a.h5")
    done = run(bench, "env", "-u", "LD_LIBRARY_PATH", GUEST, "b.h5", env=other)
    assert (done.stdout, done.stderr) == ("wrote 0 closed 0\n", ""), done
    host.wait_to_say("b.h5", SOON)
    assert not on_disk(bench.folder / "b.h5")

    harmless = {**other, "LD_LIBRARY_PATH": "/nowhere"}
    expected = run(bench, "env", env=harmless).stdout
    assert "LD_LIBRARY_PATH=/nowhere\n" in expected
    assert run(bench, "env", env=other).stdout == expected.replace("/nowhere", other["LD_LIBRARY_PATH"])


@pytest.mark.parametrize("tool", ["archive", "describe", "invite", "mpmd", "serve", "steer"])
def test_tool_among_other_libraries(bench, tool):
    def said(env):
        return subprocess.run([BIN / f"dsm-{tool}", "--help"], capture_output=True, text=True, timeout=LIMIT,
                              check=False, env=env)

    done, expected = said(other_libraries(bench)), said(environ())
    assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, expected.stderr)
    assert f"dsm-{tool}" in done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["Address", "Thread"])
def test_sanitized(bench, kind):
    program = BIN / f"dsmGuest{kind}"
    if not program.exists():
        pytest.skip(f"the compiler has no {kind}Sanitizer")
    host = bench.serve(hosts=1)
    done = run(bench, *(["setarch", "--addr-no-randomize"] if kind == "Thread" else []), program, "a.h5",
               env=environ(ASAN_OPTIONS="detect_leaks=0"))
    assert (done.returncode, done.stdout) == (0, "wrote 0 closed 0\n"), done
    assert "Sanitizer" not in done.stderr, done
    host.wait_to_say("a.h5", SOON)


@pytest.mark.parametrize("how", ["attached", "started"])
def test_debugger(bench, how):
    if not shutil.which("gdb"):
        pytest.skip("there is no gdb")
    host = bench.serve(hosts=1)
    debugger = ["gdb", "-batch", "-nx", "-ex", "set debuginfod enabled off"]
    if how == "started":
        done = run(bench, *debugger, "-ex", "run", "--args", GUEST, "a.h5")
        assert "wrote 0 closed 0" in done.stdout, done
        assert "exited normally" in done.stdout, done
    else:
        program = bench.start(BIN / "dsm-run", "--contact", bench.contact, GUEST, bench.folder / "a.h5", "wait")
        program.wait_for_line("wrote 0 closed 0")
        done = subprocess.run([*debugger, "-p", str(program.process.pid), "-ex", "bt 3"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        if "ptrace: Operation not permitted" in done.stdout + done.stderr:
            pytest.skip("processes may not be traced here")
        assert re.search("^#0 ", done.stdout, re.MULTILINE), done
        program.process.stdin.close()
        assert program.status() == 0
    host.wait_to_say("a.h5", SOON)


# ---- Core dumps.


def dumped(process):
    """The mappings of a process that the kernel puts into a core, as (begin, end, name)."""
    found = []
    for line in pathlib.Path(f"/proc/{process}/smaps").read_text().splitlines():
        if begun := re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)", line):
            now = (int(begun[1], 16), int(begun[2], 16), begun[3], begun[4])
        elif line.startswith("VmFlags:") and "dd" not in line.split():
            found.append(now)
    return found


def test_core_dump(bench):
    """It has neither the hosts' memory, which is larger than any disk, nor the key to the server."""
    bench.serve(hosts=1)
    program = bench.start(BIN / "dsm-run", "--contact", bench.contact, GUEST, bench.folder / "a.h5", "wait")
    program.wait_for_line("wrote 0 closed 0")
    pid = program.process.pid
    mappings = dumped(pid)
    assert sum(last - first for first, last, _, _ in mappings) < 4 << 30, mappings
    key = json.loads(bench.contact.read_text())["ClientSecretKey"].encode()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for first, last, rights, name in mappings:
            if rights.startswith("r") and name not in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                memory.seek(first)
                assert key not in memory.read(last - first), name
    program.process.stdin.close()
    assert program.status() == 0


# ---- Descriptors and memory.


@pytest.mark.parametrize("how", ["closefrom", "loop"])
def test_closes_unknown_descriptors(bench, how):
    """As a program does that becomes a daemon: it goes on, and its files to memory."""
    host = bench.serve(hosts=1)
    done = run(bench, GUEST, bench.folder / "a.h5", how)
    assert (done.returncode, done.stdout) == (0, 2 * "wrote 0 closed 0\n"), done
    host.wait_to_say("a.h5.2", SOON)
    assert not on_disk(bench.folder / "a.h5.2")


@pytest.mark.parametrize("what", ["unreadable", "half"])
def test_unreadable_memory(bench, what):
    """H5Dwrite fails as on disk, where the system says EFAULT, and the file is closed."""
    host = bench.serve(hosts=1)
    alone = subprocess.run([GUEST, bench.folder / "disk.h5", what], capture_output=True, text=True, timeout=LIMIT,
                           check=False)
    done = run(bench, GUEST, bench.folder / "a.h5", what)
    assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout) == (1, "wrote -1 closed 0\n"), done
    assert "cannot be read: Bad address (14)" in done.stderr, done
    host.wait_to_say("a.h5", SOON)


def test_memory_of_a_device(bench):
    bench.serve(hosts=1)
    done = run(bench, GUEST, bench.folder / "a.h5", "device", os.environ["DSM_TEST_DEVICE"])
    assert done.stdout == "wrote -1 closed 0\n", done
    assert "It is memory of a CUDA device: copy it to the host first (cudaMemcpy)" in done.stderr, done


# ---- A program's own mistakes.


@pytest.mark.parametrize("kind", ["group", "dataset", "attribute", "datatype", "link"])
def test_ranks_create_different_objects(bench, kind):
    """HDF5 makes a damaged file of it: all ranks hear of that, and there is no snapshot."""
    host = bench.serve(hosts=1)
    simulation = bench.obey()
    for command in ("begin", "write 4", f"differ {kind}"):
        simulation.does(command)
    simulation.fails("close", within=SOON)
    assert "failed on 3 of 3 ranks" in simulation.text
    assert "the ranks have created different objects in" in simulation.text
    assert not (bench.folder / "sim.1.h5").exists()
    simulation.does("file")
    host.wait_to_say("sim.2.h5", SOON)
    assert bench.snapshots() == ["sim.2.h5"]


def test_different_objects_leave_the_newest_version(bench):
    """A file that was good before is as it was."""
    host = bench.serve(hosts=1)
    simulation = bench.obey()
    for command in ("file", "again 1", "write 4", "differ dataset"):
        simulation.does(command)
    simulation.fails("close", within=SOON)
    for command in ("open 1", "check 1", "shut", "file"):
        simulation.does(command)
    host.wait_to_say("sim.2.h5", SOON)
    assert bench.snapshots() == ["sim.1.h5", "sim.2.h5"]


# ---- Names.


@pytest.mark.parametrize("ends", [["also"], ["save"]])
def test_long_names(bench, ends):
    """Also those that leave no room for an ending."""
    host = bench.serve(*(["--also-on-disk", "all"] if ends == ["also"] else []), hosts=1)
    names = ["a" * (length - 3) + ".h5" for length in (240, 250, 251, 252, 253, 254, 255)]
    names += ["é" * 126 + ".h5", "b" * 252 + ".h5", "b" * 251 + "c.h"]
    for name in names:
        write(bench, bench.folder / name)
    assert end(bench, host) == 0, host.text
    folder = bench.folder if ends == ["also"] else bench.saved
    for name in names:
        assert on_disk(folder / name), name
        assert b"\x89HDF" in (folder / name).read_bytes()[:8]
    assert not list(folder.glob("*.part"))


def test_names_on_a_terminal(bench):
    """A file's name does not speak to the terminal."""
    host = bench.serve(hosts=1)
    write(bench, bench.folder / "new\nline\x1b[31m.h5")
    host.wait_to_say("new\\nline\\x1b[31m.h5", SOON)
    listed = subprocess.run([BIN / "dsm-archive", "--contact", bench.contact, "--list"], capture_output=True, text=True,
                            timeout=LIMIT, check=True)
    assert "new\\nline\\x1b[31m.h5" in listed.stdout
    assert "\x1b" not in listed.stdout + host.text


# ---- Who may read the files.


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def group():
    """Another group that this user may give files to."""
    mine = set(os.getgroups()) | ({1} if os.getuid() == 0 else set())
    others = mine - {os.getgid()}
    return min(others) if others else pytest.skip("this user has one group only")


def acl(*entries):
    """A POSIX access control list as the kernel has it, of (tag, rights, number)."""
    return b"\2\0\0\0" + b"".join(
        tag.to_bytes(2, "little") + rights.to_bytes(2, "little") + (number & 0xFFFFFFFF).to_bytes(4, "little")
        for tag, rights, number in entries)


LIST = acl((1, 6, -1), (2, 4, 12345), (4, 0, -1), (16, 4, -1), (32, 0, -1))


def protected(path, group):
    path.touch()
    os.chown(path, -1, group)
    path.chmod(0o640)
    try:
        os.setxattr(path, "system.posix_acl_access", LIST)
    except OSError:
        return False
    return True


def check(path, group, listed):
    assert path.stat().st_gid == group
    assert mode(path) == 0o640
    if listed:
        assert os.getxattr(path, "system.posix_acl_access") == LIST


@pytest.mark.parametrize("ends", ["also", "save", "rescue", "archive"])
def test_modes(bench, group, ends):
    """Those of the writer's file, wherever its copy is."""
    host = bench.serve(*(["--also-on-disk", "all"] if ends == "also" else []), hosts=1)
    private, shared = bench.folder / "private.h5", bench.folder / "shared.h5"
    listed = protected(shared, group)
    if ends == "rescue":
        bench.saved.rename(bench.folder / "aside")
        bench.saved.touch()
    write(bench, private, umask=0o077)
    write(bench, shared, umask=0o077)
    folder = bench.folder if ends == "also" else bench.saved
    if ends == "rescue":
        host.wait_to_say("is not saved", SOON)
        signal_all("dsm-serve", bench.contact, signal.SIGKILL)
        host.status()
        bench.saved.unlink()
        (bench.folder / "aside").rename(bench.saved)
        wait_until_gone("dsm-rescue", bench.contact, SOON)
    elif ends == "archive":
        folder = bench.folder / "archive"
        folder.mkdir()
        for number in (1, 2):
            subprocess.run([BIN / "dsm-archive", "--contact", bench.contact, "--number", str(number), "--to", folder],
                           timeout=LIMIT, check=True)
    else:
        assert end(bench, host) == 0, host.text
    assert on_disk(folder / private.name)
    assert mode(folder / private.name) == 0o600
    check(folder / shared.name, group, listed)


# ---- Limits.


def limited(which, amount):
    return lambda: resource.setrlimit(which, (amount, amount))


def test_limits_of_a_program(bench):
    """A file in memory may be longer than files on disk. Of address space, one message says that there is too little,
    and the files go to disk."""
    host = bench.serve(hosts=1)
    done = run(bench, GUEST, "a.h5", preexec_fn=limited(resource.RLIMIT_FSIZE, 8192))
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote 0 closed 0\n", ""), done
    host.wait_to_say("a.h5", SOON)
    done = run(bench, GUEST, "b.h5", preexec_fn=limited(resource.RLIMIT_AS, 3 << 30))
    assert done.stderr.count("(ulimit -v)") == 1, done
    assert on_disk(bench.folder / "b.h5")


@pytest.mark.parametrize("which", ["FSIZE", "DATA", "START", "AS"])
def test_limits_of_a_server(bench, which):
    limit = {"FSIZE": (resource.RLIMIT_FSIZE, 1 << 20, "(ulimit -f)"),
             "DATA": (resource.RLIMIT_DATA, 100 << 20, "(ulimit -d)"),
             "START": (resource.RLIMIT_DATA, 60 << 20, "(ulimit -d)"),
             "AS": (resource.RLIMIT_AS, 3 << 30, "(ulimit -v)")}[which]
    done = subprocess.run([BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "8 MiB"], timeout=LIMIT,
                          capture_output=True, text=True, check=False, preexec_fn=limited(*limit[:2]))
    assert done.returncode in ((127,) if which == "START" else (1, 2)), done
    assert limit[2] in done.stderr, done
    assert not bench.contact.exists()

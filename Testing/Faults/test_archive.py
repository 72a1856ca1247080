# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots that dsm-archive has the hosts put on disk, in every form, and files that it brings back."""

import ctypes
import io
import json
import mmap
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import h5py
import pytest

import test_renamed
from conftest import BIN, MPIEXEC, Obedient
from peers import signal_all
from processes import LIMIT, environ, on_disk
from test_also_on_disk import H5PY, stop
from test_faults import mounted

MIB = 1 << 20


def serve(bench, *options, hosts=2, memory="16 MiB", limit=LIMIT):
    host = bench.start(*MPIEXEC, "-n", hosts, BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host",
                       memory, "--limit", limit, *options)
    host.wait_for_line("ready")
    return host


def obey(bench, *commands, name=None, how="parallel", ranks=2):
    job = Obedient([BIN / "dsm-run", "--contact", bench.contact, "--timeout", 5, *MPIEXEC, "-n", ranks,
                    BIN / "dsmObedient", how, name or bench.folder / "sim"], environ(), talk=True)
    bench.jobs.append(job)
    job.wait_for_line("listening")
    for command in commands:
        job.does(command)
    return job


def archive(bench, *options, status=0):
    """dsm-archive's lines, without those that say how far it is, which come where that takes a while."""
    done = subprocess.run([str(word) for word in (BIN / "dsm-archive", "--contact", bench.contact, *options)],
                          env=environ(), capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    return [line for line in lines if not re.fullmatch(r"dsm-archive: .*: [\d.]+ \w+ of [\d.]+ \w+", line)]


def until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"waited {LIMIT} s for {what}"
        time.sleep(0.02)


def configuration(stub):
    """What the Subfiling driver finds beside a stub: the size of a stripe, and the subfiles in their order."""
    inode = stub.stat().st_ino
    text = (stub.parent / f"{stub.name}.subfile_{inode}.config").read_text()
    said = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    assert said["hdf5_file"] == str(stub) and said["subfile_dir"] == str(stub.parent)
    names = text.splitlines()[5:]
    count = int(said["subfile_count"])
    digits = len(str(count))
    assert names == [f"{stub.name}.subfile_{inode}_{number:0{digits}}_of_{count}" for number in range(1, count + 1)]
    return int(said["stripe_size"]), [stub.parent / name for name in names]


def joined(stub):
    """The file of a stub, by the definition of the Subfiling driver's stripes."""
    stripe, paths = configuration(stub)
    subfiles = [path.read_bytes() for path in paths]
    whole = b""
    for begin in range(0, max(map(len, subfiles)), stripe):
        for subfile in subfiles:
            whole += subfile[begin:begin + stripe]
    return whole


def names(folder):
    """Of the files there; but not which of them are one animation."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".series")


def series(path):
    """The times of the files of an animation."""
    said = json.loads(path.read_text())
    assert said["file-series-version"] == "1.0"
    return {step["name"]: step["time"] for step in said["files"]}


COMMANDS = ("begin", "write 600", "write 901", "close")
STRATEGIES = {"block cyclic": [], "random block": ["--seed", 7], "contiguous": [], "mask": []}


@pytest.mark.parametrize(("strategy", "hosts"), [*((strategy, 2) for strategy in STRATEGIES), ("block cyclic", 3)])
def test_forms(bench, strategy, hosts):
    """Each form is the file that the simulation would have written, byte by byte; subfiles of block cyclic have what
    their hosts have."""
    alone = bench.written_alone(*COMMANDS, ranks=2)["sim.1.h5"]
    serve(bench, "--strategy", strategy, "--block-size", "64 KiB", "--expected-file-size", len(alone),
          *STRATEGIES[strategy], hosts=hosts)
    obey(bench, *COMMANDS)
    to = bench.folder / "archive"
    to.mkdir()
    assert archive(bench, "--to", to) == [str(to / "sim.1.h5")]
    assert (to / "sim.1.h5").read_bytes() == alone
    assert names(to) == ["sim.1.h5"]
    subprocess.run(["h5diff", str(to / "sim.1.h5"), str(bench.folder / "alone" / "sim.1.h5")], check=True,
                   timeout=LIMIT)
    for form, factor in (("subfiles", 1), ("subfiles 2", 2), ("subfiles 9", 9)):
        stub = to / f"{factor}.h5"
        assert archive(bench, "--number", 1, "--to", stub, "--form", form) == [str(stub)]
        stripe, paths = configuration(stub)
        assert len(paths) == -(-hosts // factor)
        assert joined(stub) == alone
        if strategy == "block cyclic":
            assert stripe == factor * 65536
    # Whoever writes it again leaves nothing of the one before.
    before = names(to)
    archive(bench, "--to", to / "1.h5", "--form", "subfiles")
    assert len(names(to)) == len(before)
    assert joined(to / "1.h5") == alone


# The second host has a folder and a /dev/shm of its own, as on another machine.
ELSEWHERE = """
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] && exec "$@"
exec unshare --mount --propagation unchanged sh -c \
  'mount -t tmpfs tmpfs "$0" && mount -t tmpfs tmpfs /dev/shm && exec "$@"' "$0" "$@"
"""
# MPI's own shared memory would not be shared.
NO_NODE = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo", "UCX_TLS": "tcp,self",
           "MPIR_CVAR_NOLOCAL": "1"}


@pytest.mark.skipif(os.environ["DSM_TEST_FABRIC"] != "1", reason="there is no fabric, which reaches other machines")
def test_a_machine_without_the_folder(bench):
    """One process writes all, which is said once."""
    namespace = ["unshare", "--mount", "--propagation", "unchanged", "true"]
    if subprocess.run(namespace, check=False, capture_output=True).returncode != 0:
        pytest.skip("namespaces cannot be made here")
    if " shared:" in pathlib.Path("/proc/self/mountinfo").read_text():
        pytest.skip("what is mounted in a namespace would be mounted outside, too")
    alone = bench.written_alone("begin", "write 3000", "close", ranks=2)["sim.1.h5"]
    to = bench.folder / "archive"
    to.mkdir()
    host = bench.start(*MPIEXEC, "-n", 2, "sh", "-c", ELSEWHERE, to, BIN / "dsm-serve", "--contact", bench.contact,
                       "--memory-per-host", "16 MiB", "--transport", "fabric/tcp", "--limit", LIMIT, **NO_NODE)
    host.wait_for_line("ready")
    obey(bench, "begin", "write 3000", "close")
    archive(bench, "--to", to / "one.h5")
    assert (to / "one.h5").read_bytes() == alone
    archive(bench, "--to", to / "many.h5", "--form", "subfiles")
    assert joined(to / "many.h5") == alone
    assert not list(to.glob("*.part")), names(to)
    assert host.text.count("by host 0 alone") == 1, host.text


def cached(path):
    """How many bytes of a file the system has in its cache."""
    size = path.stat().st_size
    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = ctypes.c_void_p
    pages = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
    with open(path, "rb") as file:
        place = system.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(),
                            ctypes.c_long(0))
    assert system.mincore(ctypes.c_void_p(place), ctypes.c_size_t(size), pages) == 0
    system.munmap(ctypes.c_void_p(place), ctypes.c_size_t(size))
    return sum(page & 1 for page in pages) * mmap.PAGESIZE


@pytest.mark.parametrize("hosts", [1, 2])
def test_past_the_cache(bench, hosts):
    """What goes to a disk takes no memory for a copy of it, but for its end."""
    kind = subprocess.run(["stat", "--file-system", "--format", "%T", str(bench.folder)], check=True,
                          capture_output=True, text=True, timeout=LIMIT).stdout.strip()
    if kind in ("tmpfs", "overlayfs"):
        pytest.skip(f"{kind} is no disk")
    commands = ("begin", "write 3000", "close")
    alone = bench.written_alone(*commands, ranks=2)["sim.1.h5"]
    serve(bench, "--block-size", "1 MiB", hosts=hosts)
    obey(bench, *commands)
    files = bench.folder / "single.h5", bench.folder / "subfiles.h5"
    archive(bench, "--to", files[0])
    archive(bench, "--to", files[1], "--form", "subfiles")
    resident = [cached(files[0]), sum(map(cached, configuration(files[1])[1]))]
    assert all(found < MIB + 8192 < len(alone) / 2 for found in resident), resident
    assert files[0].read_bytes() == joined(files[1]) == alone


def test_orders(bench):
    """Those that are there, those that come, and the end of an order."""
    host = serve(bench)
    job = obey(bench, "file", "file", "file")
    until(lambda: len(archive(bench, "--list")) == 3, "three snapshots")
    for number, line in enumerate(archive(bench, "--list"), 1):
        assert re.fullmatch(rf"snapshot {number} {bench.folder}/sim\.{number}\.h5 [\d.]+ KiB", line)
    every, checkpoints = bench.folder / "every", bench.folder / "checkpoints"
    said = archive(bench, "--each", "every 2", "--to", every)
    order = int(re.match(r"order (\d+): every 2 from now on", said[0])[1])
    archive(bench, "--before-eviction", "*.3.h5:*.5.h5", "--to", checkpoints, "--form", "subfiles")
    until(lambda: every.exists() and names(every) == ["sim.1.h5", "sim.3.h5"], "those that were there")
    job.does("file")
    job.does("file")
    until(lambda: names(every) == ["sim.1.h5", "sim.3.h5", "sim.5.h5"], "those that came")
    until((checkpoints / "sim.5.h5").exists, "the checkpoint")
    until(lambda: len(series(every / "sim.h5.series")) == 3, "the series")
    assert series(every / "sim.h5.series") == {"sim.1.h5": 1, "sim.3.h5": 3, "sim.5.h5": 5}
    assert joined(checkpoints / "sim.3.h5") == (every / "sim.3.h5").read_bytes()
    # A file is there a moment before it is counted.
    until(lambda: f"order {order} every 2 in {every} as single: 3 written, 0 waiting" in archive(bench, "--list"),
          "three of them counted")
    until(lambda: any("*.3.h5:*.5.h5" in line and "2 written" in line for line in archive(bench, "--list")),
          "two checkpoints counted")
    assert archive(bench, "--end", order) == [f"order {order} has ended"]
    archive(bench, "--end", order, status=3)
    job.does("file")
    job.does("file")
    # The next writes what it waits for.
    waiting = subprocess.Popen([str(BIN / "dsm-archive"), "--contact", str(bench.contact), "--next", "--to",
                                str(bench.folder / "next.h5")], env=environ(), stdout=subprocess.PIPE, text=True)
    try:
        until(lambda: job.tell("file")[0] and (bench.folder / "next.h5").exists(), "the next")
        assert waiting.communicate(timeout=LIMIT)[0] == f"{bench.folder}/next.h5\n"
    finally:
        waiting.kill()
    assert names(every) == ["sim.1.h5", "sim.3.h5", "sim.5.h5"]
    assert job.ends() == 0, job.text
    assert any("finds no snapshot 99" in line for line in archive(bench, "--number", 99, status=3))
    assert any("is no form" in line for line in archive(bench, "--form", "many", status=1))
    host.process.send_signal(signal.SIGTERM)
    host.status()


def test_checkpoints_are_not_dropped(bench):
    """A ring of two snapshots: a checkpoint stays until it is on disk, however many files come."""
    host = serve(bench, "--maximum-snapshots", 2)
    job = obey(bench)
    archive(bench, "--before-eviction", "*.[147].h5", "--to", bench.folder / "kept")
    for _ in range(9):
        job.does("file")
    assert job.ends() == 0, job.text
    until(lambda: names(bench.folder / "kept") == ["sim.1.h5", "sim.4.h5", "sim.7.h5"], "the checkpoints")
    assert "had to leave" not in host.text


def test_full_disk(bench):
    """One message, and the run goes on; the file that was there stays."""
    folder = bench.folder / "small"
    with mounted(folder, "1m"):
        host = serve(bench)
        job = obey(bench, *COMMANDS)
        (folder / "sim.1.h5").write_text("old")
        for form in ("single", "subfiles"):
            said = archive(bench, "--to", folder, "--form", form, status=3)
            assert len(said) == 1 and re.search("it needs .*, and .* are free there: No space left", said[0]), said
            assert names(folder) == ["sim.1.h5"]
            assert (folder / "sim.1.h5").read_text() == "old"
        job.does("file")
        archive(bench, "--to", folder / "small.h5")
        assert job.ends() == 0, job.text
        assert sum("No space left" in line and not line.startswith("trouble") for line in host.text.splitlines()) == 2


@pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")
def test_virtual(bench):
    """The steps of a series as one file, with the time in front, also where the folder is moved; what does not fit is
    named."""
    write = """if True:
        import h5py, numpy
        for step in (2, 10, 1):
            with h5py.File(f"out.{step}.h5", "w") as file:
                file["a/u"] = numpy.full((3, 4), step) + numpy.arange(4)
                file["a/u"].attrs["unit"] = numpy.bytes_("m")
                file["n"] = step * 10
                file["grows"] = numpy.zeros(step)
                file["words"] = "text"
        """
    read = """if True:
        import h5py
        with h5py.File("all.h5") as file:
            assert file["time"][:].tolist() == [1, 2, 10]
            assert file["n"][:].tolist() == [10, 20, 100]
            assert file["a/u"].shape == (3, 3, 4) and file["a/u"].attrs["unit"] == b"m"
            assert file["a/u"][:, 2, :].tolist() == [[s, s + 1, s + 2, s + 3] for s in (1, 2, 10)]
            assert sorted(file) == ["a", "n", "time"]
        """
    folder = bench.folder / "run"
    folder.mkdir()

    def python(text, where):
        subprocess.run([sys.executable, "-c", text], cwd=where, env=environ(), check=True, timeout=LIMIT)

    python(write, folder)
    said = archive(bench, "--virtual", folder / "all.h5", *folder.glob("out.*.h5"))
    assert f"{folder}/all.h5 has 3 steps" in said
    assert [line for line in said if "left out" in line] == [
        f"dsm-archive: left out: /grows: it is of another shape or type in {folder}/out.2.h5",
        "dsm-archive: left out: /words: its values have no fixed size"]
    python(read, folder)
    moved = bench.folder / "moved"
    folder.rename(moved)
    python(read, moved)
    (moved / "all.h5").unlink()
    (moved / "out.h5.series").write_text(json.dumps({"file-series-version": "1.0", "files": [
        {"name": f"out.{step}.h5", "time": step} for step in (1, 2, 10)]}))
    archive(bench, "--virtual", moved / "all.h5", moved / "out.h5.series")
    python(read, moved)
    assert any("cannot be opened as an HDF5 file" in line
               for line in archive(bench, "--virtual", moved / "no.h5", moved / "out.h5.series", moved / "all.h5",
                                   status=1))
    assert not (moved / "no.h5").exists() and not (moved / "no.h5.part").exists()


@pytest.mark.parametrize("form", ["single", "subfiles"])
def test_killed_half_way(bench, form):
    """The old file or the new one, and no half file, whenever the hosts are killed."""
    commands = ("begin", "write 30000", "close")
    alone = bench.written_alone(*commands, ranks=2)["sim.1.h5"]
    to = bench.folder / "to"
    outcomes = set()
    for after in (0, 0.03, 0.1):
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir()
        stub = to / "sim.1.h5"
        stub.write_text("old")
        serve(bench, memory="100 MiB")
        job = obey(bench, *commands)
        asking = subprocess.Popen([str(BIN / "dsm-archive"), "--contact", str(bench.contact), "--to", str(to), "--form",
                                   form], env=environ(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(after)
        signal_all("dsm-serve", bench.contact, signal.SIGKILL)
        asking.kill()
        asking.wait()
        job.stop()
        bench.jobs.pop().stop()
        bench.jobs.pop().stop()
        if stub.stat().st_size == 3:
            assert stub.read_text() == "old"
            outcomes.add("old")
        else:
            assert (stub.read_bytes() if form == "single" else joined(stub)) == alone
            outcomes.add("new")
        assert not list(to.glob("*.part")), names(to)
        bench.contact.unlink(missing_ok=True)
    assert "old" in outcomes


@pytest.mark.parametrize("form", ["single", "subfiles"])
def test_file_per_process(bench, form):
    """A snapshot of several files, one of each process, is a folder of them, and brought back one snapshot again."""
    alone = bench.written_alone(*COMMANDS, ranks=3, how="each")
    serve(bench, "--block-size", "64 KiB", hosts=3)
    job = obey(bench, *COMMANDS, how="each", ranks=3)
    until(lambda: any("sim.1.p*.h5" in line for line in archive(bench, "--list")), "the snapshot")
    to = bench.folder / "to"
    assert archive(bench, "--to", to, "--form", form) == [str(to)]
    assert job.ends() == 0, job.text
    for name, content in alone.items():
        assert (joined(to / name) if form == "subfiles" else (to / name).read_bytes()) == content
    back = bench.folder / "back"
    back.mkdir()
    archive(bench, "--restore", *(to / name for name in alone), "--as", back)
    until(lambda: any(f"{back}/sim.1.p*.h5" in line for line in archive(bench, "--list")), "one snapshot")
    assert len([line for line in archive(bench, "--list") if str(back) in line]) == 1
    again = bench.folder / "again"
    archive(bench, "--file", f"{back}/*", "--to", again)
    assert {file.name: file.read_bytes() for file in again.iterdir()} == alone
    # In this folder's names, where the files are.
    archive(bench, "--restore", *(again / name for name in alone))
    until(lambda: any(f"{again}/sim.1.p*.h5" in line for line in archive(bench, "--list")), "one snapshot")
    said = archive(bench, "--restore", *(again / name for name in alone), "--as", bench.folder / "none", status=1)
    assert len(said) == 1 and "several files keep their names" in said[0], said


@H5PY
@pytest.mark.parametrize("form", ["single", "subfiles"])
def test_archived_files_have_their_names(bench, form):
    """Some are renamed before they are written, and some behind that; the series names those that are there."""
    safe = bench.folder / "safe"
    safe.mkdir()
    host = test_renamed.serve(bench)
    archive(bench, "--each", "all", "--to", safe, "--form", form)
    test_renamed.python(bench, test_renamed.SIX, bench.folder)
    expected = [f"a{step}.chk.h5" for step in range(6)]
    until(lambda: [name for name in names(safe) if ".subfile_" not in name] == expected, "the archive")
    for step, name in enumerate(expected):
        content = joined(safe / name) if form == "subfiles" else (safe / name).read_bytes()
        with h5py.File(io.BytesIO(content)) as file:
            assert file["x"][()] == step
    if form == "single":
        listed = [series(file) for file in safe.glob("*.series")]
        assert sorted(name for one in listed for name in one) == expected
    assert stop(host) == 0, host.text


@pytest.mark.parametrize("form", ["single", "subfiles"])
def test_restore(bench, form):
    """A file on disk is a snapshot again, of another server with other hosts; a program opens it by its name."""
    host = serve(bench, "--strategy", "random block", "--block-size", "64 KiB", hosts=3)
    job = obey(bench, *COMMANDS)
    saved = bench.folder / "saved.h5"
    archive(bench, "--to", saved, "--form", form)
    assert job.ends() == 0, job.text
    host.process.send_signal(signal.SIGTERM)
    host.status()
    (bench.folder / "sim.1.h5").unlink()
    serve(bench, hosts=2)
    said = archive(bench, "--restore", saved, "--as", bench.folder / "sim.1.h5")
    assert re.fullmatch(rf"snapshot 1 {bench.folder}/sim\.1\.h5 .*", said[0]), said
    again = bench.folder / "again.h5"
    archive(bench, "--to", again)
    alone = bench.written_alone(*COMMANDS, ranks=2)["sim.1.h5"]
    assert again.read_bytes() == alone
    # Only its placeholder is on disk.
    assert not on_disk(bench.folder / "sim.1.h5")
    reader = obey(bench, "read 1", "open 1", "check")
    assert reader.ends() == 0, reader.text
    # Where the file itself has the name, programs read it there.
    plain = bench.folder / "alone" / "sim.1.h5"
    before = plain.stat()
    assert archive(bench, "--restore", plain)[0].startswith(f"snapshot 2 {plain} ")
    assert (plain.stat().st_ino, plain.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert any("there is another file" in line for line in archive(bench, "--restore", saved, "--as", plain, status=1))
    empty = bench.folder / "empty.h5"
    empty.touch()
    assert any("is empty" in line for line in archive(bench, "--restore", empty, status=1))
    # HDF5 would not open these, and nobody would see why.
    text, placeholder = bench.folder / "notes.txt", bench.folder / "copy.h5"
    text.write_text("no HDF5" * 1000)
    shutil.copy(bench.folder / "sim.1.h5", placeholder)
    assert any("is no HDF5 file" in line for line in archive(bench, "--restore", text, status=1))
    assert any("is no file but a placeholder" in line for line in archive(bench, "--restore", placeholder, status=1))
    assert any("cannot read" in line for line in archive(bench, "--restore", bench.folder / "none.h5", status=1))

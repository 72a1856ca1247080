# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots that dsm-archive compresses, and divides into parts that a master shows as one file."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

from conftest import BIN, MPIEXEC
from peers import processes, signal_all, state, wait_until_stopped
from processes import LIMIT, environ
from test_archive import archive, names, obey, serve, until
from test_faults import mounted

CONTENTS = pathlib.Path(__file__).with_name("hdf5_contents.py")
COMPRESSED = ("--filter", "SHUF", "--filter", "GZIP=6")
NEEDS_H5PY = pytest.mark.skipif(os.environ["DSM_TEST_FLAVOUR"] != "openmpi", reason="h5py here is for Open MPI")


def contents(*words, status=0):
    done = subprocess.run([sys.executable, str(CONTENTS), *map(str, words)], capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    assert done.returncode == status and not done.stderr, done.stdout + done.stderr
    return done.stdout


def same_by_h5diff(one, other, *options):
    done = subprocess.run(["h5diff", *options, str(one), str(other)], capture_output=True, text=True, timeout=LIMIT,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def header(path):
    return subprocess.run(["h5dump", "-pH", str(path)], capture_output=True, text=True, timeout=LIMIT,
                          check=True).stdout


def parts_of(master):
    return sorted(master.parent.glob(f"{master.name}.part_*"))


def restored(bench, path):
    """The number of a file's snapshot."""
    (bench.folder / "in memory").mkdir(exist_ok=True)
    said = archive(bench, "--restore", path, "--as", bench.folder / "in memory" / path.name)
    return re.match(r"snapshot (\d+) ", said[-1])[1]


FORMS = [("single", COMPRESSED), ("virtual 1", ()), ("virtual 3", COMPRESSED), ("virtual 4", ())]


@NEEDS_H5PY
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_everything(bench, libver):
    """A file with everything that HDF5 has is the same in each form, also where its folder is moved."""
    folder = bench.folder / "100% of it"
    folder.mkdir()
    original = folder / "every thing.h5"
    contents("write", original, libver)
    serve(bench, memory="32 MiB")
    number = restored(bench, original)
    for form, options in FORMS:
        path = folder / f"{form}.h5"
        assert archive(bench, "--number", number, "--to", path, "--form", form, "--minimum", 1,
                       *options) == [str(path)]
        assert contents("compare", original, path) == ""
        same_by_h5diff(original, path)
        parts = int(form.split()[1]) if " " in form else 0
        assert len(parts_of(path)) == parts
        assert header(path).count("MAPPING 0") == (16 if parts else 1)
        assert 'COMMENT "a comment"' in header(path)
        for part in parts_of(path) or [path]:
            assert ("COMPRESSION DEFLATE { LEVEL 6 }" in header(part)) == bool(options)
            # What it had stays: these are copied as they are.
            assert "COMPRESSION DEFLATE { LEVEL 4 }" in header(part)
    moved = bench.folder / "moved"
    folder.rename(moved)
    assert contents("compare", moved / original.name, moved / "virtual 3.h5") == ""
    # The master alone has nothing of it.
    for part in parts_of(moved / "virtual 3.h5"):
        part.unlink()
    assert "z/deep/contiguous" in contents("compare", moved / original.name, moved / "virtual 3.h5", status=1)


@NEEDS_H5PY
def test_chunks_as_they_are(bench):
    """What has filters is not decompressed on the way: these chunks could not be."""
    original, to = bench.folder / "original.h5", bench.folder / "to.h5"
    write = """if True:
        import h5py, sys
        with h5py.File(sys.argv[1], "w") as file:
            made = file.create_dataset("u", (40, 10), "i4", chunks=(10, 10), maxshape=(None, 10), compression=6)
            for row in (0, 10, 30):
                made.id.write_direct_chunk((row, 0), b"no deflated bytes, those of row %d" % row)
        """
    read = """if True:
        import glob, h5py, sys
        for part in sorted(glob.glob(sys.argv[1] + ".part_*")):
            with h5py.File(part) as file:
                made = file["u"].id
                for number in range(made.get_num_chunks()):
                    start = made.get_chunk_info(number).chunk_offset
                    print(file["u"].shape[0], start[0], made.read_direct_chunk(start)[1].decode())
        """
    subprocess.run([sys.executable, "-c", write, str(original)], check=True, timeout=LIMIT)
    serve(bench)
    archive(bench, "--number", restored(bench, original), "--to", to, "--form", "virtual 2", "--minimum", 1,
            *COMPRESSED)
    said = subprocess.run([sys.executable, "-c", read, str(to)], check=True, timeout=LIMIT, capture_output=True,
                          text=True).stdout
    assert said.splitlines() == [f"20 {start} no deflated bytes, those of row {row}"
                                 for start, row in ((0, 0), (10, 10), (10, 30))]


@NEEDS_H5PY
def test_unlimited_in_another_dimension(bench):
    """HDF5 tells the places of such chunks as if their dimensions were in another order, some outside the dataset."""
    original = bench.folder / "original.h5"
    write = """if True:
        import h5py, numpy, sys
        with h5py.File(sys.argv[1], "w", libver="latest") as file:
            for name, shape, filters in (("few", (211, 1), None), ("many", (5, 9), None), ("packed", (5, 9), 4)):
                file.create_dataset(name, data=1 + numpy.arange(shape[0] * shape[1]).reshape(shape), dtype="i2",
                                    chunks=(2, 3) if shape[0] == 5 else (141, 7), maxshape=(shape[0], None),
                                    compression=filters)
        """
    subprocess.run([sys.executable, "-c", write, str(original)], check=True, timeout=LIMIT)
    serve(bench)
    number = restored(bench, original)
    for form, options in FORMS:
        to = bench.folder / f"{form}.h5"
        archive(bench, "--number", number, "--to", to, "--form", form, "--minimum", 1, *options)
        same_by_h5diff(original, to)


@NEEDS_H5PY
def test_comparison_finds_differences(tmp_path):
    """What the test above relies on."""
    contents("write", tmp_path / "one.h5")
    assert contents("self-test", tmp_path / "one.h5") == ""


def undefined(path):
    """The datasets of which HDF5 does not say what is where nothing was written."""
    said = re.split(r'^   DATASET "(.*)" \{$', header(path), flags=re.MULTILINE)
    return [f"/{name}" for name, text in zip(said[1::2], said[2::2], strict=True)
            if "FILL_TIME_NEVER" in text or "FILL_VALUE_UNDEFINED" in text]


def test_random_files(bench):
    """Those of dsm_selections: random shapes, types, chunks, filters, limits and fill values, written, extended and
    shrunk by several ranks."""
    cases = int(os.environ["DSM_TEST_CASES"])
    folder = bench.folder / "random"
    folder.mkdir()
    command = [*MPIEXEC, "-n", 3, BIN / "dsm_selections", 1, "--cases", cases, "--seed", 19, "--transport",
               "shared-memory", "--keep", "--folder", folder]
    yielding = {"OMPI_MCA_mpi_yield_when_idle": 1, "MPIR_CVAR_ENABLE_HEAVY_YIELD": 1}
    made = subprocess.run([str(word) for word in command], env=environ(OMPI_MCA_io="^ompio", **yielding),
                          capture_output=True, text=True, timeout=4 * LIMIT, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    files = sorted(folder.glob("disk.*.h5"))
    assert len(files) == cases
    serve(bench, hosts=1, memory="32 MiB", limit=LIMIT + 2 * cases)
    for count, path in enumerate(files):
        form, options = FORMS[count % len(FORMS)]
        to = folder / f"{path.stem}.repacked.h5"
        archive(bench, "--number", restored(bench, path), "--to", to, "--form", form, "--minimum", 1, *options)
        same_by_h5diff(path, to, *(f"--exclude-path={dataset}" for dataset in undefined(path)))


COMMANDS = ("begin", "write 600", "write 901", "close")


def test_as_written_alone(bench):
    """What a simulation writes, from the memory of several hosts, against its file on disk; the newest, one by its
    number, the next; where nothing is said, beside the contact file."""
    bench.written_alone(*COMMANDS, ranks=2)
    alone = bench.folder / "alone" / "sim.1.h5"
    serve(bench, "--block-size", "64 KiB", hosts=3)
    job = obey(bench, *COMMANDS)
    to = bench.folder / "to"
    to.mkdir()
    assert archive(bench, "--to", to, "--form", "virtual 2", *COMPRESSED) == [str(to / "sim.1.h5")]
    same_by_h5diff(alone, to / "sim.1.h5")
    assert len(names(to)) == 3
    assert any(line.endswith(" on disk") for line in archive(bench, "--list"))
    # In place of that: its parts are gone as well.
    first = parts_of(to / "sim.1.h5")
    archive(bench, "--number", 1, "--to", to, "--form", "virtual 2")
    assert len(names(to)) == 3 and not any(part.exists() for part in first)
    same_by_h5diff(alone, to / "sim.1.h5")
    archive(bench, "--file", "*sim.1.h5", "--to", to, *COMPRESSED)
    assert names(to) == ["sim.1.h5"]
    same_by_h5diff(alone, to / "sim.1.h5")
    assert (to / "sim.1.h5").stat().st_size < alone.stat().st_size / 2
    waiting = subprocess.Popen([str(BIN / "dsm-archive"), "--contact", str(bench.contact), "--next", *COMPRESSED],
                               env=environ(), stdout=subprocess.PIPE, text=True)
    try:
        until(lambda: job.tell("file")[0] and waiting.poll() is not None, "the next")
        path = pathlib.Path(waiting.communicate(timeout=LIMIT)[0].strip())
    finally:
        waiting.kill()
    assert path.parent == pathlib.Path(f"{bench.contact}.saved") and int(path.name.split(".")[1]) >= 2
    assert "COMPRESSION DEFLATE" not in header(path)  # it is small
    job.ends()


STEP = ("begin", "write 100", "write 2500", "close")


@pytest.mark.parametrize(("form", "options"), [("single", COMPRESSED), ("virtual 3", ()), ("virtual 2", COMPRESSED)])
def test_file_per_process(bench, form, options):
    """A snapshot of several files, one of each process: each becomes a file of that form, in one folder. They are
    brought back as one snapshot again, of the same files."""
    alone = set(bench.written_alone(*STEP * 2, ranks=3, how="each"))
    serve(bench, "--block-size", "64 KiB", hosts=2, memory="32 MiB")
    job = obey(bench, *STEP * 2, how="each", ranks=3)
    until(lambda: any("sim.2.p*.h5" in line for line in archive(bench, "--list")), "the snapshots")
    number = next(line.split()[1] for line in archive(bench, "--list") if "sim.1.p*.h5" in line)
    to = bench.folder / "to"
    assert archive(bench, "--number", number, "--to", to, "--form", form, *options) == [str(to)]
    listed = [line for line in archive(bench, "--list") if line.startswith(f"snapshot {number} ")]
    assert len(listed) == 1 and listed[0].endswith(" on disk"), listed
    files = [to / f"sim.1.p{rank}.h5" for rank in range(3)]
    parts = int(form.split()[1]) if " " in form else 0
    assert len(names(to)) == 3 * (1 + parts) and set(names(to)) >= {file.name for file in files}
    for file in files:
        same_by_h5diff(bench.folder / "alone" / file.name, file)
        assert len(parts_of(file)) == parts
        for part in parts_of(file) or [file]:
            assert ("COMPRESSION DEFLATE { LEVEL 6 }" in header(part)) == bool(options)
    # The newest, where nobody says a place.
    default = pathlib.Path(archive(bench, "--form", form, *options)[0])
    assert default.parent == pathlib.Path(f"{bench.contact}.saved") and default.is_dir()
    assert {path.name for path in default.iterdir()} >= {name for name in alone if name.startswith("sim.2.")}
    assert job.ends() == 0, job.text
    # Back in memory.
    back = bench.folder / "back"
    back.mkdir()
    said = archive(bench, "--restore", *files, "--as", back)
    assert [line.split()[2] for line in said] == [str(back / file.name) for file in files]
    until(lambda: any(f"{back}/sim.1.p*.h5" in line for line in archive(bench, "--list")), "one snapshot")
    listed = [line for line in archive(bench, "--list") if str(back) in line]
    assert len(listed) == 1, listed
    again = bench.folder / "again"
    archive(bench, "--file", f"{back}/*", "--to", again)
    for file in files:
        same_by_h5diff(bench.folder / "alone" / file.name, again / file.name)


@NEEDS_H5PY
def test_master_is_brought_back(bench):
    """As one file that has all its values, whatever becomes of its parts; and not where a part is missing."""
    original = bench.folder / "original.h5"
    contents("write", original, "latest")
    serve(bench, memory="32 MiB")
    master = bench.folder / "master.h5"
    archive(bench, "--number", restored(bench, original), "--to", master, "--form", "virtual 3", "--minimum", 1,
            *COMPRESSED)
    number = restored(bench, master)
    # What stands there needs no other file, and has its name on disk neither in the end nor before.
    for part in parts_of(master):
        part.rename(bench.folder / f"away {part.name}")
    to = bench.folder / "again.h5"
    archive(bench, "--number", number, "--to", to)
    assert contents("compare", original, to) == ""
    assert header(to).count("MAPPING 0") == 1
    said = archive(bench, "--restore", master, "--as", bench.folder / "other.h5", status=1)
    assert len(said) == 1 and re.search(r"master.h5 is not whole: its part .*master.h5.part_.* is not there", said[0])
    assert not (bench.folder / "other.h5").exists() and not list(bench.folder.glob("*.part"))
    for part in bench.folder.glob("away *"):
        part.rename(part.with_name(part.name.removeprefix("away ")))
    # Under its own name it stays where it is.
    assert archive(bench, "--restore", master)[0].split()[2] == str(master)
    assert len(parts_of(master)) == 3


def test_h5repack(bench):
    """HDF5's own reads a snapshot through the driver."""
    alone = bench.written_alone(*COMMANDS, ranks=2)
    assert alone
    serve(bench)
    obey(bench, *COMMANDS)
    to = bench.folder / "repacked.h5"
    subprocess.run([str(BIN / "dsm-run"), "--contact", str(bench.contact), "--match", "none", "h5repack",
                    "-f", "SHUF", "-f", "GZIP=6",
                    f"{bench.contact}#1", str(to)], env=environ(), check=True, timeout=LIMIT)
    same_by_h5diff(bench.folder / "alone" / "sim.1.h5", to)
    assert "COMPRESSION DEFLATE { LEVEL 6 }" in header(to)


BIG = ("begin", "write 20000", "close")


def start(bench, to, *options):
    command = [BIN / "dsm-archive", "--contact", bench.contact, "--number", 1, "--to", to, *options]
    return subprocess.Popen([str(word) for word in command], env=environ(), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def is_worker(process):
    try:
        return b"--repack-task" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False  # it has just ended


def workers(to):
    """The processes that write a file."""
    return [process for process in processes("dsm-archive-hdf5", to) if is_worker(process)]


def threads(process):
    return len(list(pathlib.Path(f"/proc/{process}/task").glob("*")))


def stop_workers(asked, to, connected=False):
    """Stops two processes that write a file, and returns them. With `connected`, a process is stopped once it has
    found the server, for which it has a thread. Each is stopped when it is seen, since it may be done before the other
    one has begun. Returns fewer if `asked`, which started them, has ended."""
    stopped = []

    def stop():
        for process in workers(to):
            if process not in stopped and not (connected and threads(process) < 2):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGSTOP)
                    stopped.append(process)
        return len(stopped) >= 2 or asked.poll() is not None

    until(stop, "processes")
    return stopped


def go_on(stopped):
    for process in stopped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


def test_kept_meanwhile(bench):
    """The simulation goes on, in a ring of two snapshots; what is written stays until it is."""
    bench.written_alone(*BIG, ranks=2)
    serve(bench, "--maximum-snapshots", 2, memory="100 MiB")
    job = obey(bench, *BIG)
    to = bench.folder / "kept.h5"
    asked = start(bench, to, "--form", "virtual 2", *COMPRESSED)
    try:
        stopped = stop_workers(asked, to)
        assert len(stopped) >= 2, "processes ended before they were stopped"
        for _ in range(4):
            job.does("file")
        go_on(stopped)
        assert asked.wait(LIMIT) == 0, asked.stdout.read()
    finally:
        asked.kill()
        asked.communicate()
    same_by_h5diff(bench.folder / "alone" / "sim.1.h5", to)


def test_killed_half_way(bench):
    """The old file stays, no half file is left, and no process."""
    serve(bench, memory="100 MiB")
    obey(bench, *BIG)
    to = bench.folder / "to"
    to.mkdir()
    (to / "old.h5").write_text("old")
    for whom in ("the tool", "a process of it", "the hosts"):
        asked = start(bench, to / "old.h5", "--form", "virtual 2", "--filter", "GZIP=9")
        try:
            stopped = stop_workers(asked, to, connected=True)
            if whom == "the tool":
                asked.kill()
                until(lambda: not workers(to), "the end of all processes")
            elif whom == "a process of it":
                wait_until_stopped(stopped)
                # On a busy machine one may have ended before it was stopped.
                os.kill(next(one for one in stopped if state(pathlib.Path(f"/proc/{one}")) in "Tt"), signal.SIGKILL)
            else:
                signal_all("dsm-serve", bench.contact, signal.SIGKILL)
            go_on(stopped)
            said = asked.communicate(timeout=LIMIT)[0]
        finally:
            asked.kill()
        assert asked.returncode != 0, f"{whom}: {said}"
        if whom == "a process of it":
            told = [line for line in said.splitlines() if " of " not in line]  # how far it is
            assert len(told) == 1 and told[0].endswith("has ended with signal 9"), said
            assert told[0].startswith(f"dsm-archive: {to}/old.h5 is not written: the process that wrote {to}/"), said
        until(lambda: not workers(to), "the end of all processes")
        assert names(to) == ["old.h5"], whom
        assert (to / "old.h5").read_text() == "old"


def test_full_disk(bench):
    """One message, and nothing is left, whether it is seen before or on the way."""
    folder = bench.folder / "small"
    with mounted(folder, "5m"):
        serve(bench)
        job = obey(bench, *COMMANDS)
        (folder / "sim.1.h5").write_text("old")
        for options in (COMPRESSED, ("--form", "virtual 2")):
            (folder / "other").write_bytes(b"x" * (3 << 20))
            said = archive(bench, "--to", folder, *options, status=1)
            assert len(said) == 1 and re.search("it needs .*, and .* are free there: No space left", said[0]), said
            assert names(folder) == ["other", "sim.1.h5"] and (folder / "sim.1.h5").read_text() == "old"
            (folder / "other").unlink()
        # Somebody else takes the room meanwhile; it may be that all is written by then.
        for _ in range(5):
            asked = start(bench, folder / "sim.1.h5", "--form", "virtual 2")
            try:
                stopped = stop_workers(asked, folder)
                with contextlib.suppress(OSError):  # some of the file may be there, and leaves it less room
                    (folder / "other").write_bytes(b"x" * (4 << 20))
                go_on(stopped)
                said = asked.communicate(timeout=LIMIT)[0]
            finally:
                asked.kill()
            if asked.returncode != 0:
                break
            for path in folder.iterdir():
                path.unlink()
            (folder / "sim.1.h5").write_text("old")
        assert re.fullmatch(r"dsm-archive: .*/sim\.1\.h5 is not written: cannot .* are left on the disk there\)\n",
                            said), said
        assert names(folder) == ["other", "sim.1.h5"] and (folder / "sim.1.h5").read_text() == "old"
        assert job.ends() == 0, job.text


def test_refusals(bench):
    """What makes no sense is said before anything is written."""
    serve(bench)
    obey(bench, "file")
    expected = {
        "is no filter": ("--filter", "ZIP"),
        "HDF5_PLUGIN_PATH": ("--filter", "UD=31999,0,0"),
        "is no form": ("--form", "virtual 0"),
        "as they are in memory: --filter and --form virtual": ("--each", "all", *COMPRESSED),
        "--filter is for the forms single and virtual": ("--form", "subfiles", *COMPRESSED),
        "has no snapshot 9": ("--number", 9, *COMPRESSED),
        "has no snapshot of \\*.none": ("--file", "*.none", "--form", "virtual"),
        "--minimum": ("--minimum", "much", *COMPRESSED),
    }
    for words, options in expected.items():
        said = archive(bench, "--to", bench.folder / "x.h5", *options, status=1)
        assert len(said) == 1 and re.search(words, said[0]), said
    assert any("takes longer than it may" in line
               for line in archive(bench, "--to", bench.folder / "x.h5", "--wait", 0, "--form", "virtual", status=1))
    assert not (bench.folder / "x.h5").exists()

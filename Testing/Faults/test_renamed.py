# SPDX-License-Identifier: BSD-3-Clause
"""Programs write a file under a name for the time being, and give it its own when it is whole: rules go by the name
that it has."""

import subprocess

import h5py
import pytest

from conftest import BIN
from processes import LIMIT, environ, on_disk
from test_also_on_disk import H5PY, stop, until

pytestmark = H5PY

# A checkpoint, by way of another name, and outputs that push out whatever may go.
CHECKPOINT = """
import h5py, numpy, os, sys
folder, how = sys.argv[1:]
with h5py.File(f"{folder}/a.chk.h5.tmp", "w") as file:
    file["x"] = numpy.arange(100000.0)
    if how == "open":
        os.rename(f"{folder}/a.chk.h5.tmp", f"{folder}/a.chk.h5")
if how == "rename":
    os.rename(f"{folder}/a.chk.h5.tmp", f"{folder}/a.chk.h5")
if how == "renameat":
    there = os.open(folder, os.O_RDONLY)
    os.rename("a.chk.h5.tmp", "a.chk.h5", src_dir_fd=there, dst_dir_fd=there)
for step in range(20):
    with h5py.File(f"{folder}/out.{step}.h5", "w") as file:
        file["u"] = numpy.zeros(200000)
"""
LAST = "import h5py, sys; print(h5py.File(sys.argv[1], 'r')['x'][-1])"
WRITE = """
import h5py, os, sys, time
def write(name, value, seconds=0):
    with h5py.File(name + ".tmp", "w") as file:
        file["x"] = value
    time.sleep(seconds)
    os.rename(name + ".tmp", name)
"""
STEPS = WRITE + """
for step in range(4):
    write(f"{sys.argv[1]}/out.{step:04}.h5", step)
"""


def python(bench, program, *arguments):
    done = subprocess.run([str(BIN / "dsm-run"), "--contact", str(bench.contact), "python3", "-c", program,
                           *map(str, arguments)], env=environ(), capture_output=True, text=True, timeout=LIMIT,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def serve(bench, *options):
    host = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "16 MiB", "--limit", LIMIT,
                       *options)
    host.wait_for_line("ready")
    return host


def archive(bench, *options):
    done = subprocess.run([str(BIN / "dsm-archive"), "--contact", str(bench.contact), *map(str, options)],
                          env=environ(), capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("how", ["rename", "renameat", "open"])
def test_checkpoint_stays(bench, how):
    """The newest checkpoint is not evicted."""
    host = serve(bench, "--checkpoints", "*.chk.h5")
    python(bench, CHECKPOINT, bench.folder, how)
    assert python(bench, LAST, bench.folder / "a.chk.h5") == "99999.0\n"
    stop(host)


def test_checkpoint_is_on_disk_as_well(bench):
    host = serve(bench, "--also-on-disk", "*.chk.h5")
    python(bench, CHECKPOINT, bench.folder, "rename")
    until(lambda: on_disk(bench.folder / "a.chk.h5"), "the file on disk")
    assert stop(host) == 0, host.text
    assert [file.name for file in bench.folder.glob("*.h5*") if on_disk(file)] == ["a.chk.h5"]


@pytest.mark.parametrize("order", ["--before-eviction", "--each"])
def test_checkpoint_is_archived(bench, order):
    safe = bench.folder / "safe"
    safe.mkdir()
    host = serve(bench)
    archive(bench, order, "*.chk.h5", "--to", safe)
    python(bench, CHECKPOINT, bench.folder, "rename")
    until((safe / "a.chk.h5").exists, "the checkpoint in the archive")
    assert [file.name for file in safe.glob("*.h5*") if file.suffix != ".series"] == ["a.chk.h5"]
    stop(host)


def test_lists_show_the_present_name(bench):
    """With its step and its stream."""
    host = serve(bench)
    python(bench, STEPS, bench.folder)
    listed = archive(bench, "--list")
    assert ".tmp" not in listed
    for step in range(4):
        assert f"out.{step:04}.h5" in listed
    stop(host)


LEAVES = WRITE + """
write(f"{sys.argv[1]}/a.h5", 1)
os._exit(0)
"""


def test_program_that_exits_at_once(bench):
    """The server hears of the last rename though nothing else is asked of it."""
    host = serve(bench)
    for _ in range(10):
        python(bench, LEAVES, bench.folder)
        assert ".tmp" not in archive(bench, "--list")
    stop(host)


OTHERS = """
import h5py, os, sys
h5py.File(sys.argv[1], "w").close()
os.rename(sys.argv[2], sys.argv[3])
"""


def test_file_of_another_server(bench):
    """A program that is connected to one server renames a file in another's memory."""
    host = serve(bench)
    python(bench, f"import h5py; h5py.File('{bench.folder}/before.h5', 'w').close()")
    other = bench.folder / "other.dsm"
    second = bench.start(BIN / "dsm-serve", "--contact", other, "--memory-per-host", "16 MiB", "--limit", LIMIT)
    second.wait_for_line("ready")
    done = subprocess.run([str(BIN / "dsm-run"), "--contact", str(other), "python3", "-c", OTHERS,
                           *(str(bench.folder / name) for name in ("own.h5", "before.h5", "behind.h5"))],
                          env=environ(), capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    until(lambda: "behind.h5" in archive(bench, "--list"), "the new name")
    stop(second)
    stop(host)


SIX = WRITE + """
for step in range(6):
    write(f"{sys.argv[1]}/a{step}.chk.h5", step, step % 2 * 0.5)
"""


@pytest.mark.parametrize("keep", ["all", "*.chk.h5"])
def test_saved_files_have_their_names(bench, keep):
    """Some are renamed before they are saved, or looked at, and some behind that."""
    saved = bench.folder / "saved"
    host = serve(bench, "--save", saved, "--keep", keep)
    python(bench, SIX, bench.folder)
    assert stop(host) == 0, host.text
    assert sorted(file.name for file in saved.glob("*.h5*")) == [f"a{step}.chk.h5" for step in range(6)]
    for step in range(6):
        with h5py.File(saved / f"a{step}.chk.h5") as file:
            assert file["x"][()] == step


KINDS = WRITE + """
for step in range(6):
    for kind in (1, 2):
        write(f"{sys.argv[1]}/out{kind}.{step:04}.p7.h5", step, step % 2 * 0.3)
"""


def test_kinds_are_counted_by_themselves(bench):
    """Every second output of each kind goes to disk, whether viewers have heard of it before it is renamed or not."""
    host = serve(bench, "--also-on-disk", "every 2")
    python(bench, KINDS, bench.folder)
    wanted = [f"out{kind}.{step:04}.p7.h5" for kind in (1, 2) for step in (0, 2, 4)]
    until(lambda: all(on_disk(bench.folder / name) for name in wanted), "the files on disk")
    assert stop(host) == 0, host.text
    assert sorted(file.name for file in bench.folder.glob("*.h5*") if on_disk(file)) == wanted

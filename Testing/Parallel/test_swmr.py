# SPDX-License-Identifier: BSD-3-Clause
"""Programs that read a file while another one writes it: HDF5's SWMR."""

import subprocess
import sys

import pytest

from test_dsm_run import BIN, FABRIC, LIMIT, MPIEXEC, hosts  # noqa: F401 (a fixture)

PYTHON = (sys.executable, "-c")
WRITER = """
import h5py, numpy, sys
name, how = sys.argv[1:3]
def say(text):
    print(text, flush=True)
    sys.stdin.readline()
if how == "reopened":
    with h5py.File(name, "w", libver="latest") as file:
        file.create_dataset("data", chunks=(1000,), maxshape=(None,), data=numpy.arange(4))
    file = h5py.File(name, "r+", libver="latest")
    data = file["data"]
else:
    file = h5py.File(name, "w", libver="latest")
    data = file.create_dataset("data", chunks=(1000,), maxshape=(None,), data=numpy.arange(4))
file.swmr_mode = True
say("writes")
for size in (8, 400, 200000):
    data.resize((size,))
    data[...] = numpy.arange(size)
    data.flush()
    say(size)
file.close()
say("closed")
"""
READER = """
import h5py, numpy, sys
file = h5py.File(sys.argv[1], "r", libver="latest", swmr=True)
data = file["data"]
while True:
    data.refresh()
    print(len(data), numpy.array_equal(data[...], numpy.arange(len(data))), flush=True)
    if not sys.stdin.readline():
        break
"""


class Talk:
    """A coupled program that says one line at a time, and goes on when it is told."""

    def __init__(self, hosts, *program):  # noqa: F811
        command = [BIN / "dsm-run", "--contact", hosts.contact, "--wait", "20", *program]
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def hear(self):
        return self.process.stdout.readline().strip()

    def next(self, told=""):
        self.process.stdin.write(f"{told}\n")
        self.process.stdin.flush()
        return self.hear()

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(LIMIT) == 0


@pytest.mark.parametrize("hosts", [
    [],
    pytest.param(["--no-node-memory", "--transport", "fabric"],
                 marks=pytest.mark.skipif(not FABRIC, reason="no fabric"))
], indirect=True)
@pytest.mark.parametrize("how", ["created", "reopened"])
def test_readers_see_what_a_writer_has_flushed(hosts, tmp_path, how):  # noqa: F811
    """The pair of h5py's guide, with three readers, one of which comes late."""
    name = tmp_path / "swmr.h5"
    writer = Talk(hosts, *PYTHON, WRITER, name, how)
    assert writer.hear() == "writes"
    readers = [Talk(hosts, *PYTHON, READER, name) for _ in range(2)]
    assert [reader.hear() for reader in readers] == ["4 True"] * 2
    for size in (8, 400, 200000):
        assert writer.next() == str(size)
        assert [reader.next() for reader in readers] == [f"{size} True"] * len(readers)
        if size == 8:
            readers.append(Talk(hosts, *PYTHON, READER, name))
            assert readers[-1].hear() == "8 True"
    assert writer.next() == "closed"
    assert [reader.next() for reader in readers] == ["200000 True"] * 3
    for job in (*readers, writer):
        job.end()
    hosts.end()
    assert (hosts.folder / "swmr.h5").exists()


SESSION = """
import h5py, numpy, sys
name, size = sys.argv[1], int(sys.argv[2])
with h5py.File(name, "r+", libver="latest") as file:
    file.swmr_mode = True
    file["data"].resize((size,))
    file["data"][...] = numpy.arange(size)
    file["data"].flush()
    print(size, flush=True)
    sys.stdin.readline()
"""
PARTS = """
import h5py, numpy, sys
name, virtual = sys.argv[1:]
with h5py.File(name, "w", libver="latest") as file:
    file.create_dataset("data", chunks=(1000,), maxshape=(None,), data=numpy.arange(4))
with h5py.File(virtual, "w", libver="latest") as file:
    layout = h5py.VirtualLayout((4,), numpy.arange(4).dtype, maxshape=(None,))
    source = h5py.VirtualSource(name, "data", (4,), maxshape=(None,))
    layout[:h5py.h5s.UNLIMITED] = source[:h5py.h5s.UNLIMITED]
    file.create_virtual_dataset("data", layout)
print("created", flush=True)
sys.stdin.readline()
"""


def test_readers_follow_the_file(hosts, tmp_path):  # noqa: F811
    """They see what writers write that come later, one after another, also by way of a virtual dataset, and of a
    writer that came and went unseen."""
    name, virtual = tmp_path / "swmr.h5", tmp_path / "virtual.h5"
    made = Talk(hosts, *PYTHON, PARTS, name, virtual)
    assert made.hear() == "created"
    readers = [Talk(hosts, *PYTHON, READER, path) for path in (name, virtual)]
    assert [reader.hear() for reader in readers] == ["4 True"] * 2
    for size in (400, 200000, 300000):
        writer = Talk(hosts, *PYTHON, SESSION, name, size)
        assert writer.hear() == str(size)
        if size != 200000:
            assert [reader.next() for reader in readers] == [f"{size} True"] * 2
        writer.end()
        assert [reader.next() for reader in readers] == [f"{size} True"] * 2
    for job in (*readers, made):
        job.end()
    hosts.end()


@pytest.mark.parametrize("hosts", [["--publish", "flush"]], indirect=True)
def test_readers_follow_a_parallel_writer(hosts, tmp_path):  # noqa: F811
    """HDF5 has no SWMR for those, so each flush shows a version."""
    name = tmp_path / "together.h5"
    writer = Talk(hosts, *MPIEXEC, "-n", 3, BIN / "dsmGrowingProgram", name)
    assert writer.next(4) == "4"
    readers = [Talk(hosts, *PYTHON, READER, name) for _ in range(2)]
    assert [reader.hear() for reader in readers] == ["4 True"] * 2
    for size in (400, 200000):
        assert writer.next(size) == str(size)
        assert [reader.next() for reader in readers] == [f"{size} True"] * 2
    assert writer.next(0) == "closed"
    assert [reader.next() for reader in readers] == ["200000 True"] * 2
    for job in (*readers, writer):
        job.end()
    hosts.end()

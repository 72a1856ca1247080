# SPDX-License-Identifier: BSD-3-Clause
"""What H5Fflush has written survives a program that is killed, as it does on disk: in memory, and wherever a file that
was closed would be."""

import signal
import subprocess

import pytest

from conftest import BIN
from processes import LIMIT, environ
from test_also_on_disk import H5PY, stop, until

HOW = ["kill", "terminate", "exit", "abort", "finalize"]
PEER_TIMEOUT = 5

# Appends a row to a file that stays open, flushes it, and is killed: what was there before is there still.
APPENDS = """
import h5py, os, sys
name, begins, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
file = h5py.File(name, begins)
if begins == "w":
    file.create_dataset("x", (0,), maxshape=(None,), chunks=(10,))
data = file["x"]
for row in range(len(data), rows):
    data.resize((row + 1,))
    data[row] = row
    file.flush()
os.kill(os.getpid(), 9)
"""
COUNTS = "import h5py, sys; print(list(h5py.File(sys.argv[1], 'r')['x'][:]))"


def values(name, *launcher):
    """Those of a file, as h5dump sees them."""
    dump = subprocess.run([*map(str, launcher), "h5dump", "-d", "values", "-y", "-w", "1", str(name)], env=environ(),
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert dump.returncode == 0, dump.stdout + dump.stderr
    return [int(value) for value in dump.stdout.split("DATA {")[1].split("}")[0].replace(",", " ").split()]


def python(bench, program, *arguments):
    return subprocess.run([str(BIN / "dsm-run"), "--contact", str(bench.contact), "python3", "-c", program,
                           *map(str, arguments)], env=environ(), capture_output=True, text=True, timeout=LIMIT,
                          check=False)


@pytest.mark.parametrize("how", HOW)
def test_saved(bench, how):
    """A parallel program flushes its file, writes more, and ends without closing it: the server saves what it has
    flushed, and readers see it in memory."""
    host = bench.serve(DSM_PEER_TIMEOUT=600)
    bench.simulate(f"{how}-flushed", DSM_PEER_TIMEOUT=PEER_TIMEOUT).status()
    until((bench.saved / "sim.2.h5").exists, f"a saved file:\n{host.text}")
    assert values(bench.saved / "sim.2.h5") == list(range(3000))
    coupled = [BIN / "dsm-run", "--contact", bench.contact]
    until(lambda: "snapshot 2" in host.text, "a snapshot")
    assert values(bench.folder / "sim.2.h5", *coupled) == list(range(3000))
    stop(host)
    assert "is kept as it was last flushed" in host.text or how == "finalize"


def test_on_disk_as_well(bench):
    host = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "8 MiB", "--also-on-disk",
                       "all", "--limit", LIMIT)
    host.wait_for_line("ready")
    bench.simulate("kill-flushed").status()
    until(lambda: "snapshot 2" in host.text, f"a snapshot:\n{host.text}")
    assert stop(host) == 0, host.text
    assert values(bench.folder / "sim.2.h5") == list(range(3000))


@H5PY
@pytest.mark.parametrize("options", [[], ["--also-on-disk", "all"]], ids=["memory", "disk"])
def test_each_flush_counts(bench, options):
    """Also in a file that was closed before, as soon as the server has noticed the end of its writer."""
    host = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "8 MiB", "--limit", LIMIT,
                       *options)
    host.wait_for_line("ready")
    name = bench.folder / "rows.h5"
    for begins, rows in (("w", 40), ("r+", 90), ("r+", 100)):
        killed = python(bench, APPENDS, name, begins, rows)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        until(lambda rows=rows: python(bench, COUNTS, name).stdout.count(",") == rows - 1, f"{rows} rows:\n{host.text}")
    assert stop(host) == 0, host.text
    if options:
        assert subprocess.run(["python3", "-c", COUNTS, name], capture_output=True, text=True, timeout=LIMIT,
                              check=False).stdout.count(",") == 99


@H5PY
@pytest.mark.parametrize("how", ["save", "also-on-disk"])
def test_server_ends_right_behind_the_program(bench, how):
    """A server that ends right behind a killed program keeps the last flush, as job scripts expect."""
    options = ["--save", bench.saved] if how == "save" else ["--also-on-disk", "all"]
    for name in ("a.h5", "b.h5", "c.h5"):
        host = bench.start(BIN / "dsm-serve", "--contact", bench.contact, "--limit", LIMIT, *options)
        host.wait_for_line("ready")
        for begins, rows in (("w", 40), ("r+", 90)):
            assert python(bench, APPENDS, bench.folder / name, begins, rows).returncode == -signal.SIGKILL
        assert stop(host) == 0, host.text
        file = (bench.saved if how == "save" else bench.folder) / name
        counted = subprocess.run(["python3", "-c", COUNTS, file], capture_output=True, text=True, timeout=LIMIT,
                                 check=False)
        assert counted.stdout.count(",") == 89, counted.stderr + host.text


@H5PY
def test_going_on_at_once(bench):
    """As job scripts do after a crash. On disk, the lock of a killed program is free as soon as its end is known."""
    host = bench.serve()
    name = bench.folder / "rows.h5"
    for begins, rows in (("w", 40), ("r+", 90), ("r+", 100), ("r+", 130)):
        killed = python(bench, APPENDS, name, begins, rows)
        assert killed.returncode == -signal.SIGKILL, killed.stderr + host.text
    until(lambda: python(bench, COUNTS, name).stdout.count(",") == 129, f"130 rows:\n{host.text}")

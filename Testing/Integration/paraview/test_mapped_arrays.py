# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are the snapshots' own memory keep their values, whatever becomes of ring, writer and viewer."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from conftest import BIN, HERE

SIZE = 128
BYTES = 8 * SIZE**3


def write(bench, steps, pause=0.0, name=".", form="h5"):
    (bench.folder / name).mkdir(exist_ok=True)
    program = [sys.executable, HERE / "scripts" / "array_writer.py", bench.folder / name, SIZE, steps, pause, form]
    return bench.simulation(bench.folder / "run.dsm", 1, None, program=program)


def listed(folder):
    """The numbers of the snapshots in memory."""
    command = [BIN / "dsm-archive", "--contact", folder / "run.dsm", "--list"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return [int(line.split()[1]) for line in told.stdout.splitlines() if line.startswith("snapshot ")]


@pytest.mark.parametrize(
    ("ranks", "strategy", "form", "steps"),
    [
        (1, "contiguous", "h5", 100),
        (2, "block cyclic", "h5", 100),
        (2, "random block", "h5", 100),
        (2, "block cyclic", "vtkhdf", 50),
    ],
)
def test_values_stay_while_the_ring_evicts(bench, ranks, strategy, form, steps):
    viewer = bench.pvbatch(
        "mapped_arrays.py",
        ranks,
        DSM_TEST_SIZE=SIZE,
        DSM_TEST_MEMORY=f"{192 // ranks} MiB",
        DSM_TEST_STRATEGY=strategy,
        DSM_BLOCK_SIZE="64 KiB",
    )
    viewer.wait_for_file(bench.folder / "run.dsm")
    write(bench, steps, 0.05, form=form).wait()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == ranks
    assert reports[0]["memory"] == ["u shared with the snapshot"]
    assert reports[0]["outlast"] == [True, True] and reports[0]["ended"]
    for found in reports:
        assert found["wrong"] == []
        assert len(found["steps"]) >= steps // 5 and found["steps"][-1] == steps - 1, found["steps"]
        assert found["bytes"] >= BYTES // ranks
        # Memory of a rank's own would grow by the arrays that are held.
        assert max(found["private"]) - found["private"][0] < BYTES // ranks // 2, found["private"]
        assert found["spoiled"] and found["compared"] and found["apart"]


def test_a_suspended_viewer_keeps_what_it_shows(bench):
    viewer = bench.pvbatch(
        "mapped_suspended.py", 1, DSM_TEST_SIZE=SIZE, DSM_TEST_MEMORY="160 MiB", DSM_PEER_TIMEOUT=5
    )
    viewer.wait_for_file(bench.folder / "run.dsm")
    write(bench, 1).wait()
    viewer.wait_for_line("suspend me")
    (shown,) = bench.reports()
    os.kill(shown["process"], signal.SIGSTOP)
    with contextlib.ExitStack() as stack:
        stack.callback(os.kill, shown["process"], signal.SIGCONT)
        (bench.folder / "suspended").touch()
        # More than the ring has room for, and for longer than the hosts wait for the viewer.
        write(bench, 40, 0.2, "more").wait()
        assert listed(bench.folder)[0] == shown["number"]
    viewer.wait_for_line("awake")
    (found,) = bench.reports()
    assert found["right"]

    # Mapped memory goes with its viewer.
    os.kill(shown["process"], signal.SIGKILL)
    write(bench, 10, 0.1, "last").wait()
    assert shown["number"] not in listed(bench.folder)


def test_a_writer_gets_the_memory_that_viewers_map(bench):
    viewer = bench.pvbatch("mapped_all.py", 1, DSM_TEST_SIZE=SIZE, DSM_TEST_MEMORY="120 MiB")
    viewer.wait_for_file(bench.folder / "run.dsm")
    write(bench, 24, 0.3).wait()
    viewer.wait()
    (found,) = bench.reports()
    assert found["wrong"] == []
    assert found["held"] == found["steps"]
    assert len(found["steps"]) > 12, "more than the ring has room for"
    # The hosts' memory is in this process, too; what was given back is this process's own.
    assert found["private"][-1] - found["private"][0] > BYTES * (len(found["steps"]) - 12)
    # No file had to go to disk.
    assert all(512 * file.stat().st_blocks < BYTES for file in bench.folder.glob("run.*.h5"))


SHARED = "shared with the snapshot"
# The notes of the first rank about vtkhdf_large.py's arrays, if there is one rank, and if there are two.
MEMORY = {
    "image None": {
        "heat": (SHARED, SHARED), "number": (SHARED, SHARED), "velocity": (SHARED, SHARED), "c": (SHARED, SHARED),
        "packed": ("copied: it is compressed",) * 2, "signed": ("copied: vtkHDFReader chooses its type",) * 2,
        "small": ("copied: it is small",) * 2, "swapped": ("copied: its numbers are converted",) * 2,
    },
    "images 0.5": {"heat": (SHARED, SHARED), "c": (SHARED, SHARED)},
    "images 1.0": {"heat": (SHARED, SHARED), "c": (SHARED, SHARED)},
    "picture None": {"heat": (SHARED, SHARED), "c": (SHARED, SHARED)},
    "elsewhere None": {
        "heat": ("copied: the image's extent does not begin at 0, or has a flat axis before others",) * 2
    },
    "grid None": {"heat": (SHARED, SHARED), "id": (SHARED, SHARED)},
    "surface None": {
        "heat": (SHARED, SHARED), "id": ("copied: the cells of its parts are put in another order", SHARED)
    },
    "moving 1.0": {"heat": (SHARED, SHARED), "id": (SHARED, SHARED)},
    "moving 2.0": {"heat": (SHARED, SHARED), "id": (SHARED, SHARED)},
    "collection None": {"heat": (SHARED, SHARED), "id": (SHARED, SHARED)},
}


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory):
    """The folder in which vtkhdf_large.py has written to disk."""
    folder = tmp_path_factory.mktemp("disk")
    subprocess.run([sys.executable, HERE / "scripts" / "vtkhdf_large.py", folder], check=True, timeout=120)
    return folder


@pytest.mark.parametrize("ranks", [1, 2])
def test_vtkhdf_is_the_same_without_copies(bench, on_disk, ranks):
    viewer = bench.pvbatch("mapped_vtkhdf.py", ranks, DSM_TEST_MEMORY=f"{640 // ranks} MiB", DSM_TEST_DISK=on_disk)
    viewer.wait_for_file(bench.folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "vtkhdf_large.py", bench.folder]
    bench.simulation(bench.folder / "run.dsm", 1, None, program=program).wait()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == ranks
    assert reports[0]["errors"] == []
    expected = {file: {name: notes[ranks - 1] for name, notes in arrays.items()} for file, arrays in MEMORY.items()}
    assert reports[0]["memory"] == expected
    # The notes are true on each rank that has data.
    mapped = {file: {name: note == SHARED for name, note in arrays.items()} for file, arrays in expected.items()}
    assert reports[0]["mapped"] == mapped
    for found in reports:
        assert found["wrong"] == []
        assert found["mapped"].items() <= mapped.items()
    assert {"image None", "surface None", "moving 2.0", "collection None"} <= reports[-1]["mapped"].keys()

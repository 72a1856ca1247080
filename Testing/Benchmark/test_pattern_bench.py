# SPDX-License-Identifier: BSD-3-Clause
"""pattern_bench.py: what its program writes in each pattern is in memory what it is on disk, and all ways are measured;
never how fast."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pattern_bench
from processes import Job

BUILD = Path(os.environ["DSM_TEST_BUILD"])
PROGRAMS = BUILD / "bin"
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
RANKS, STEPS, PARTICLES = 3, 2, 8192


@pytest.fixture(scope="module")
def contact(tmp_path_factory):
    contact = tmp_path_factory.mktemp("served") / "run.dsm"
    server = Job([*MPIEXEC, "-n", 2, PROGRAMS / "dsm-serve", "--contact", contact, "--memory-per-host", "64 MiB",
                  "--block-size", "64 KiB"])
    server.wait_for_line("ready")
    yield contact
    server.stop()


def check(case, contact, tmp_path):
    words = [*MPIEXEC, "-n", RANKS, PROGRAMS / "dsm_pattern_program", "hdf5", *case]
    coupled = [PROGRAMS / "dsm-run", "--contact", contact]
    Job([*words, tmp_path / "disk", 1, STEPS, PARTICLES, 0]).wait()
    Job([*coupled, *words, tmp_path / "memory", 1, STEPS, PARTICLES, 0]).wait()
    disk, memory = tmp_path / "disk.0000.h5", tmp_path / "memory.0000.h5"
    structs = "-structs-" in case[0]
    if "-strided-" in case[0]:
        # What nobody has written may be anything: MPI-IO leaves there what it had in its buffers.
        for variable in ("x", "y", "z", "vx", "vy", "vz", "number", "mass"):
            written = ["h5dump", "-y", "-d", f"/step0001/{variable}", "-s", 0, "-S", 4, "-c", RANKS * PARTICLES // 2,
                       "-k", 2]
            texts = [Job([*coupled, *written, path]).wait().partition("DATASET")[2] for path in (disk, memory)]
            assert texts[0] == texts[1]
            assert len(texts[0].split()) > RANKS * PARTICLES
    else:
        told = Job([*coupled, "h5diff", "--verbose", disk, memory]).wait()
        compared = re.findall(r"dataset: </step\d+/\w+> and", told)
        assert len(compared) == STEPS * (1 if structs else 8), told
        assert all(int(count) == 0 for count in re.findall(r"(\d+) differences found", told)), told
    # It is in memory, and the values are not all the same.
    assert memory.stat().st_blocks * 512 < PARTICLES * 32 < disk.stat().st_blocks * 512
    name = "/step0001/particles" if structs else "/step0001/number"
    shown = Job([*coupled, "h5dump", "-d", name, memory]).wait()
    assert str(RANKS * PARTICLES - 1) in shown


@pytest.mark.parametrize("case", pattern_bench.CASES, ids="-".join)
def test_memory_has_what_disk_has(case, contact, tmp_path):
    check(case, contact, tmp_path)


def test_sample(contact, tmp_path):
    check(("arrays-structs-2d", pattern_bench.INDEPENDENT, pattern_bench.CHUNKED), contact, tmp_path)


def on_tmpfs():
    return set(Path("/dev/shm").glob("dsm-pattern-*"))


def test_every_way_is_measured(tmp_path):
    before = on_tmpfs()
    done = subprocess.run(
        [sys.executable, pattern_bench.__file__, "--build", BUILD, "--rounds", "1", "--files", "2", "--steps", "2",
         "--particles", "8192", "--pause", "0", "--head-start", "0", "--only", "structs-arrays-1d", "--csv",
         tmp_path / "found.csv", "--serve", "--memory-per-host", "64 MiB"],
        capture_output=True, text=True, timeout=120, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(tmp_path / "found.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ways = [(way, file) for way in ("tmpfs", "DSM", "core") for file in "01"]
    assert [(row["way"], row["file"]) for row in rows] == ways
    assert all(float(row["milliseconds"]) > 0 for row in rows)
    assert on_tmpfs() <= before, "something is left in /dev/shm"

# SPDX-License-Identifier: BSD-3-Clause
"""A program reads what another writes, step by step, through the server's memory (DSM_READ=next): both know nothing
of it, and either may die and come back."""

import os
import pathlib
import signal
import sys
import time

import pytest

from processes import Job
from test_dsm_run import BIN, LIMIT, MPIEXEC

HISTORY = pathlib.Path(__file__).parents[2] / "Examples/analysis/history.py"
WRITER = """
import h5py, sys, time
for value in range(int(sys.argv[2]), int(sys.argv[3])):
    with h5py.File(sys.argv[1], "w") as file:
        file["value"] = [value] * 1000
    print("wrote", value, flush=True)
    time.sleep(float(sys.argv[4]))
if len(sys.argv) > 5:
    time.sleep(600)
"""
READER = """
import h5py, sys
while True:
    try:
        if len(sys.argv) > 2:
            assert h5py.is_hdf5(sys.argv[1])
        with h5py.File(sys.argv[1], "r") as file:
            values = set(file["value"][:])
            with h5py.File(sys.argv[1], "r") as again:
                values |= set(again["value"][:])
            print("read", *values, flush=True)
    except (OSError, AssertionError) as error:
        print(error)
        break
"""
BRANCH = """
import h5py, sys
with h5py.File(sys.argv[1], "r") as file:
    begun = file["value"][0]
for value in range(begun, begun + 3):
    with h5py.File(sys.argv[2], "w") as file:
        file["value"] = [value] * 1000
    with h5py.File(sys.argv[1], "r") as file:
        file["value"][:]
"""

# Begins with a file, if it is given one, and writes three files of the steps behind it.
STEERED = """
import dsm, h5py, pathlib, sys, time
folder, feed, before = sys.argv[2], float(sys.argv[3]), sys.argv[4:]
step = int(h5py.File(before[0], "r")["step"][()]) if before else 0
session = dsm.Session()
session.parameter("feed", feed)
pathlib.Path(folder).mkdir(exist_ok=True)
for step in range(step + 1, step + 4):
    session.step(step, step)
    with h5py.File(f"{folder}/out.{step:04}.h5", "w") as file:
        file["step"] = step
print("done", flush=True)
time.sleep(600)
"""

# Reads what one program writes, and writes what another one reads.
LINK = """
import h5py, sys
try:
    while True:
        with h5py.File(sys.argv[1], "r") as file:
            values = file["value"][:]
        with h5py.File(sys.argv[2], "w") as file:
            file["value"] = values + 10
        print("made", flush=True)
except OSError as error:
    print(error)
with h5py.File(sys.argv[2], "w") as file:
    file["value"] = [99]
"""


class Programs:
    """A server, and programs that are coupled with it."""

    def __init__(self, folder):
        self.contact = folder / "run.dsm"
        self.file = folder / "out.h5"
        self.jobs = []
        self.server = self.start(BIN / "dsm-serve", "--contact", self.contact, "--memory-per-host", "16 MiB")
        self.server.wait_for_line("ready")

    def start(self, *words, **variables):
        self.jobs.append(Job([*words], {**os.environ, "PYTHONUNBUFFERED": "1", **variables}))
        return self.jobs[-1]

    def coupled(self, program, *words, **variables):
        return self.start(BIN / "dsm-run", "--contact", self.contact, sys.executable, "-c", program, self.file, *words,
                          **variables)

    def write(self, first, end, *words, pause=0):
        return self.coupled(WRITER, first, end, pause, *words)

    def read(self, *words, limit=LIMIT):
        return self.coupled(READER, *words, DSM_READ="next", DSM_READ_LIMIT=str(limit))

    def end(self):
        for job in self.jobs:
            job.stop()


@pytest.fixture(name="programs")
def make_programs(tmp_path):
    made = Programs(tmp_path)
    yield made
    made.end()


def values(text):
    return [int(line.split()[1]) for line in text.splitlines() if line.startswith("read ")]


def test_each_step_is_read_once_and_in_order(programs):
    reader = programs.read()
    programs.write(0, 6, pause=0.2).wait(LIMIT)
    text = reader.wait(LIMIT)
    assert values(text) == list(range(6)), text
    assert "the program that writes has ended; the last that was read is snapshot 6" in text


def test_a_chain_ends_one_after_the_other(programs):
    """A program that writes what it makes of what it reads is none whose files it waits for itself; and who waits for
    what such a program writes waits until that has ended."""
    second, third = (programs.file.with_name(name) for name in ("second.h5", "third.h5"))
    writer = programs.write(0, 3, pause=0.5)
    first_link = programs.coupled(LINK, second, DSM_READ="next")
    first_link.wait_for_line("made")
    second_link = programs.start(BIN / "dsm-run", "--contact", programs.contact, sys.executable, "-c", LINK, second,
                                 third, DSM_READ="next")
    reader = programs.start(BIN / "dsm-run", "--contact", programs.contact, sys.executable, "-c", READER, third,
                            DSM_READ="next")
    writer.wait(LIMIT)
    for job in (first_link, second_link):
        assert "the program that writes has ended; the last that was read is" in job.wait(LIMIT)
    text = reader.wait(LIMIT)
    assert values(text) == [20, 21, 22, 109, 99], text


def test_who_comes_before_the_next_program_waits_for_it(programs):
    """An earlier run on the same server has ended, and is not the one that is waited for."""
    programs.coupled(WRITER.replace("sys.argv[1]", "sys.argv[1] + '.old'"), 0, 1, 0).wait(LIMIT)
    reader = programs.coupled("import h5py; print('begins', flush=True)\n" + READER, DSM_READ="next")
    reader.wait_for_line("begins")
    programs.write(0, 3, pause=0.2).wait(LIMIT)
    text = reader.wait(LIMIT)
    assert values(text) == [0, 1, 2], text


def test_what_was_only_looked_at_was_not_read(programs):
    programs.write(0, 3).wait(LIMIT)
    text = programs.read("looks").wait(LIMIT)
    assert values(text) == [0, 1, 2], text


def test_the_wait_has_a_limit(programs):
    writer = programs.write(0, 1, "stays")
    writer.wait_for_line("wrote 0")
    begin = time.monotonic()
    text = programs.read(limit=1).wait(LIMIT)
    assert values(text) == [0], text
    assert "waited 1 s for the next snapshot (DSM_READ=next, DSM_READ_LIMIT)" in text
    assert time.monotonic() - begin < LIMIT / 2


def test_either_may_die_and_come_back(programs):
    reader = programs.read()
    writer = programs.write(0, 2, "stays")
    reader.wait_for_line("read 1")
    os.kill(writer.process.pid, signal.SIGKILL)
    writer = programs.write(2, 4, "stays")
    reader.wait_for_line("read 3")
    assert values(reader.text) == [0, 1, 2, 3], reader.text
    os.kill(reader.process.pid, signal.SIGKILL)
    again = programs.read()
    again.wait_for_line("read 3")
    assert values(again.text) == [0, 1, 2, 3], "it has read nothing yet"


def test_the_example(programs, tmp_path):
    """What it makes of a running simulation is what it makes of the same files on disk."""
    if not (BIN / "gray_scott").exists():
        pytest.skip("the examples are not built")
    words = [BIN / "gray_scott", *"--size 17 13 11 --steps 40 --every 10 --output".split()]
    history = [sys.executable, HISTORY, "--every", "10", "--picture"]
    name = "gray_scott.{:05d}.vtkhdf"
    programs.start(*MPIEXEC, "-n", "2", *words, tmp_path / "disk").wait(LIMIT)
    alone = programs.start(*history, tmp_path / "disk.png", tmp_path / "disk" / name, "VTKHDF/PointData/v").wait(LIMIT)
    coupled = [BIN / "dsm-run", "--contact", programs.contact]
    follower = programs.start(*coupled, "--read", "next", *history, tmp_path / "live.png", tmp_path / "live" / name,
                              "VTKHDF/PointData/v")
    programs.start(*coupled, *MPIEXEC, "-n", "2", *words, tmp_path / "live").wait(LIMIT)
    steps = [line for line in follower.wait(LIMIT).splitlines() if line.startswith("step ")]
    assert len(steps) >= 4
    assert steps == [line for line in alone.splitlines() if line.startswith("step ")]
    assert (tmp_path / "live.png").stat().st_size > 1000
    assert "the program that writes has ended" in follower.text


def test_a_wrong_word_is_said(programs):
    text = programs.coupled(READER, DSM_READ="soon").wait(LIMIT, expect=1)
    assert 'DSM_READ is "soon": newest or next' in text, text


def test_the_log_tells_what_a_program_began_from(programs):
    programs.write(0, 3).wait(LIMIT)
    branch = programs.file.with_name("branch.h5")
    assert programs.coupled(BRANCH, branch).status(LIMIT) == 0
    writer = programs.write(3, 4)
    assert writer.status(LIMIT) == 0
    programs.server.stop()
    log = programs.file.with_name("run.dsm.steering.log").read_text()
    lines = [line.split("\t") for line in log.splitlines() if not line.startswith("#")]
    assert [line[4:] for line in lines] == [["2", "-", "began", f'"{programs.file}"', "{}", "{}"]], log


def test_program_that_is_started_again_is_a_run_of_its_own(programs):
    """A run that was killed is started again with another parameter and folder, and a third run starts from it."""
    package = BIN.parent / "lib/paraview-dsm"
    folders = [programs.file.with_name(name) for name in ("first", "second", "third")]

    def begin(number, feed, *before):
        job = programs.coupled(STEERED, folders[number], feed, *before, PYTHONPATH=str(package))
        job.wait_for_line("done")
        return job

    begin(0, 0.03).process.kill()
    begin(1, 0.04, folders[0] / "out.0003.h5").process.kill()
    begin(2, 0.05, folders[1] / "out.0005.h5").stop()
    programs.server.stop()
    log = programs.file.with_name("run.dsm.steering.log").read_text()
    began = [line.split("\t")[4:] for line in log.splitlines() if "\tbegan\t" in line]
    assert began == [["3", "-", "began", f'"{folders[0] / "out.0003.h5"}"', '{"feed": 0.03}', '{"feed": 0.04}'],
                     ["5", "-", "began", f'"{folders[1] / "out.0005.h5"}"', '{"feed": 0.04}', '{"feed": 0.05}']], log

# SPDX-License-Identifier: BSD-3-Clause
"""What a program costs the server's control channel: as much with many ranks as with few."""

import json
import os
import pathlib
import subprocess

import pytest

from processes import LIMIT, Job, on_disk

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
FEW, MANY = 2, 8
FILE_MIB = 48  # many times what a file of unknown size is granted
WRITING = ["created", "grown", "flushed", "changed", "sealed", "attribute"]
FLUSHING = ["created", "grown", "flushed", "shown", "changed", "moved", "sealed", "attribute"]
READING = ["read", "closed", "read-each", "closed-each"]
OTHERS = ["foreign-open", "foreign-made", "steered", "steered-each"]
STAGES = {"writes": [*WRITING, *READING, *OTHERS], "flushes": [*FLUSHING, *READING, *OTHERS], "reads": READING,
          "falls": ["first", "on-disk"]}


class Served:
    """A server, and what programs cost it."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.job = Job([BIN / "dsm-serve", "--contact", self.contact, "--match", "*.live*", "--limit", 2 * LIMIT,
                        *options])
        self.job.wait_for_file(self.contact)
        self.foreign = folder / "foreign.h5"
        subprocess.run([BIN / "dsmCoupledProgram", "serial", self.foreign], check=True, timeout=LIMIT,
                       capture_output=True)

    def counted(self, ranks, how, name, mib=FILE_MIB, **environment):
        """By each thing that a program of so many ranks does: the server's sockets, and control channels."""
        contact = json.loads(self.contact.read_text())
        program = (BIN / "dsm-run", "--contact", self.contact, *MPIEXEC, "-n", ranks, BIN / "dsmCountedProgram",
                   contact["Process"], contact["Endpoints"][0].rpartition(":")[2], self.folder / name, self.foreign,
                   mib, how)
        done = subprocess.run([str(word) for word in program], capture_output=True, text=True, timeout=2 * LIMIT,
                              check=False, env={**os.environ, **environment})
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [line.split() for line in done.stdout.splitlines()]
        seen = {line[0]: (int(line[1]), int(line[2])) for line in lines if line and line[0] in STAGES[how]}
        assert list(seen) == STAGES[how], done.stdout + done.stderr
        return seen

    def few_and_many(self, how, **more):
        """The same by few ranks and by many; and of another program, which reads what the first has written."""
        both = []
        for ranks in (FEW, MANY):
            found = self.counted(ranks, how, f"sim{ranks}.live", **more)
            if how != "falls":
                other = self.counted(ranks, "reads", f"sim{ranks}.live", **more)
                found.update({f"other-{stage}": counts for stage, counts in other.items()})
            both.append(found)
        print(*both, sep="\n")
        return both


@pytest.fixture
def served(tmp_path):
    made = []

    def serve(*options):
        made.append(Served(tmp_path, *options))
        return made[-1]

    yield serve
    for one in made:
        one.job.stop()


def channels(found):
    return {stage: count for stage, (_, count) in found.items()}


def test_sockets_do_not_depend_on_ranks(served):
    """One channel for the program, whatever its ranks do."""
    few, many = served("--memory-per-host", "256 MiB").few_and_many("writes")
    assert many == few
    assert few["steered-each"] == few["created"]


def test_nor_where_flushes_are_shown(served):
    """Each rank changes what a flush has shown, and reads it when it has got another place."""
    few, many = served("--memory-per-host", "256 MiB").few_and_many("flushes", DSM_PUBLISH="flush", mib=8)
    assert many == few
    assert few["moved"] == few["created"]


def test_nor_where_files_outgrow_the_memory(served):
    """And are also on disk, where each rank opens them by itself."""
    one = served("--memory-per-host", "16 MiB", "--also-on-disk", "all")
    one.counted(FEW, "writes", "before.live")  # what writes to disk has a channel of its own from then on
    few, many = one.few_and_many("writes")
    assert many == few
    assert few["steered-each"] == few["created"]


def test_nor_where_the_server_has_no_room(served):
    """The second file goes to disk: it may not wait until dsm-serve hears of the first, and has reported it."""
    one = served("--memory-per-host", "16 MiB", "--maximum-snapshots", "1", "--when-full", "block", "--longest-wait",
                 "0.01")
    few, many = one.few_and_many("falls", mib=8)
    assert many == few
    assert on_disk(one.folder / "sim2.live.2") and not on_disk(one.folder / "sim2.live")


@pytest.mark.parametrize("how", ["writes", "flushes"])
def test_channels_do_not_depend_on_ranks_over_a_network(served, how):
    """Where ranks do not map the hosts' memory, the transport has a connection for each; the control has not, but
    where each rank opens a file by itself."""
    network = {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off", "mib": FILE_MIB if how == "writes" else 8}
    if how == "flushes":
        network["DSM_PUBLISH"] = "flush"
    few, many = (channels(found) for found in served("--memory-per-host", "256 MiB").few_and_many(how, **network))
    assert many == few
    assert few["changed"] == few["created"]

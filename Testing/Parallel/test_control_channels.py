# SPDX-License-Identifier: BSD-3-Clause
"""What a program costs the server's control channel: as much with many ranks as with few."""

import json
import os
import pathlib
import subprocess

import pytest

from processes import LIMIT, Job

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
FILE_MIB = 48  # many times what a file of unknown size is granted
STAGES = ["created", "grown", "changed", "sealed", "read", "closed", "foreign-open", "foreign-made"]
READING = ["read", "closed"]


@pytest.fixture
def server(tmp_path):
    contact = tmp_path / "run.dsm"
    job = Job([BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "64 MiB", "--match", "*.live",
               "--limit", 2 * LIMIT])
    job.wait_for_file(contact)
    yield contact
    job.stop()


def counted(server, folder, ranks, mib=FILE_MIB, **environment):
    """How many sockets the server has after each thing that a program of so many ranks does, and how many control
    channels; and the same of another program, which reads what the first has written."""
    foreign = folder / f"foreign{ranks}.h5"
    subprocess.run([BIN / "dsmCoupledProgram", "serial", foreign], check=True, timeout=LIMIT, capture_output=True)
    contact = json.loads(server.read_text())
    program = (BIN / "dsm-run", "--contact", server, *MPIEXEC, "-n", ranks, BIN / "dsmCountedProgram",
               contact["Process"], contact["Endpoints"][0].rpartition(":")[2], folder / f"sim{ranks}.live", foreign,
               mib)
    found = {}
    for stages, words in ((STAGES, program), (READING, (*program, "reads"))):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=2 * LIMIT,
                              check=False, env={**os.environ, **environment})
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [line.split() for line in done.stdout.splitlines()]
        seen = {line[0]: (int(line[1]), int(line[2])) for line in lines if line and line[0] in stages}
        assert list(seen) == stages, done.stdout + done.stderr
        found.update(seen if stages is STAGES else {f"other-{stage}": counts for stage, counts in seen.items()})
    return found


def test_sockets_do_not_depend_on_ranks(server, tmp_path):
    """One channel for the program, whatever its ranks do."""
    few = counted(server, tmp_path, 2)
    many = counted(server, tmp_path, 6)
    print(few, many, sep="\n")
    assert many == few
    assert few["grown"] == few["created"]


def test_channels_do_not_depend_on_ranks_over_a_network(server, tmp_path):
    """Where ranks do not map the hosts' memory, the transport has a connection for each; the control has not."""
    network = {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off"}
    few, many = ({stage: channels for stage, (_, channels) in counted(server, tmp_path, ranks, **network).items()}
                 for ranks in (2, 6))
    assert many == few
    assert few["grown"] == few["created"]


def test_channels_of_ranks_end_with_their_file(server, tmp_path):
    """A rank that changes what a flush has shown asks by itself, and not for longer."""
    found = {stage: channels for stage, (_, channels) in counted(server, tmp_path, 3, 8, DSM_PUBLISH="flush").items()}
    assert found["changed"] == found["created"] + 2
    assert found["sealed"] == found["created"]

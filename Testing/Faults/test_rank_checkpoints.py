# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints of a file per rank, by ranks that also write files together: the newest one stays with all its files."""

import pytest

from test_renamed import serve

RANKS = 3


def start(bench):
    """A host, and a simulation that writes files of single ranks and files of all."""
    return serve(bench, "--checkpoints", "*.p?.h5"), bench.obey(how="each", ranks=RANKS)


def does(job, *commands):
    for command in commands:
        job.does(command)


def pushes_out(job):
    """All ranks together write more than the memory has room for."""
    does(job, *["together", "write 2000", "close"] * 12)


def is_whole(job, number):
    """Each rank finds its file, with all values."""
    does(job, f"open {number}", "check 1", "shut")


def is_gone(job, number):
    """No rank finds its file."""
    before = len(job.lines)
    job.fails(f"read {number}")
    assert f"failed on {RANKS} of {RANKS} ranks" in "".join(job.lines[before:])


@pytest.mark.parametrize("shared", ["closed", "open"])
@pytest.mark.parametrize("outputs", ["at once", "later"])
def test_newest_checkpoint_is_kept_whole(bench, shared, outputs):
    """Smilei keeps a file of all ranks open meanwhile. The outputs that need the room come at once, or when viewers
    have heard of the checkpoint."""
    host, job = start(bench)
    does(job, "together", "write 40")  # file 1
    if shared == "closed":
        does(job, "close")
    does(job, *["begin", "write 200", "close"] * 3)  # 2, 3, 4
    for newest, older in ((4, (2, 3)), (17, (4,))):
        if outputs == "later":
            host.wait_to_say(f"sim.{newest}.p*.h5")
        pushes_out(job)  # 5 to 16, and 18 to 29
        is_whole(job, newest)
        for number in older if outputs == "later" else ():  # which stay until viewers hear of the newest
            is_gone(job, number)
        does(job, "begin", "write 200", "close")  # 17, and 30
    if shared == "open":
        does(job, "write 40", "close")
    job.process.stdin.close()
    job.status()  # which tells of the files that are gone
    is_whole(bench.obey(how="each", ranks=RANKS), 30)


def test_half_a_checkpoint_replaces_none(bench):
    """A rank has not closed its file of the next checkpoint, so the one before stays whole."""
    host, job = start(bench)
    does(job, "file", "begin", "write 200", "close 0", "close 2")
    host.wait_to_say("sim.1.p*.h5")
    pushes_out(job)
    is_whole(job, 1)
    does(job, "close 1")
    host.wait_to_say("sim.2.p*.h5")
    pushes_out(job)
    is_whole(job, 2)
    is_gone(job, 1)

# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a test, found to be stopped or killed."""

import contextlib
import os
import pathlib
import time

import pytest

from processes import running as processes
from processes import stat


def by_rank(program, mark):
    """The same, by their rank in MPI_COMM_WORLD."""
    found = {}
    for process in processes(program, mark):
        try:
            environment = pathlib.Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            continue  # it has just ended
        for entry in environment.split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK"):
                found[int(value)] = process
    return found


def signal_all(program, mark, number):
    """They get a signal, one after the other; with one the others may end."""
    for process in processes(program, mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def rank_one(program, mark):
    """The process of rank 1, whatever order they were started in."""
    return by_rank(program, mark).get(1) or pytest.fail(f"no rank 1 of {program}")


def wait_until_gone(program, mark, limit):
    end = time.monotonic() + limit
    while processes(program, mark):
        assert time.monotonic() < end, f"{program} is still there after {limit} s"
        time.sleep(0.05)


def wait_until_stopped(pids, limit=20):
    """A busy machine takes a while to stop a process that has been told so, thread by thread."""
    end = time.monotonic() + limit
    while any(state(thread) not in "TtZX" for pid in pids for thread in pathlib.Path(f"/proc/{pid}/task").glob("*")):
        assert time.monotonic() < end, f"{pids} are not stopped after {limit} s"
        time.sleep(0.005)


def state(thread):
    """As /proc tells it; Z when it has gone."""
    try:
        return stat(thread)[0]
    except (OSError, ValueError):
        return "Z"

# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that are processes of their own: they, and all they hold, outlive ParaView."""

import os
import signal
import subprocess
import time

import h5py
import pytest

from conftest import FLAVOUR
from processes import on_disk, running

STEPS = 12
SIZE = [24, 24, 24]


def hosts(folder):
    """The processes that hold the memory, with their launcher."""
    return running("dsm-serve", str(folder / "run.dsm"))


def have_ended(folder):
    """Returns whether no host is left. The first one removes the contact file, and others may end a little later."""
    end = time.monotonic() + 20
    while hosts(folder) and time.monotonic() < end:
        time.sleep(0.05)
    return not hosts(folder)


def time_bytes(name, content):
    """How many bytes of a file are when its objects were made: four for each of three datasets; with the layout that
    HDF5 2 chooses, 16 for each object, and four of a checksum."""
    if content[8] == 0:  # the version of the superblock
        return 3 * 4
    objects = ["/"]
    with h5py.File(name) as file:
        file.visit(objects.append)
    return len(objects) * (16 + 4)


def check_same(one, other):
    """The same files in both folders, byte for byte but for the times at which their objects were made."""
    names = sorted(file.name for file in one.glob("*.vtkhdf"))
    assert names and names == sorted(file.name for file in other.glob("*.vtkhdf"))
    for name in names:
        mine, theirs = (one / name).read_bytes(), (other / name).read_bytes()
        assert len(mine) == len(theirs), name
        assert sum(a != b for a, b in zip(mine, theirs, strict=True)) <= time_bytes(one / name, mine), name
        subprocess.run(["h5diff", one / name, other / name], check=True)


def simulate(bench, contact, folder, steps=STEPS):
    return bench.simulation(contact, 2, folder, "--size", *SIZE, "--steps", steps, "--every", 1)


def test_killed(bench):
    """Killed while it shows and saves what comes: started again, it has the rest, and again what it was at and
    what is still there; the simulation has noticed nothing."""
    folder = bench.folder
    ranks = 2
    viewer = bench.pvbatch("separate.py", ranks, DSM_TEST_LEAVE="die")
    viewer.wait_for_file(folder / "run.dsm")
    simulation = simulate(bench, folder / "run.dsm", folder / "live")
    assert viewer.status() != 0, f"{viewer.text}{bench.reports()}"
    (first,) = bench.reports()
    assert (first["attached"], first["at_start"], first["hosts"]) == (False, [], ranks)
    assert first["in_force"][:3] == ["block", 4 << 20, "contiguous"] and first["seen"] == [1, 2, 3]
    assert hosts(folder)

    # Leaves by itself, and so does not end them either.
    bench.pvbatch("separate.py", ranks, DSM_TEST_LEAVE="leave").wait()
    simulation.wait()
    (second,) = bench.reports()
    assert second["attached"] and 3 in second["at_start"], second
    assert second["seen"] == list(range(second["seen"][0], STEPS + 2)) and second["seen"][0] <= 3, second
    assert second["points"] >= SIZE[0] * SIZE[1] * SIZE[2], second  # pieces share the points between them

    last = bench.pvbatch("separate.py", ranks)
    last.wait()
    (third,) = bench.reports()
    # The settings of those that it found, but for what it gave.
    assert third["attached"] and third["in_force"] == ["block", 4 << 20, "contiguous", 64 << 10], third
    assert have_ended(folder) and not (folder / "run.dsm").exists()

    assert not any(map(on_disk, (folder / "live").glob("*.vtkhdf"))), "nothing went to disk"
    simulate(bench, None, folder / "alone").wait()
    check_same(folder / "saved", folder / "alone")


def test_reader_crashes(bench):
    """In a library, while it reads: ParaView says which file and what as, and the memory outlives it. The next one
    knows, and reads that file so only if it is told to."""
    folder = bench.folder
    viewer = bench.pvbatch(
        "separate.py", 1, DSM_TEST_LEAVE="crash", LD_PRELOAD=os.environ["DSM_TEST_OTHER_LIBRARIES"], DSM_TEST_PRETEND=""
    )
    viewer.wait_for_file(folder / "run.dsm")
    simulation = simulate(bench, folder / "run.dsm", folder / "live", 6)
    assert viewer.status() != 0, viewer.text
    (first,) = bench.reports()
    assert first["seen"] == [1, 2, 3]
    assert f"this process crashes while it reads {folder}/run.dsm#4 as VTKHDF" in viewer.text
    assert hosts(folder)
    # What is left is the server's: not another's, nor half a line.
    left = folder / "run.dsm.crashed"
    assert left.stat().st_mode & 0o777 == 0o600
    with left.open("a") as file:
        file.write('{"Server":"another","Snapshot":5,"As":"VTKHDF"}\n{"Server":')

    bench.pvbatch("separate.py", 2).wait()
    simulation.wait()
    (second,) = bench.reports()
    assert second["attached"] and {4, 5, 6, 7} <= set(second["seen"]), second
    (told,) = second["crashes"]
    assert told.startswith("ParaView crashed while it read snapshot 4, ") and " as VTKHDF, so " in told
    ((number, (error, points)),) = second["refused"].items()
    assert (number, error) == ("4", told), second
    assert points >= SIZE[0] * SIZE[1] * SIZE[2], second  # pieces share the points between them
    assert not left.exists(), "it goes with the contact file"
    assert not any(map(on_disk, (folder / "live").glob("*.vtkhdf")))


def test_hosts_killed(bench):
    """The memory is gone, and ParaView says so and begins anew; the simulation writes to disk."""
    folder = bench.folder
    viewer = bench.pvbatch("separate_lost.py", 1)
    viewer.wait_for_line("killing")
    for process in hosts(folder):
        os.kill(process, signal.SIGKILL)
    text = viewer.wait()
    (found,) = bench.reports()
    assert found["state"] == "hosts lost" and "cannot be reached" in found["error"], text
    assert found["wait"].startswith("Error: ") and "cannot be reached" in found["wait"]
    assert found["again"] == [False, "listening"]
    assert have_ended(folder) and not (folder / "run.dsm").exists()


def test_another_program_has_it(bench):
    """A server inside another ParaView is not taken away from that."""
    folder = bench.folder
    holder = bench.pvbatch("hosting.py", 1)
    holder.wait_for_file(folder / "run.dsm")
    viewer = bench.pvbatch("separate.py", 1)
    assert viewer.status() != 0
    assert "part of the program that started it" in viewer.text
    (folder / "done").touch()
    holder.wait()


@pytest.mark.skipif(FLAVOUR != "openmpi", reason="of the messages, one MPI library's are enough")
def test_no_launcher(bench):
    viewer = bench.pvbatch("separate.py", 2, DSM_HOST_LAUNCHER="/no/such/launcher -n 2")
    assert viewer.status() != 0
    assert "cannot start /no/such/launcher: No such file" in viewer.text

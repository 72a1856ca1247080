# SPDX-License-Identifier: BSD-3-Clause
"""ParaViews that host nothing watch one server together: each has all snapshots, one steers, one is killed, a guest may
look only. Neither the host nor the others notice, and the server is as it was when they leave."""

import json
import os
import subprocess

import h5py
import pytest

from conftest import BIN, HERE, MPIEXEC

OUTPUTS = 8  # beside that of the beginning
SETTINGS = {"memory_per_host": "64 MiB", "maximum_snapshots": 100}


def watcher(bench, does, contact, ranks=1):
    """A pvbatch that watches. Its report is in a folder of that name."""
    reports = bench.folder / does
    reports.mkdir()
    return bench.start(
        [*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVBATCH"], HERE / "scripts/watch.py"], does,
        **{**bench.script_needs(), "DSM_TEST_REPORTS": reports, "DSM_TEST_DOES": does, "DSM_TEST_WATCHED": contact})


def report(bench, does):
    return json.loads((bench.folder / does / "report.0.json").read_text())


def hosted(bench, by, contact):
    """Starts the hosts: another ParaView, or processes of their own."""
    if by == "pvbatch":
        return bench.pvbatch("hosting.py", 2, True, DSM_TEST_SETTINGS=json.dumps(SETTINGS))
    return bench.start([BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "64 MiB",
                        "--save", bench.folder / "saved"], "dsm-serve")


@pytest.mark.parametrize("by", ["dsm-serve", "pvbatch"])
def test_watched_together(bench, by):
    contact, guest = bench.folder / "run.dsm", bench.folder / "guest.dsm"
    host = hosted(bench, by, contact)
    host.wait_for_file(contact)
    subprocess.run([BIN / "dsm-invite", "--contact", contact, "--view", guest, "--name", "eve"], check=True, timeout=60)
    watchers = {does: watcher(bench, does, guest if does == "guest" else contact, 2 if does == "looks" else 1)
                for does in ("looks", "steers", "dies", "guest")}
    for does, one in watchers.items():
        one.wait_for_file(bench.folder / does / "report.0.json")
    simulation = bench.simulation(
        contact, 2, bench.folder / "live", "--size", 32, "--steps", OUTPUTS * 1000, "--every", 1000)
    for does, one in watchers.items():
        if does == "dies":
            assert one.status() != 0
        else:
            one.wait()
    simulation.wait()

    looks, steers, dies, eve = (report(bench, does) for does in watchers)
    assert looks["watched"] and not looks["attached"] and looks["stopped"]
    assert list(looks["seen"]) == [str(number) for number in range(1, OUTPUTS + 2)], looks
    assert steers["seen"] == looks["seen"] == eve["seen"]
    assert isinstance(steers["steered"], int)
    assert dies["seen"] == {number: looks["seen"][number] for number in ("1", "2", "3")}
    assert "only watches its server" in looks["setting"] and "only watches its server" in eve["setting"], looks
    assert "look only" in eve["drop"], eve
    assert contact.exists() and host.process.poll() is None
    if by == "dsm-serve":
        host.process.terminate()
        host.wait()
        for number, name in enumerate(sorted((bench.folder / "saved").glob("*.vtkhdf")), 1):
            with h5py.File(name) as file:
                values = file["VTKHDF/PointData/v"][()]
            assert looks["seen"][str(number)] == [values.min(), values.max()], name
    else:
        (bench.folder / "done").touch()
        host.wait()

# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that find each other without MPI: each way to start them, and what becomes of the others if one ends, is
suspended or does not come."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from conftest import BIN, MPIEXEC, OPENMPI
from peers import wait_until_gone, wait_until_stopped
from processes import LIMIT, environ
from processes import running as processes

SOON = 20
OTHER_MPIEXEC = "mpiexec.mpich" if OPENMPI else "mpiexec.openmpi"
WRITE = """
import h5py, numpy
with h5py.File("a.h5", "w") as file:
    file["values"] = numpy.random.default_rng(5).random(2_500_000)  # more than two hosts have
"""
READ = """
import h5py, numpy, sys
assert (h5py.File(sys.argv[1])["values"][:] == numpy.random.default_rng(5).random(2_500_000)).all()
"""


def words(bench):
    return [BIN / "dsm-serve", "--contact", bench.contact, "--save", bench.saved, "--memory-per-host", "8 MiB",
            "--limit", LIMIT]


def one(bench, *options, **environment):
    """Starts a host process of its own."""
    return bench.start(*words(bench), *options, **environment)


def by_hand(bench, hosts, *options, **environment):
    return [one(bench, "--host", f"{host}/{hosts}", *options, **environment) for host in range(hosts)]


def by_slurm(bench, hosts):
    """Starts hosts with the variables of srun."""
    return [one(bench, SLURM_JOB_ID=17, SLURM_STEP_ID=0, SLURM_STEP_NUM_TASKS=hosts, SLURM_PROCID=host)
            for host in range(hosts)]


def by_launcher(*launcher):
    return lambda bench, hosts: [bench.start(*launcher, "-n", hosts, *words(bench))]


WAYS = {"by hand": by_hand, "Slurm": by_slurm, "mpiexec": by_launcher(*MPIEXEC),
        "the other MPI's mpiexec": by_launcher(OTHER_MPIEXEC, *(() if OPENMPI else ("--oversubscribe",)))}


def run(bench, script, *words):
    subprocess.run([str(word) for word in (BIN / "dsm-run", "--contact", bench.contact, sys.executable, "-c", script,
                                           *words)],
                   env=environ(), cwd=bench.folder, timeout=LIMIT, check=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("way", WAYS)
def test_start(bench, way):
    """Four hosts lend their memory together, whoever starts them, and none has MPI or HDF5."""
    jobs = WAYS[way](bench, 4)
    jobs[0].wait_for_line("ready")
    run(bench, WRITE)
    run(bench, READ, "a.h5")
    jobs[0].wait_for_line("snapshot 1")
    hosts = processes("dsm-serve", bench.contact)
    assert len(hosts) == 4
    for host in hosts:
        maps = pathlib.Path(f"/proc/{host}/maps").read_text()
        assert "libmpi" not in maps and "libhdf5" not in maps
    first = next(host for host in hosts if host_number(host) == 0)
    os.kill(first, signal.SIGTERM)
    assert [job.status(SOON) for job in jobs] == [0] * len(jobs)
    wait_until_gone("dsm-serve", bench.contact, SOON)
    subprocess.run([sys.executable, "-c", READ, bench.saved / "a.h5"], check=True, timeout=LIMIT)
    assert not list(bench.folder.glob("run.dsm*"))


def host_number(process):
    """Returns the number of a host that its launcher or its user has told it."""
    words = pathlib.Path(f"/proc/{process}/cmdline").read_text().split("\0")
    if "--host" in words:
        return int(words[words.index("--host") + 1].split("/")[0])
    told = dict(entry.split("=", 1) for entry in pathlib.Path(f"/proc/{process}/environ").read_text().split("\0")
                if "=" in entry)
    return next(int(told[name]) for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID") if name in told)


def test_others_end_with_host_zero(bench):
    jobs = by_hand(bench, 3)
    jobs[0].wait_for_line("ready")
    jobs[0].stop(kill=True)
    for number in (1, 2):
        assert jobs[number].status(SOON) == 1
        assert jobs[number].text == f"dsm-serve: host 0 of 3 has ended, and host {number} ends as well\n"


def test_host_zero_stays_until_all_know_the_end(bench):
    held = bench.folder / "held"
    held.touch()
    first = one(bench, "--host", "0/2", DSM_TEST_HOLD=f"0:before the hosts end:{held}")
    second = one(bench, "--host", "1/2")
    first.wait_for_line("ready")
    first.process.terminate()
    first.wait_for_file(pathlib.Path(f"{held}.reached"))
    time.sleep(1)  # the second waits for the first in the same place
    second.process.send_signal(signal.SIGSTOP)
    wait_until_stopped([second.process.pid])
    held.unlink()
    time.sleep(1)
    assert first.process.poll() is None
    second.process.send_signal(signal.SIGCONT)
    assert (first.status(SOON), second.status(SOON), second.text) == (0, 0, "")


def test_host_zero_says_which_has_ended(bench):
    jobs = by_hand(bench, 3)
    jobs[0].wait_for_line("ready")
    jobs[2].stop(kill=True)
    jobs[0].process.terminate()
    assert jobs[0].status(SOON) == 1
    assert "host 2 of 3 has ended" in jobs[0].text
    assert jobs[1].status(SOON) == 1


def test_host_zero_says_first_why_all_end(bench):
    """A launcher shows nothing more once one of its processes has failed."""
    bench.saved.touch()  # no folder can be made there
    held = bench.folder / "held"
    held.touch()
    job = bench.start(*MPIEXEC, "-n", 3, *words(bench), DSM_TEST_HOLD=f"0:after rank 0 has decided:{held}")
    job.wait_for_file(pathlib.Path(f"{held}.reached"))
    time.sleep(1)
    assert len(processes("dsm-serve", bench.contact)) == 3
    held.unlink()
    assert job.status(SOON) == 1
    assert job.text.count("dsm-serve: ") == 1 and str(bench.saved) in job.text, job.text


def test_suspended_hosts_are_waited_for(bench):
    """A host that was suspended for longer than peers may be silent."""
    for suspended in (0, 1):
        jobs = by_hand(bench, 2, DSM_PEER_TIMEOUT=1)
        jobs[0].wait_for_line("ready")
        jobs[suspended].process.send_signal(signal.SIGSTOP)
        wait_until_stopped([jobs[suspended].process.pid])
        time.sleep(4)
        jobs[suspended].process.send_signal(signal.SIGCONT)
        run(bench, "import h5py; h5py.File('b.h5', 'w')['x'] = range(10)")
        jobs[0].process.terminate()
        assert [job.status(SOON) for job in jobs] == [0, 0], [job.text for job in jobs]


def test_one_is_missing(bench):
    """They can be ended while they wait, and leave nothing."""
    jobs = [one(bench, "--host", f"{host}/3") for host in (0, 2)]
    jobs[0].wait_for_file(pathlib.Path(f"{bench.contact}.hosts"))
    time.sleep(1)
    for job in jobs:
        job.process.terminate()
    assert [job.status(SOON) for job in jobs] == [1, 1]
    assert "of 3 hosts these have not come" in jobs[0].text and ": 1. Start" in jobs[0].text
    assert not list(bench.folder.glob("run.dsm*"))


def test_two_of_one_number(bench):
    jobs = [one(bench, "--host", "0/3"), one(bench, "--host", "1/3"), one(bench, "--host", "1/3")]
    jobs[0].wait_until(lambda: any(job.process.poll() is not None for job in jobs[1:]), "end of one")
    said = "".join(job.text for job in jobs[1:])
    assert said == "dsm-serve: there are two hosts 1 of 3\n"
    jobs.append(one(bench, "--host", "2/3"))
    jobs[0].wait_for_line("ready")


def test_started_twice(bench):
    """The second hosts end, and say once why."""
    by_hand(bench, 2)[0].wait_for_line("ready")
    again = by_hand(bench, 2)
    assert [job.status(SOON) for job in again] == [1, 1]
    assert "a server is already running with" in again[0].text and again[1].text == ""


@pytest.mark.parametrize("options", [["--transport", "mpi-messages"], ["--one-thread"]])
def test_with_mpi(bench, options):
    """A transport over MPI is a program with MPI."""
    host = one(bench, *options)
    host.wait_for_line("ready")
    assert "libmpi" in pathlib.Path(f"/proc/{host.process.pid}/maps").read_text()
    run(bench, "import h5py; h5py.File('b.h5', 'w')['x'] = range(10)")
    host.wait_for_line("snapshot 1")
    host.process.terminate()
    assert host.status(SOON) == 0


def test_numbers_are_not_for_mpi(bench):
    host = one(bench, "--transport", "mpi-messages", "--host", "0/2")
    assert host.status(SOON) == 2
    assert "--host numbers hosts that find each other without MPI" in host.text
    host = one(bench, "--host", "2/2")
    assert host.status(SOON) == 2
    assert 'dsm-serve: "2/2" is no host\'s number and their count' in host.text

# SPDX-License-Identifier: BSD-3-Clause
"""dsm-run --publish SECONDS: programs that keep a file open and never flush it are seen all the same. Written by h5py,
alone and with MPI, and by the h5py of PyPI with an HDF5 of its own."""

import subprocess
import sys

import pytest

from test_dsm_run import BIN, LIMIT, LOADER, MPIEXEC, coupled
from test_serial_hdf5 import Hosts, wheel

# A row at each step, and one more at once, which is seen at the close.
STEPS = 5
PROGRAM = """
import sys, time
how, name, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
if how != "alone":
    from mpi4py import MPI
import h5py
given = {} if how == "alone" else {"driver": "mpio", "comm": MPI.COMM_WORLD}
rank = 0 if how == "alone" else MPI.COMM_WORLD.rank
with h5py.File(name, "w", **given) as file:
    rows = file.create_dataset("rows", (0, 8), "i4", maxshape=(None, 8), chunks=(1, 8))
    for step in range(steps + 1):
        rows.resize(step + 1, axis=0)
        if how == "collective":
            with rows.collective:
                rows[step, 4 * rank:4 * rank + 4] = step
        elif how == "independent":
            rows[step, 4 * rank:4 * rank + 4] = step
        else:
            rows[step] = step
        time.sleep(0.3 if step + 1 < steps else 0)
"""


@pytest.fixture
def hosts(tmp_path):
    job = Hosts(tmp_path)
    yield job
    job.stop()


def snapshots(hosts):
    return sum(line.startswith("snapshot ") for line in hosts.lines)


@pytest.mark.parametrize("how", [{"options": ["--publish", "0.1"]}, {"DSM_PUBLISH": "0.1"}], ids=["option", "variable"])
def test_alone(hosts, tmp_path, how):
    """Behind each write whose time has come."""
    done = coupled(hosts, sys.executable, "-c", PROGRAM, "alone", tmp_path / "sim.h5", STEPS, **how)
    assert "warning" not in done.stderr, done.stderr
    hosts.wait_for_line(f"snapshot {STEPS} ")
    values = f"import h5py; print(h5py.File('{hosts.contact}#{STEPS - 1}')['rows'][:, 3].tolist())"
    seen = coupled(hosts, sys.executable, "-c", values).stdout
    assert seen.strip() == str(list(range(STEPS))), "the first write comes before its time"


@pytest.mark.parametrize("version", [["1.14"], []])
def test_hdf5_of_a_wheel(hosts, tmp_path, version):
    coupled(hosts, sys.executable, "-c", PROGRAM, "alone", tmp_path / "sim.h5", STEPS, options=["--publish", "0.1"],
            PYTHONPATH=wheel(*version))
    hosts.wait_for_line(f"snapshot {STEPS} ")


def test_not_before_its_time(hosts, tmp_path):
    coupled(hosts, sys.executable, "-c", PROGRAM, "alone", tmp_path / "sim.h5", STEPS, options=["--publish", "100"])
    hosts.wait_for_line("snapshot 1 ")
    assert snapshots(hosts) == 1, "at its close"


@pytest.mark.skipif("mpich" in str(LOADER), reason="Debian's h5py for MPI is for Open MPI")
def test_ranks(hosts, tmp_path):
    """Where all of them write together; where each writes for itself there is no moment for it."""
    for how, expected in ("collective", STEPS), ("independent", 1):
        before = snapshots(hosts)
        done = coupled(hosts, *MPIEXEC, "-n", 2, sys.executable, "-c", PROGRAM, how, tmp_path / f"{how}.h5", STEPS,
                       options=["--publish", "0.1"])
        hosts.wait_for_line(f"snapshot {before + expected} ")
        assert snapshots(hosts) == before + expected, how
        assert ("write each for itself" in done.stderr) == (how == "independent"), done.stderr


def test_no_such_time(hosts):
    done = subprocess.run([BIN / "dsm-run", "--contact", hosts.contact, "--publish", "-1", "true"], capture_output=True,
                          text=True, timeout=LIMIT, check=False)
    assert done.returncode != 0 and "--publish" in done.stderr, done.stderr

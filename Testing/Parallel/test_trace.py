# SPDX-License-Identifier: BSD-3-Clause
"""DSM_TRACE: what a program's ranks called the driver for, and what dsm-trace makes of it."""

import csv
import json
import signal
import sys

import pytest

from processes import Job, environ
from test_dsm_run import BIN, LIMIT, LOADER, MPIEXEC, PROGRAM, coupled, hosts, run  # noqa: F401 (a fixture)

RANKS = 3
EACH = 50000
BYTES = RANKS * EACH * 4
COLUMNS = "begin seconds rank file operation kind transfer mode address size pieces hosts transport failed name".split()
# Flushes, and then waits to be killed.
KILLED = """
import h5py, sys, time
file = h5py.File(sys.argv[1], "w")
file["x"] = range(1000)
file.flush()
print("flushed", flush=True)
time.sleep(60)
"""
# An access list's own driver, so that a dataset can be chunked and be read with a stride.
STRIDED = """
import h5py, sys
with h5py.File(sys.argv[1], "w") as file:
    file["x"] = range(1000)
with h5py.File(sys.argv[1]) as file:
    assert file["x"][::10].tolist() == list(range(0, 1000, 10))
"""


# Small datasets that all ranks read as a whole, together.
ALIKE = """
import sys
from mpi4py import MPI
import h5py, numpy
together = {"driver": "mpio", "comm": MPI.COMM_WORLD}
with h5py.File(sys.argv[1], "w", **together) as file:
    for i in range(50):
        file.create_dataset(f"x{i}", (10,), "i4")[:] = i
with h5py.File(sys.argv[1], **together) as file:
    collective = h5py.h5p.create(h5py.h5p.DATASET_XFER)
    collective.set_dxpl_mpio(h5py.h5fd.MPIO_COLLECTIVE)
    for i in range(50):
        values = numpy.full(10, -1, "i4")
        file[f"x{i}"].id.read(h5py.h5s.ALL, h5py.h5s.ALL, values, dxpl=collective)
        assert values.tolist() == [i] * 10, (i, values)
"""


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def summary_of(*arguments):
    return json.loads(run(BIN / "dsm-trace", "--json", *arguments).stdout)


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """The traces of a program that writes and reads a file."""
    folder = tmp_path_factory.mktemp("traced")
    serve = Job([*MPIEXEC, "-n", 2, BIN / "dsm-serve", "--contact", folder / "run.dsm", "--memory-per-host", "8 MiB",
                 "--block-size", "64 KiB", "--until-disconnect", "--limit", LIMIT])
    run(BIN / "dsm-run", "--contact", folder / "run.dsm", "--wait", 20, *MPIEXEC, "-n", RANKS, PROGRAM, "parallel",
        folder / "sim.h5", EACH, DSM_TRACE=folder / "trace")
    serve.wait()
    return folder / "trace"


def test_each_rank_says_what_it_did(traced):
    assert sorted(path.name for path in traced.iterdir()) == [f"rank{rank}.csv" for rank in range(RANKS)]
    for rank in range(RANKS):
        rows = rows_of(traced / f"rank{rank}.csv")
        assert list(rows[0]) == COLUMNS
        assert all(row["rank"] == str(rank) and row["failed"] == "0" and float(row["seconds"]) >= 0 for row in rows)
        begins = [float(row["begin"]) for row in rows]
        assert begins == sorted(begins)
        for operation in "write", "read":
            raw = [row for row in rows if row["operation"] == operation and row["kind"] == "raw"]
            assert [(row["size"], row["pieces"]) for row in raw] == [(str(EACH * 4), "1")], raw
            # Each in its place, behind the other's.
            assert int(raw[0]["address"]) % 8 == rank * EACH * 4 % 8
        assert [row["name"] for row in rows if row["operation"] == "open"] == [str(traced.parent / "sim.h5")] * 2
        order = [row["operation"] for row in rows if row["operation"] in {"open", "seal", "close"}]
        assert order == ["open", "seal", "open", "close"], order
        assert {"flush", "truncate"} <= {row["operation"] for row in rows}
        moved = [row for row in rows if row["hosts"]]
        assert moved and all(row["transport"] == "shared-memory" for row in moved)
        for row in moved:
            shares = [share.split(":") for share in row["hosts"].split()]
            assert {host for host, _ in shares} <= {"0", "1"}
            # HDF5 may read beyond the end, where nothing is.
            assert sum(int(size) for _, size in shares) <= int(row["size"])
            assert row["operation"] == "read" or sum(int(size) for _, size in shares) == int(row["size"])


def test_sums_are_what_was_written(traced):
    told = summary_of(traced)
    for operation in "write", "read":
        raw = told["kinds"]["raw"][operation]
        assert (raw["calls"], raw["bytes"], raw["failed"]) == (RANKS, BYTES, 0)
    assert {"superblock", "object header"} <= set(told["kinds"])
    rows = [row for path in traced.iterdir() for row in rows_of(path)]
    for operation in {row["operation"] for row in rows}:
        mine = [row for row in rows if row["operation"] == operation]
        calls = told["operations"][operation]
        assert calls["calls"] == len(mine)
        assert calls["bytes"] == sum(int(row["size"]) for row in mine)
        assert calls["seconds"] == pytest.approx(sum(float(row["seconds"]) for row in mine))
        assert calls["longest"] == max(float(row["seconds"]) for row in mine)
    assert sum(told["ranks"].values()) == pytest.approx(sum(float(row["seconds"]) for row in rows))
    written = sum(int(row["size"]) for row in rows if row["operation"] == "write")
    assert sum(host["write"] for host in told["hosts"].values()) == written
    assert all(host["write"] >= EACH * 4 / 2 for host in told["hosts"].values()), "blocks go to both hosts"
    transfers = [row for row in rows if row["operation"] in {"read", "write"}]
    assert sum(sum(each.values()) for each in told["sizes"]["calls"].values()) == len(transfers)
    assert told["sizes"]["calls"][str(1 << 17)] == {"read": RANKS, "write": RANKS}
    assert sum(sum(each.values()) for each in told["sizes"]["pieces"].values()) == sum(
        int(row["pieces"]) for row in transfers)
    longest = sorted((float(row["seconds"]) for row in rows), reverse=True)[:10]
    assert [row["seconds"] for row in told["slowest"]] == longest
    assert [len(summary_of(traced, "--slowest", most)["slowest"]) for most in (0, 3)] == [0, 3]


def test_text(traced):
    text = run(BIN / "dsm-trace", traced).stdout
    assert f"{RANKS} ranks, 1 file, " in text
    assert "raw, write" in text and "shared-memory, read" in text and "independent, write" in text
    assert str(traced.parent / "sim.h5") in text and "FAILED" not in text
    assert "128 KiB" in text and "####" in text
    assert "DSM_TRACE=trace" in run(BIN / "dsm-trace", "--help").stdout


def test_plot(traced, tmp_path):
    run(BIN / "dsm-trace", traced, "--plot", tmp_path / "trace.png")
    assert (tmp_path / "trace.png").read_bytes().startswith(b"\x89PNG")
    run(BIN / "dsm-trace", traced, "--plot", tmp_path / "trace.svg")
    assert "<svg" in (tmp_path / "trace.svg").read_text()
    # Who has no matplotlib has all the rest.
    (tmp_path / "none").mkdir()
    (tmp_path / "none/matplotlib.py").write_text("raise ImportError('there is none')")
    assert run(BIN / "dsm-trace", traced, PYTHONPATH=tmp_path / "none").stdout
    failed = run(BIN / "dsm-trace", traced, "--plot", tmp_path / "no.png", PYTHONPATH=tmp_path / "none", check=False)
    assert failed.returncode == 1 and "python3-matplotlib" in failed.stderr and "Traceback" not in failed.stderr


def test_over_the_network(hosts, tmp_path):  # noqa: F811
    coupled(hosts, *MPIEXEC, "-n", 2, PROGRAM, "parallel", tmp_path / "sim.h5", EACH, DSM_TRACE=tmp_path / "trace",
            DSM_TRANSPORT="fabric/tcp", DSM_NODE_MEMORY="off")
    told = summary_of(tmp_path / "trace")
    assert "fabric/tcp" in told["transports"] and "shared-memory" not in told["transports"]


def test_pieces(hosts, tmp_path):  # noqa: F811
    """A serial HDF5, whose selections are one call of many pieces; ranks are as the launcher says."""
    coupled(hosts, sys.executable, "-c", STRIDED, tmp_path / "sim.h5", DSM_TRACE=tmp_path / "serial.%r.csv",
            PMI_RANK=5, OMPI_COMM_WORLD_RANK=5)
    rows = [row for row in rows_of(tmp_path / "serial.5.csv") if row["operation"] == "read" and row["kind"] == "raw"]
    assert [(row["size"], row["pieces"]) for row in rows] == [("800", "100")]
    assert summary_of(tmp_path / "serial.5.csv")["sizes"]["pieces"]["8"]["read"] >= 100


@pytest.mark.skipif("mpich" in str(LOADER), reason="Debian's h5py for MPI is for Open MPI")
@pytest.mark.parametrize("memory", ["off", "on"])
def test_one_reads_for_all(hosts, tmp_path, memory):  # noqa: F811
    """Where HDF5 finds that all ranks read the same, but where each has it in its memory already."""
    coupled(hosts, *MPIEXEC, "-n", 2, sys.executable, "-c", ALIKE, tmp_path / "sim.h5", DSM_TRACE=tmp_path / "trace",
            DSM_NODE_MEMORY=memory)
    for rank in range(2):
        reads = [row for row in rows_of(tmp_path / f"trace/rank{rank}.csv")
                 if row["operation"] == "read" and row["kind"] == "raw"]
        assert len(reads) == 50 and all(row["transfer"] == "collective" for row in reads)
        moved = [row for row in reads if row["hosts"]]
        if memory == "on":
            assert len(moved) == 50 and all(row["mode"] == "independent" for row in reads)
        else:
            assert all(row["mode"] == "single process" for row in reads)
            assert len(moved) <= (0 if rank else 5), "the others lie beside the first"


def test_killed_program(hosts, tmp_path):  # noqa: F811
    trace = tmp_path / "trace"
    job = Job([BIN / "dsm-run", "--contact", hosts.contact, "--wait", 20, sys.executable, "-c", KILLED,
               tmp_path / "sim.h5"], environ(DSM_TRACE=trace))
    job.wait_for_line("flushed")
    job.process.send_signal(signal.SIGKILL)
    job.status(LIMIT)
    told = summary_of(trace)
    assert told["kinds"]["raw"]["write"]["bytes"] == 8000 and "flush" in told["operations"]
    # As it is where the system had not yet taken all of a line.
    path = trace / "rank0.csv"
    path.write_bytes(path.read_bytes()[:-7])
    assert summary_of(trace)["incomplete"] == 1
    assert "1 incomplete" in run(BIN / "dsm-trace", trace).stdout


def test_what_is_no_trace(tmp_path):
    def complaint(*arguments):
        done = run(BIN / "dsm-trace", *arguments, check=False)
        assert done.returncode == 1 and "Traceback" not in done.stderr
        return done.stderr

    (tmp_path / "empty").mkdir()
    assert "no trace" in complaint(tmp_path / "empty")
    assert "No such file" in complaint(tmp_path / "nowhere.csv")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    assert "no column address" in complaint(tmp_path / "other.csv")
    (tmp_path / "head.csv").write_text(",".join(COLUMNS) + "\n")
    assert "no call was traced" in complaint(tmp_path / "head.csv")


@pytest.mark.parametrize("where", ["file/trace", "%d"])
def test_trace_that_cannot_be(hosts, tmp_path, where):  # noqa: F811
    """The program does not suffer."""
    (tmp_path / "file").write_text("")
    done = coupled(hosts, PROGRAM, "serial", tmp_path / "sim.h5", DSM_TRACE=tmp_path / where)
    assert done.stderr.count("DSM_TRACE") == 1 and "not traced" in done.stderr, done.stderr

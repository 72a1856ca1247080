# SPDX-License-Identifier: BSD-3-Clause
"""dsm-perf moves the same bytes in every way, and says what it cannot do; never how fast."""

import csv
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from separate_jobs import SeparateJobs

BUILD = Path(os.environ["DSM_TEST_BUILD"])
APIS = ["posix", "mpiio", "phdf5", "dsm"]
PATTERNS = {
    "contiguous": ["-e", "64KiB", "-d", "2", "-F", "2"],
    "chunked, independent": ["-e", "64KiB", "-c"],
    "interleaved, collective": ["-e", "64KiB", "-I", "-B", "8KiB", "-C"],
    "interleaved, chunked, collective": ["-e", "64KiB", "-I", "-B", "8KiB", "-C", "-c"],
}


@pytest.fixture(scope="module", name="served")
def serve(tmp_path_factory):
    folder = tmp_path_factory.mktemp("perf")
    jobs = SeparateJobs(SimpleNamespace(build=BUILD, head_start=0, serve=None), folder)
    server = jobs.job([BUILD / "bin" / "dsm-serve", "--contact", folder / "run.dsm", "--memory-per-host", "64MiB"],
                      ranks=2)
    server.wait_for_line("ready")
    yield jobs, folder
    server.stop()


def perf(jobs, folder, *options, contact="run.dsm"):
    words = [*jobs.mpiexec(2), BUILD / "bin" / "dsm-perf", "--contact", folder / contact, "--folder", folder,
             "-i", "2", *options]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, env=jobs.environment(),
                          check=False)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_way_writes_and_reads(served, pattern):
    jobs, folder = served
    table = folder / "perf.csv"
    done = perf(jobs, folder, *PATTERNS[pattern], "-o", table)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    seen = {(row["api"], row["processes"], row["transfer"], row["operation"]) for row in rows}
    assert seen == {(api, processes, transfer, operation) for api in APIS for processes in ("2", "1")
                    for transfer in ("32768", "65536") for operation in ("write", "write_file", "read", "read_file")}
    assert all(float(row["MB_per_s_most"]) >= float(row["MB_per_s_least"]) > 0 for row in rows)
    assert not list(folder.glob("dsm-perf.*")), "it leaves no file"


def test_what_it_cannot_do_is_said_once(served):
    jobs, folder = served
    done = perf(jobs, folder, "-e", "1000", "-x", "300")
    assert done.returncode != 0
    assert done.stderr.count("no multiple of transfers of 300") == 1, done.stderr
    done = perf(jobs, folder, "-A", "dsm", contact="nobody.dsm")
    assert done.returncode != 0
    assert "nobody.dsm" in done.stderr


def test_a_table_and_pictures_are_made(tmp_path):
    bench = Path(__file__).resolve().parent / "perf_bench.py"
    done = subprocess.run([sys.executable, bench, "--build", BUILD, "--writers", "2", "--head-start", "0", "--results",
                           tmp_path, "--", "-e", "64KiB", "-x", "64KiB", "-i", "1"],
                          capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader((tmp_path / "perf.csv").open(encoding="utf-8")))
    assert {(row["shape"], row["api"]) for row in rows} == {(shape, api) for shape in ("contiguous", "interleaved")
                                                            for api in APIS}
    assert all(row["commit"] and row["mpi"] for row in rows)
    for shape in ("contiguous", "interleaved"):
        assert (tmp_path / f"perf_{shape}.png").stat().st_size > 0

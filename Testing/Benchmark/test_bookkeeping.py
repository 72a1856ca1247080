# SPDX-License-Identifier: BSD-3-Clause
"""dsm_bench says what it did: all cells, all bytes, the right data, and reasons. Never how fast."""

import json
import math
import os
import subprocess

import pytest

import processes
import running

BUILD = os.environ["DSM_TEST_BUILD"]
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
LIMIT = 60
# The transports that go from node to node.
ACROSS = [
    name for name, one in processes.offered(os.path.join(BUILD, "bin"))["transports"].items() if not one["node local"]
]


def bench(ranks, *options):
    return running.on_this_machine(BUILD, ranks, ["--rounds", 1, "--warm-ups", 0, *options], MPIEXEC, LIMIT,
                                   capture_output=True, text=True)


def test_every_cell_has_its_rows_and_every_byte_is_counted(tmp_path):
    table = tmp_path / "cells.csv"
    size = 300_000  # no multiple of a block, a page or the number of writers
    done = bench(5, "--contact-folder", tmp_path, "--hosts", "1,2", "--writers", "1,3", "--datasets", "1,4", "--size",
                 size, "--strategy", "contiguous,block cyclic", "--block-size", "4KiB,64KiB", "--mode",
                 "collective,independent", "--csv", table)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = running.rows(table)
    # Blocks mean nothing to the contiguous strategy: 1 + 2 choices; each cell is written and read.
    assert len(rows) == 2 * 2 * 2 * (1 + 2) * 2 * 2
    cells = {tuple(row[key] for key in ("hosts", "writers", "datasets", "strategy", "block_size", "mode", "direction"))
             for row in rows}
    assert len(cells) == len(rows)
    for row in rows:
        writers, datasets = int(row["writers"]), int(row["datasets"])
        assert int(row["bytes"]) == size // 8 // datasets // writers * 8 * datasets * writers
        # What the hosts know to have got is that and HDF5's metadata.
        assert 0 < int(row["bytes_stored"]) - int(row["bytes"]) < 20_000
        assert row["rounds"] == "1" and not row["trouble"]
        seconds = float(row["seconds_median"])
        assert float(row["MB_per_s"]) == pytest.approx(int(row["bytes"]) / seconds * 1e-6, rel=0.01)
        assert float(row["of_memcpy"]) > 0 and float(row["of_tmpfs"]) > 0
    assert len(done.stdout.splitlines()) == 2 + len(rows)
    # No contact file, scratch file or segment stays.
    assert os.listdir(tmp_path) == ["cells.csv"]


def test_a_cell_that_cannot_be_has_its_reason_and_the_others_go_on(tmp_path):
    table = tmp_path / "cells.csv"
    done = bench(2, "--contact-folder", tmp_path, "--size", "64KiB", "--memory-per-host", "256KiB", "--block-size",
                 "1MiB,4KiB", "--write-only", "--csv", table)
    assert done.returncode == 0, done.stdout + done.stderr
    impossible, possible = running.rows(table)
    assert "block" in impossible["trouble"] and not impossible["MB_per_s"]
    assert not possible["trouble"] and float(possible["MB_per_s"]) > 0


def test_a_wrong_number_of_ranks_is_told():
    done = bench(2, "--hosts", "2", "--writers", "1")
    assert done.returncode != 0
    assert "mpiexec -n 3" in done.stderr


def test_puts_and_gets_by_size(tmp_path):
    table = tmp_path / "puts.csv"
    done = bench(2, "--contact-folder", tmp_path, "--put", "--put-size", "8,64KiB", "--put-seconds", "0.01",
                 "--transport", "shared-memory", "--csv", table)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = running.rows(table)
    assert [int(row["bytes"]) for row in rows] == [8, 65536]
    for row in rows:
        assert row["transport"] == row["used"] == "shared-memory" and not row["trouble"]
        assert all(float(row[way]) > 0 for way in ("put_latency_us", "put_MB_per_s", "get_latency_us", "get_MB_per_s"))


def test_a_transport_that_is_named_is_measured_on_one_node(tmp_path):
    table = tmp_path / "puts.csv"
    done = bench(2, "--contact-folder", tmp_path, "--put", "--put-size", "64KiB", "--put-seconds", "0.01",
                 "--transport", *ACROSS, "automatic", "--csv", table)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {row["transport"]: row["used"].split("/")[0] for row in running.rows(table)} == {
        **{name: name for name in ACROSS}, "automatic": "shared-memory"}


def test_an_environment_that_would_change_the_transport_is_refused(monkeypatch):
    monkeypatch.setenv("DSM_TRANSPORT", "shared-memory")
    done = bench(2, "--put", "--put-size", "8", "--transport", "fabric")
    assert done.returncode == 2 and "DSM_TRANSPORT is set" in done.stderr, done.stdout + done.stderr


def test_the_best_of_what_was_measured_is_recommended(tmp_path):
    """Worked out here once more, from the table."""
    table, defaults = tmp_path / "cells.csv", tmp_path / "defaults.json"
    done = bench(2, "--contact-folder", tmp_path, "--hosts", 1, "--writers", 1, "--datasets", 2, "--size", "1MiB",
                 "--strategy", "block cyclic", "--block-size", "4KiB,1MiB", "--csv", table, "--recommend", defaults)
    assert done.returncode == 0, done.stdout + done.stderr
    rates = {}
    for row in running.rows(table):
        assert not row["trouble"], row
        choice = (int(row["block_size"]), row["transport"])
        rates.setdefault(row["direction"], {})[choice] = float(row["MB_per_s"])
    assert {transport for _, transport in rates["write"]} == {"automatic", *ACROSS}
    score = {choice: math.prod(rates[way][choice] / max(rates[way].values()) for way in rates) ** 0.5
             for choice in rates["write"]}
    written = json.loads(defaults.read_text())
    size = {"4 KiB": 4096, "1 MiB": 1 << 20}[written["BlockSize"]]
    assert score[size, written["Transport"]] > max(score.values()) / 1.031


def test_a_recommendation_is_what_servers_use(tmp_path):
    defaults = tmp_path / "config" / "defaults.json"
    done = bench(2, "--contact-folder", tmp_path, "--hosts", 1, "--writers", 1, "--datasets", 2, "--size", "64KiB",
                 "--strategy", "block cyclic", "--block-size", "12KiB", "--transport", "shared-memory",
                 "--recommend", defaults)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recommended here: block cyclic with blocks of 12 KiB, transport shared-memory" in done.stdout
    written = json.loads(defaults.read_text())
    assert (written["Strategy"], written["BlockSize"], written["Transport"]) == (
        "block cyclic",
        "12 KiB",
        "shared-memory",
    )
    served = subprocess.run([os.path.join(BUILD, "bin", "dsm-serve"), "--contact", tmp_path / "run.dsm",
                             "--limit", "0.1", "--memory-per-host", "1MiB"], capture_output=True, text=True,
                            timeout=LIMIT, check=False,
                            env={**os.environ, "DSM_DEFAULTS": str(defaults), "DSM_LOG": "info"})
    assert served.returncode == 0, served.stdout + served.stderr
    assert f"defaults from {defaults}: block cyclic, blocks of 12 KiB, transport shared-memory" in served.stderr

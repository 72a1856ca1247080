# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: what it yields, when it stops waiting, and what it says when something is wrong."""

import time

from conftest import some_ways


@some_ways
def test_api(bench, ranks, symmetric):
    folder = bench.folder
    viewer = bench.pvbatch("server_api.py", ranks, symmetric)
    end = time.monotonic() + 60
    while not list(folder.glob("go.*")):
        assert viewer.process.poll() is None, viewer.text
        assert time.monotonic() < end, viewer.text
        time.sleep(0.05)
    bench.simulation(
        folder / "one.dsm", 2, folder / "live", "--size", 12, 10, 9, "--steps", 40, "--every", 10
    ).wait()
    output = viewer.wait()
    reports = bench.reports()
    assert len(reports) == (ranks if symmetric else 1)
    for found in reports:
        check(found, folder)
        assert len(found["hostBytes"]) == ranks
    assert output.count("there is no snapshot 99") + output.count("snapshot 99 is not in the ring") <= 3, output


def test_status_behind_a_command(bench):
    """ParaView asks for several properties at once, which are of one status: but not of one before the command."""
    bench.pvbatch("commanded.py", 1).wait()
    (found,) = bench.reports()
    assert found["before"] is None and found["behind"] == str(bench.folder / "nowhere.h5")


def check(found, folder):
    assert found["strategy"].startswith("Error: ") and "diagonal" in found["strategy"]
    assert found["environment"].startswith("Error: ") and "zigzag" in found["environment"]
    assert "drop oldest" in found["policy"] and found["policy"].startswith("ValueError")
    assert "8 apples" in found["size"]
    assert "no/such/folder" in found["place"]
    assert found["lending"].startswith("Error: ") and "borrowed" in found["lending"]
    assert found["pinned"][0] == "memory is pinned, 4 slots of 2 MiB on each host: as it was asked for"
    assert found["lendingWaits"] == "memory allocation (at the next start)"
    assert found["contact"] == str(folder / "one.dsm")
    assert found["twice"].startswith("Error: ") and "one.dsm" in found["twice"]
    assert found["second"] == "none"
    assert "zigzag" in found["redistribute"] and "a cycle of 1000 blocks" in found["cycle"]
    assert found["random"] == "none"

    # Where nobody says, the machine does; an explicit choice goes before the environment.
    assert found["usual"] == ["contiguous", 65536, "fabric/tcp"]
    assert found["chosen"] == ["contiguous", 4096, "shared-memory"]
    # Changes, while it runs.
    assert found["pending"] == "strategy, block size, seed (from the next file)"
    assert found["inForce"] == ["random block", 4096, 2**24, "drop oldest", 2047]
    assert "pigeon" in found["pigeon"] and "started with it" in found["mpi"]
    assert "can grow to" in found["huge"] and "100000" in found["many"]
    assert found["unharmed"] == ["automatic", 2**24, 2047]
    assert found["changed"] == ["fabric/tcp,shared-memory:8192", 2**25, 20, "drop newest", 5]
    assert found["waits"] == "strategy, block size, seed, transport (from the next file)"
    assert found["counts"] == ""
    # Gray-Scott's five files, and what HDF5 adds: all that was written was put somewhere.
    assert found["received"] == sum(found["hostBytes"]) > 5 * 2 * 8 * 12 * 10 * 9
    assert found["rate"] > 0 and found["blocked"] > 0

    assert found["silence"].startswith("TimeoutError: no snapshot came within 1.2 s: no simulation has connected")
    assert 1.1 < found["waited"] < 10
    assert found["empty"] == 0 and found["emptyError"] in ("", [])

    assert found["seen"] == [[n + 1, 10 * n, 10 * n, True, ["u", "v"]] for n in range(5)]
    assert found["state"] == "listening"
    assert found["again"] == [1, 2, 3, 4, 5]
    assert found["newest"] == [5]
    assert found["some"] == [2, 4]

    assert found["times"] == [0, 10, 20, 30, 40]
    assert found["follows"] == 5 and found["back"] == 2 and found["unknown"] == 5
    assert "99" in found["gone"] and found["gonePoints"] == 0
    assert "there is no snapshot 98" in found["named"]
    assert "99" in found["save"] and "no/such/folder" in found["saveWhere"]
    assert found["own"] == ["u", "v"]
    assert found["after"] == "none" and not found["left"]

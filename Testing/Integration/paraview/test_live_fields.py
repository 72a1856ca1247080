# SPDX-License-Identifier: BSD-3-Clause
"""What ParaView reads from memory is what the simulation computed, element by element."""

import subprocess

import h5py

from conftest import BIN, ways
from processes import offered, on_disk

# Sizes that no rank count divides.
GRID = ("--size", 23, 17, 13, "--steps", 30, "--every", 10)
STEPS = [0, 10, 20, 30]
# Every strategy, with every number of writers at least once.
CASES = [
    "block cyclic/1", "changing/2", "block cyclic/3", "block cyclic/5",
    "contiguous/2", "mask/3", "random block/5", "random block/1",
]
STRATEGIES = list(offered(BIN)["strategies"])
CASES += [f"{name}/2" for name in STRATEGIES if name not in {case.split("/")[0] for case in CASES}]


@ways
def test_fields(bench, ranks, symmetric):
    folder = bench.folder
    bench.simulation(None, 2, folder / "disk", *GRID).wait()
    cases = ["changing/2", "random block/3"] if symmetric else CASES
    viewer = bench.pvbatch("live_fields.py", ranks, symmetric, DSM_TEST_CASES=";".join(cases),
                              DSM_TEST_STRATEGIES=";".join(STRATEGIES))
    for case in cases:
        _, count = case.split("/")
        contact = folder / f"{case.replace(' ', '_').replace('/', '.')}.dsm"
        viewer.wait_for_file(contact)
        bench.simulation(contact, count, folder / "live", *GRID).wait()
    viewer.wait()

    reports = bench.reports()
    assert len(reports) == ranks
    assert not [found["wrong"] for found in reports if "wrong" in found]
    # Every rank looked at its part, and the parts are the whole: neighbours share a face.
    whole = 23 * 17 * 13 * len(STEPS) * len(cases)
    assert whole <= sum(found["points"] for found in reports) <= 1.2 * whole
    for found in reports if symmetric else reports[:1]:
        assert found["compared"] == dict.fromkeys(cases, STEPS)
    assert not (folder / "live").exists() or not any(map(on_disk, (folder / "live").iterdir()))

    # Saved byte by byte, a snapshot is the file that the uncoupled run wrote.
    for case in cases:
        saved = folder / f"saved.{case.replace('/', '.')}.vtkhdf"
        subprocess.run(["h5diff", saved, folder / "disk" / "gray_scott.00010.vtkhdf"], check=True, timeout=60)
        subprocess.run(["h5dump", "-H", saved], check=True, timeout=60, stdout=subprocess.DEVNULL)
        with h5py.File(saved) as file:
            assert file["VTKHDF/PointData/v"].shape == (13, 17, 23)

# SPDX-License-Identifier: BSD-3-Clause
"""A script in pvbatch steers a simulation of another job."""

import pytest
from conftest import BIN, MPIEXEC


@pytest.mark.parametrize(("ranks", "symmetric", "simulating"), [(1, False, 2), (2, True, 1), (3, False, 5)])
def test_script_steers(workshop, ranks, symmetric, simulating):
    contact = workshop.folder / "steer.dsm"
    viewer = workshop.pvbatch("steering.py", ranks, symmetric)
    viewer.wait_for_file(contact)
    simulation = workshop.start(
        [*MPIEXEC, "-n", simulating, BIN / "dsmSteeredProgram"], "simulation", DSM_CONTACT=contact, DSM_START_PAUSED=1)
    viewer.wait()
    text = simulation.wait()
    reports = workshop.reports()
    assert len(reports) == (ranks if symmetric else 1)
    for found in reports:
        assert "no simulation that can be steered" in found["nobody"]
        assert found["offered"] == ["flag", "count", "feed", "mode", "label", "where", "output interval"]
        assert found["state"] == "paused"
        assert found["first"] == ["applied", 0, ["feed", "mode", "where"]]
        assert found["feed"] == 0.05 and found["where"] == [1, 2, 3]
        assert list(found["refused"]) == ["feed"] and "at most 0.1 1/s" in found["refused"]["feed"]
        assert found["flag"] is False and found["left"] == 0
        assert 1.5 <= found["energy"] < 1.8 and found["steps"] == sorted(found["steps"])
        assert found["readme"] == [0.04, True]
        assert found["stopped"] == "applied"
    lines = [line for line in text.splitlines() if line.startswith("step")]
    assert "mode 1 label first where 1 2 3 again 1" in lines[-1] and "same 0" not in text

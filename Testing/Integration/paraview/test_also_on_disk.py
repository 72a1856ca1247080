# SPDX-License-Identifier: BSD-3-Clause
"""Files that are on disk as well, by a setting that a script changes while the simulation runs."""

import pytest
from test_separate import SIZE, check_same


@pytest.mark.parametrize(("ranks", "separate"), [(2, ""), (1, "yes")])
def test_changed_in_a_run(bench, ranks, separate):
    """What was in memory before gets there, too; stop() waits for the rest."""
    folder = bench.folder
    viewer = bench.pvbatch("also_on_disk.py", ranks, DSM_TEST_SEPARATE=separate)
    viewer.wait_for_file(folder / "run.dsm")

    def simulate(contact, name):
        return bench.simulation(contact, 2, folder / name, "--size", *SIZE, "--steps", 6, "--every", 1)

    simulate(folder / "run.dsm", "live").wait()
    viewer.wait()
    simulate(None, "alone").wait()
    for found in bench.reports():
        assert found["before"] == [] and found["rule"] == "all" and found["trouble"] == "", found
        assert ["enter all, none, every N" in text for text in found["refusals"]] == [True, True], found
        assert len(found["after"]) == 7, found
    check_same(folder / "live", folder / "alone")

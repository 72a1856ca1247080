# SPDX-License-Identifier: BSD-3-Clause
"""Lends memory for others to look at, until the test says done."""

import os
import time

import paraviewdsm

folder = os.environ["DSM_TEST_FOLDER"]
with paraviewdsm.Server(
    contact=f"{folder}/run.dsm", memory_per_host="8 MiB", maximum_snapshots=2, when_full="block"
):
    end = time.monotonic() + 100
    while not os.path.exists(f"{folder}/done") and time.monotonic() < end:
        time.sleep(0.1)

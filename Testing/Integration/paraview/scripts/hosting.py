# SPDX-License-Identifier: BSD-3-Clause
"""Lends memory for others to look at, until the test says done."""

import json
import os
import time

import paraviewdsm

folder = os.environ["DSM_TEST_FOLDER"]
settings = {"memory_per_host": "8 MiB", "maximum_snapshots": 2, "when_full": "block"}
settings.update(json.loads(os.environ.get("DSM_TEST_SETTINGS", "{}")))
with paraviewdsm.Server(contact=f"{folder}/run.dsm", **settings):
    end = time.monotonic() + 100
    while not os.path.exists(f"{folder}/done") and time.monotonic() < end:
        time.sleep(0.1)

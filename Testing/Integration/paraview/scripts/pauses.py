# SPDX-License-Identifier: BSD-3-Clause
"""Sets a value and pauses the simulation with it; then it waits to be killed."""

import os
import time

import paraviewdsm
from paraview.simple import Connect

if os.environ.get("DSM_TEST_PORT"):
    Connect("localhost", int(os.environ["DSM_TEST_PORT"]))
server = paraviewdsm.Server(contact=f"{os.environ['DSM_TEST_FOLDER']}/steer.dsm", memory_per_host="1 MiB")
server.steering().wait_for_simulation()
server.parameters["count"] = 8
server.steering().apply(commands=[("pause", None)])
while not server.steering().describe()["paused"]:
    time.sleep(0.02)
print("paused", flush=True)
time.sleep(600)

# SPDX-License-Identifier: BSD-3-Clause
"""A script that steers a simulation, refused changes included, and closes a loop."""

import os
import pathlib
import re
import time

import paraviewdsm
from reporting import report

folder = os.environ["DSM_TEST_FOLDER"]
server = paraviewdsm.Server(contact=f"{folder}/steer.dsm", memory_per_host="8 MiB")
try:
    server.apply()
except paraviewdsm.Error as error:
    report(nobody=str(error))
found = server.steering().wait_for_simulation()
report(offered=[parameter["name"] for parameter in found["declarations"]["parameters"]])

# The simulation began paused (DSM_START_PAUSED). It writes no file, and is connected all the same.
for _ in range(1000):  # as often on each rank
    state = server.status().state
    if state == "paused":
        break
    time.sleep(0.02)
report(state=state)
server.parameters["feed"] = 0.05
server.parameters["where"] = (1, 2, 3)
server.parameters["mode"] = "mirror"
first = server.apply()
report(first=[first["state"], first["step"], sorted(change["name"] for change in first["changes"])])
report(feed=server.parameters["feed"], where=server.parameters["where"])

server.parameters["feed"] = 7
server.parameters["flag"] = True
try:
    server.apply()
except paraviewdsm.Refused as refused:
    report(refused=refused.reasons)
report(flag=server.parameters["flag"], left=len(server.parameters._changes))

# Steps until the simulation's own number is where the script wants it.
server.advance(1)
while (server.observables.get("energy", {}).get("values") or [0])[-1] < 1.5:
    server.advance(1)
energy = server.observables["energy"]
report(energy=energy["values"][-1], steps=energy["steps"])
server.command("seed again")
# The README's own lines.
section = (pathlib.Path(__file__).parents[4] / "README.md").read_text().split("## Steer your code in five lines")[1]
exec(next(text for text in re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S) if "server." in text))
report(readme=[server.parameters["feed"], len(energy) > 0])
stopped = server.stop_simulation()
report(stopped=stopped["state"])
server.stop()

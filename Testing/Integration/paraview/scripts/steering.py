# SPDX-License-Identifier: BSD-3-Clause
"""A script that steers one simulation after the other by all that they offer, refused changes included, and
closes a loop."""

import os
import pathlib
import re
import sys
import time

import paraviewdsm
from reporting import report

sys.path.append(str(pathlib.Path(__file__).parents[3]))
import steering_cases as cases

folder = os.environ["DSM_TEST_FOLDER"]
guide = (pathlib.Path(__file__).parents[4] / "Documentation/Steering.md").read_text()
guide = next(
    text for text in re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL) if "server." in text
)
server = paraviewdsm.Server(contact=f"{folder}/steer.dsm", memory_per_host="8 MiB")


def reason(act, *arguments):
    """Why something is refused; a dictionary where it was the simulation that did not want it."""
    try:
        act(*arguments)
    except paraviewdsm.Refused as refused:
        return refused.reasons
    except (paraviewdsm.Error, ValueError, TypeError) as error:
        return str(error)
    return "not refused"


def wait_until(true, what):
    """Looks are counted, not seconds: ranks that run this side by side must agree."""
    for _ in range(1500):
        if true():
            return
        time.sleep(0.02)
    raise TimeoutError(f"{what}: never")


def set_all(changes):
    for name, value in changes.items():
        server.parameters[name] = value


def tour():
    """All types and commands; the steps at which they took effect, and what became of the first change."""
    steps, first = [], None
    for step, changes, commands in cases.TOUR:
        wait_until(lambda: server.steering().describe()["paused"], f"paused at step {step}")
        wait_until(lambda changes=changes: all(name in server.parameters for name in changes), f"{list(changes)}")
        set_all(changes)
        outcome = server.steering().apply(commands=commands)
        first = first or [[change["name"], change["old"], change["new"]] for change in outcome["changes"]]
        steps.append(outcome["step"])
    return steps, first


def refused():
    """The reasons why nothing of these was taken."""
    told = []
    for changes, _, _ in cases.REFUSALS:
        set_all({"flag": True, **changes})
        told.append(reason(server.apply))
    told += [reason(server.command, name, count) for name, count, _ in cases.REFUSED_COMMANDS]
    values = {name: server.parameters[name] for name in cases.FIRST_VALUES}
    return {"reasons": told, "untouched": values == cases.FIRST_VALUES, "left": len(server.parameters._changes)}


def loop():
    """Steps until the simulation's own number is where the script wants it."""
    server.pause()

    def energy():
        return server.observables["energy"]

    server.advance(wait=True)
    begin = energy()["values"][-1]
    server.parameters["feed"] = 0.08
    while energy()["values"][-1] < begin + 0.2:
        server.advance(wait=True)
    told = {"rise": energy()["values"][-1] - begin, "ordered": energy()["steps"] == sorted(energy()["steps"]),
            "held": server.parameters["feed"], "applied": server.apply()["changes"][0]["old"]}
    server.advance(wait=True)
    return told


report(nobody=reason(server.apply))
steered = []
for _ in range(int(os.environ["DSM_TEST_SIMULATIONS"])):
    found = server.steering().wait_for_simulation()
    # It begins paused (DSM_START_PAUSED). It writes no file, and is connected all the same.
    wait_until(lambda: server.status().state == "paused", "paused at the start")
    declared = found["declarations"]
    told = {"name": found["name"], "parameters": [parameter["name"] for parameter in declared["parameters"]],
            "commands": [command["name"] for command in declared["commands"]], "refused": refused()}
    told["steps"], told["first"] = tour()
    told["stranger"] = reason(server.steering("nobody").apply)
    told["loop"] = loop()
    names = {"server": server}
    exec(guide, names)
    told["guide"] = [server.parameters["feed"], len(names["energy"]) > 0]
    told["stopped"] = server.stop_simulation()["state"]
    wait_until(lambda: server.steering().describe()["state"] == "ended", "its end")
    told["ended"] = reason(server.apply)
    server.steering(found["name"]).parameters["feed"] = 0.05
    told["this one ended"] = reason(server.steering(found["name"]).apply)
    steered.append(told)
    report(steered=steered)
server.stop()

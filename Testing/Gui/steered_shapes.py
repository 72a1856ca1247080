# SPDX-License-Identifier: BSD-3-Clause
"""A simulation of one process with all kinds of vectors, and numbers of all sizes. Prints its values when they
change."""

import time

import dsm

session = dsm.Session(None)
parameters = [
    session.parameter("wind", (0, 0, -9.81), meaning="direction", unit="m/s", text="where it blows to", group="Air"),
    session.parameter("cut origin", (0.5, 0.5, 0.5), meaning="plane origin", group="Cut"),
    session.parameter("cut normal", (1, 0, 0), meaning="plane normal", group="Cut"),
    session.parameter("low", (0.25, 0.25, 0.25), meaning="box minimum", group="Region"),
    session.parameter("high", (0.75, 0.75, 0.75), meaning="box maximum", group="Region"),
    session.parameter("seed", 2**60, text="of the random numbers", group="Numbers"),
    session.parameter("tolerance", 1e-6, group="Numbers"),
]
session.command("rewind", text="start anew", group="Numbers")
session.observable("residual")
step, last, residual = 0, None, 1.0
while session.running:
    session.observe("residual", residual)
    session.step(step, 0.0)
    now = {parameter.name: parameter.value for parameter in parameters}
    if now != last:
        print(f"step {step} {now}", flush=True)
        last = now
    residual = max(residual * 0.98, 1e-9)
    step += 1
    time.sleep(0.002)
print("ended", flush=True)
session.close()

# SPDX-License-Identifier: BSD-3-Clause
"""A simulation of 200 steps, a file each, whose hosts are killed and started again five times at any moment: all steps
are there in the end, each once, on disk or as a snapshot that was saved, byte for byte as without us."""

import random
import signal
import time

from peers import wait_until_gone
from test_lost_server import signalled

STEPS = 200
KILLS = 5
LONGEST = 0.02  # seconds between the beginning of a step and the death of its hosts
PAUSE = 0.05  # what a step computes
BETWEEN = (8, 16)  # steps of coupled hosts before they are killed


def test_two_hundred_steps(bench):
    chance = random.Random(13)
    hosts = [bench.serve()]
    simulation = bench.obey(ranks=2)
    kills = 0
    until_next = chance.randint(*BETWEEN)
    for _ in range(STEPS):
        answer = simulation.ask("file")
        until_next -= newest(hosts[-1]) > 0  # they are coupled
        if until_next <= 0 and kills < KILLS:
            time.sleep(chance.uniform(0, LONGEST))
            signalled(bench, signal.SIGKILL)
            assert answer()[0], simulation.text
            hosts[-1].status()
            kills += 1
            hosts.append(bench.serve(wait=False))
            until_next = chance.randint(*BETWEEN)
        else:
            assert answer()[0], simulation.text
        time.sleep(PAUSE)
    assert kills == KILLS
    hosts[-1].wait_until(lambda: newest(hosts[-1]) == STEPS, "snapshot of the last step")
    assert simulation.ends() == 0, simulation.text
    signalled(bench, signal.SIGTERM, [0])
    assert hosts[-1].status() == 0, hosts[-1].text
    wait_until_gone("dsm-rescue", bench.contact, 20)
    disk = bench.on_disk()
    saved = {file.name: file.read_bytes() for file in bench.saved.iterdir()}
    assert not set(disk) & set(saved), "a step is there twice"
    assert len(bench.snapshots()) == len(set(bench.snapshots()))
    there = {**disk, **saved}
    assert set(there) == {f"sim.{step}.h5" for step in range(1, STEPS + 1)}
    expected = bench.written_alone("file", ranks=2)["sim.1.h5"]
    assert all(content == expected for content in there.values())
    log = bench.contact.with_suffix(".dsm.rescue.log")
    rescued = log.read_text().count(" is saved as ") if log.exists() else 0
    print(f"{len(saved)} of {STEPS} steps saved, {rescued} of them after their hosts were killed; {len(disk)} on disk")


def newest(host):
    """The last step that hosts have told of."""
    told = [line.split()[2] for line in host.lines if line.startswith("snapshot ")]
    return int(told[-1].split(".")[-2]) if told else 0


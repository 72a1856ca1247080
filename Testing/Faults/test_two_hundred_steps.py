# SPDX-License-Identifier: BSD-3-Clause
"""A simulation of 200 steps, a file each, whose hosts are killed and started again five times at any moment: all steps
are there in the end, each once, on disk or as a snapshot that was saved, byte for byte as without us.

What a killed server alone had is lost: the steps between the last that it said to have saved and the first that went to
disk. The test says which, and takes nothing else for it."""

import os
import random
import signal
import time

from peers import processes

STEPS = 200
KILLS = 5
LONGEST = 0.02  # seconds between the beginning of a step and the death of its hosts
PAUSE = 0.05  # what a step computes
BETWEEN = (8, 16)  # steps of coupled hosts before they are killed


def test_two_hundred_steps(bench):
    chance = random.Random(13)
    hosts = [bench.serve()]
    simulation = bench.obey(ranks=2)
    said_before = {}  # of each kill: the newest step that the hosts had said to have
    until_next = chance.randint(*BETWEEN)
    for step in range(1, STEPS + 1):
        answer = simulation.ask("file")
        until_next -= newest(hosts[-1]) > 0  # they are coupled
        if until_next <= 0 and len(said_before) < KILLS:
            time.sleep(chance.uniform(0, LONGEST))
            for process in processes("dsm-serve", bench.contact):
                os.kill(process, signal.SIGKILL)
            assert answer()[0], simulation.text
            hosts[-1].status()
            said_before[step] = newest(hosts[-1])
            hosts.append(bench.serve(wait=False))
            until_next = chance.randint(*BETWEEN)
        else:
            assert answer()[0], simulation.text
        time.sleep(PAUSE)
    assert len(said_before) == KILLS
    hosts[-1].wait_until(lambda: newest(hosts[-1]) == STEPS, "snapshot of the last step")
    assert simulation.ends() == 0, simulation.text
    disk = bench.on_disk()
    saved = {file.name: file.read_bytes() for file in bench.saved.iterdir()}
    assert not set(disk) & set(saved), "a step is there twice"
    assert len(bench.snapshots()) == len(set(bench.snapshots()))
    expected = bench.written_alone("file", ranks=2)["sim.1.h5"]
    there = {**disk, **saved}
    assert all(content == expected for content in there.values())
    lost = [step for step in range(1, STEPS + 1) if f"sim.{step}.h5" not in there]
    print(f"{len(saved)} of {STEPS} steps saved, {len(disk)} on disk, lost with killed hosts: {lost}")
    for step in lost:
        assert any(before < step <= kill for kill, before in said_before.items()), f"step {step} is lost: {lost}"
    assert len(there) + len(lost) == STEPS


def newest(host):
    """The last step that hosts have told of."""
    told = [line.split()[2] for line in host.lines if line.startswith("snapshot ")]
    return int(told[-1].split(".")[-2]) if told else 0


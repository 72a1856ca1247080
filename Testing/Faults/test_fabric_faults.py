# SPDX-License-Identifier: BSD-3-Clause
"""As test_faults.py, where the bytes travel over libfabric: a peer that is lost in the middle of a
write, and providers that are not there."""

import os
import signal
import time

from peers import processes, rank_one, signal_all, wait_until_stopped

PEER_TIMEOUT = 2  # seconds
# What a lost peer may take altogether: the silence, and what a loaded machine adds.
SOON = 20
FABRIC = {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off", "DSM_PEER_TIMEOUT": PEER_TIMEOUT,
          "DSM_WITHOUT_SERVER": "fail"}


def _begin(bench, *options, **environment):
    host = bench.serve(*options, **FABRIC, **environment)
    assert "transport fabric/tcp, served by a thread that sleeps while nothing comes" in host.text
    simulation = bench.simulate("endless", **FABRIC)
    simulation.wait_for_line("writing")
    host.wait_for_line("snapshot 1")
    return host, simulation


def _reported_lost(bench, simulation, begin):
    simulation.wait_to_say("H5Fclose will fail", SOON)
    (bench.folder / "sim.enough").touch()
    assert simulation.status(SOON + 10) != 0
    assert time.monotonic() - begin < SOON
    assert bench.first_file_is_good() == 3000
    assert not (bench.saved / "sim.2.h5").exists()


def test_host_killed(bench):
    _, simulation = _begin(bench)
    victim = rank_one("dsm-serve", bench.contact)
    begin = time.monotonic()
    os.kill(victim, signal.SIGKILL)
    _reported_lost(bench, simulation, begin)
    assert "of the DSM server" in simulation.text or "the server" in simulation.text


def test_host_stopped(bench):
    host, simulation = _begin(bench)
    victim = rank_one("dsm-serve", bench.contact)
    begin = time.monotonic()
    os.kill(victim, signal.SIGSTOP)
    try:
        _reported_lost(bench, simulation, begin)
    finally:
        os.kill(victim, signal.SIGCONT)
    assert "host 1 of 2" in simulation.text
    assert "fabric/tcp" in simulation.text
    assert "DSM_PEER_TIMEOUT" in simulation.text
    host.process.send_signal(signal.SIGTERM)
    host.status(30)


def test_all_stopped(bench):
    """A batch system stops both jobs, or the machine stands still: nobody has been waited for meanwhile."""
    host, simulation = _begin(bench)
    signal_all("dsm-serve", bench.contact, signal.SIGSTOP)
    time.sleep(0.1)  # the simulation waits for them
    signal_all("dsmUnfinished", bench.folder, signal.SIGSTOP)
    wait_until_stopped(processes("dsmUnfinished", bench.folder))
    time.sleep(2 * PEER_TIMEOUT)
    signal_all("dsmUnfinished", bench.folder, signal.SIGCONT)
    time.sleep(0.3)  # less than the hosts may be silent
    signal_all("dsm-serve", bench.contact, signal.SIGCONT)
    time.sleep(1)
    (bench.folder / "sim.enough").touch()
    assert simulation.status(SOON) == 0, simulation.text
    host.wait_for_line("snapshot 2")
    assert "lost" not in simulation.text + host.text
    host.process.send_signal(signal.SIGTERM)
    host.status(30)


def test_writer_killed(bench):
    """The hosts take no harm: the image is discarded, and the next simulation is welcome."""
    host, simulation = _begin(bench)
    for process in processes("dsmUnfinished", bench.folder):
        os.kill(process, signal.SIGKILL)
    simulation.status(30)
    next_one = bench.simulate("wait", **FABRIC)
    next_one.wait_for_line("waiting")
    next_one.say("go on")
    assert next_one.status() == 0
    host.wait_for_line("snapshot 3")  # 2 is the next one's sim.1.h5
    assert bench.first_file_is_good() == 3000
    host.wait_to_say("sim.2.h5 was discarded")  # when the dead one has been silent for long enough
    host.process.send_signal(signal.SIGTERM)
    host.status(30)


def test_lost_over_fabric(bench):
    """What only the hosts' processes reach is lost with them, which is said, and the next file goes to disk."""
    fabric = {**FABRIC, "DSM_WITHOUT_SERVER": "disk"}
    host = bench.serve(**fabric)
    simulation = bench.obey(**fabric)
    simulation.does("begin")
    simulation.does("write 64")
    signal_all("dsm-serve", bench.contact, signal.SIGKILL)
    host.status()
    simulation.fails("close", SOON)
    simulation.wait_to_say("sim.1.h5, which is incomplete now: its H5Fclose will fail", SOON)
    assert "of 2 (" in simulation.text and "of the DSM server" in simulation.text
    simulation.does("file", SOON)
    simulation.wait_to_say("sim.2.h5 and the files after it go to disk", SOON)
    assert simulation.ends() == 4
    assert set(bench.on_disk()) == {"sim.2.h5"}
    assert not bench.snapshots()


def test_no_such_provider(bench):
    host = bench.serve("--transport", "fabric/pigeon", wait=False)
    assert host.status(30) != 0
    assert 'no provider "pigeon"' in host.text
    assert "it has" in host.text and "tcp" in host.text
    # The hosts have one, and the simulation asks for another.
    host = bench.serve(**FABRIC)
    simulation = bench.simulate("finalize", **{**FABRIC, "DSM_TRANSPORT": "fabric/pigeon"})
    assert simulation.status(30) != 0
    assert '"pigeon" in common: the hosts offer tcp' in simulation.text
    welcome = bench.simulate("wait", **FABRIC)
    welcome.wait_for_line("waiting")
    welcome.say("go on")
    assert welcome.status() == 0
    assert host.process.poll() is None

# SPDX-License-Identifier: BSD-3-Clause
"""Steering across jobs: a server in one, a simulation in another, dsm-steer as the viewer."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

import steering_cases as cases
from processes import LIMIT
from steering_bench import BIN, MPIEXEC, SteeringBench, ranks_of

PROGRAMS = json.loads(os.environ["DSM_TEST_PROGRAMS"])


class Bench(SteeringBench):
    def __init__(self, folder):
        super().__init__(folder)
        self.log = folder / "run.dsm.steering.log"

    def simulate(self, *options, program="C", ranks=1, **environment):
        environment = {"DSM_CONTACT": self.contact, "DSM_START_PAUSED": 1, "DSM_LOG": "info", **environment}
        launcher = [*MPIEXEC, "-n", ranks] if ranks else []
        return self.start([*launcher, *PROGRAMS[program], *options], **environment)

    def view(self, *options):
        """A viewer that waits for the outcome of what it has asked for, which is pending."""
        before = self.status()["pending"]
        job = self.start([BIN / "dsm-steer", "--contact", self.contact, *options, "--wait", 60])
        self.status(lambda known: len(known["pending"]) > len(before))
        return job


@contextlib.contextmanager
def stopped(job, program):
    """All ranks that mpiexec has started of a program are suspended."""
    ranks = ranks_of(job, program)
    for rank in ranks:
        os.kill(rank, signal.SIGSTOP)
    try:
        yield
    finally:
        for rank in ranks:
            os.kill(rank, signal.SIGCONT)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize(("program", "ranks"), [
    (name, ranks) for name in PROGRAMS for ranks in (1, 2, 5) if name != "Python" or os.environ.get("DSM_TEST_MPI4PY")
] + ([("Python", 0)] if "Python" in PROGRAMS else []))
def test_every_type_command_and_refusal(bench, program, ranks):
    bench.serve()
    simulation = bench.simulate(program=program, ranks=ranks)
    found = bench.status(lambda known: known["paused"])
    offered = {parameter["name"]: parameter for parameter in found["declarations"]["parameters"]}
    assert offered["feed"] == {"name": "feed", "type": "double", "default": 0.03, "minimum": 0.0, "maximum": 0.1,
                               "unit": "1/s", "text": "how fast u is fed", "group": "Reaction", "meaning": ""}
    assert offered["mode"]["choices"] == ["periodic", "mirror", "fixed"]
    assert offered["where"]["meaning"] == "position" and offered["label"]["capacity"] >= 15
    assert found["values"]["label"] == "first" and found["step"] == 0
    assert (found["last_step"], found["seconds_left"]) == (999999, -1)

    # Set while paused: applied there and then, as one change.
    applied = bench.steer(flag="true", count=7, feed=0.05, mode="fixed", label="second one", where="[1, 2.5, -3]")
    assert applied["state"] == "applied" and applied["step"] == 0
    assert {change["name"]: (change["old"], change["new"]) for change in applied["changes"]} == {
        "flag": (False, True), "count": (3, 7), "feed": (0.03, 0.05), "mode": ("periodic", "fixed"),
        "label": ("first", "second one"), "where": ([0, 0, 0], [1, 2.5, -3])}

    # Refused, each with its reason, and nothing of the rest happens.
    for sets, name, reason in cases.REFUSALS:
        refused = bench.steer(status=3, **{name: json.dumps(value) for name, value in sets.items()})
        assert refused["state"] == "refused"
        assert [entry["name"] for entry in refused["refusals"]] == [name]
        assert reason in refused["refusals"][0]["reason"]
    refused = bench.steer("--command", "dance", status=3)
    assert "pause, resume, advance, pause at, stop" in refused["refusals"][0]["reason"]
    assert '--set has "feed" twice' in bench.run_steer("--set", "feed=0.01", "--set", "feed=0.02", status=1).stderr

    # Three steps, with the command on the way; then pause again at once.
    again = bench.steer("--command", "seed again", "--command", "advance=3")
    assert again["state"] == "applied" and again["step"] == 0
    assert simulation.wait_for_line("step") == f"step 0 {cases.values(pressure=1)}"
    assert bench.status(lambda known: known["paused"] and known["step"] > 0)["step"] == 3

    # A dataset appears when the program first asks whether to write it.
    off = bench.steer("--set", "/fields/pressure=false", "--command", "write snapshot", "--command", "resume")
    assert off["step"] == 3
    assert simulation.wait_for_line("write") == "write at step 3"
    assert simulation.wait_for_line("step 3").endswith("pressure 0 same 1")
    # A step takes a millisecond and what the machine adds.
    assert 900 < bench.status(lambda known: known["seconds_left"] > 0)["seconds_left"] < 1e5

    stopped = bench.steer("--command", "stop")
    assert simulation.wait_for_line("ended at step") == f"ended at step {stopped['step'] + 1}"
    text = simulation.wait()
    assert "same 0" not in text
    observed = bench.status(lambda known: known["state"] == "ended")["observed"]["energy"]
    assert observed["values"][0] >= 1 and observed["steps"] == sorted(observed["steps"])
    log = [line.split("\t") for line in bench.log.read_text().splitlines() if not line.startswith("#")]
    assert [line[7] for line in log if line[6] == "command"] == [
        '"pause"', '"seed again"', '"advance"', '"write snapshot"', '"resume"', '"stop"']
    assert ["set", '"feed"', "0.03", "0.05"] in [line[6:] for line in log]


def test_replay_gives_the_same_bits(bench):
    """A steered run, and its log replayed without a server and with other ranks."""
    bench.serve()
    first = bench.simulate(2000, ranks=2)
    bench.status(lambda known: known["paused"])
    bench.steer("--command", "advance=11")
    for feed in (0.01, 0.0123456789012345, 0.09):
        bench.status(lambda known: known["paused"])
        bench.steer("--command", "seed again", "--command", "advance=7", feed=feed)
    bench.status(lambda known: known["paused"])
    bench.steer("--command", "resume")
    bench.steer(feed=0.02)
    told = [line for line in first.wait().splitlines() if line.startswith(("step", "energy", "ended"))]
    assert len([line for line in told if line.startswith("step")]) == 5
    for ranks in (1, 3):
        again = bench.simulate(2000, 0, ranks=ranks, DSM_CONTACT="", DSM_REPLAY=bench.log)
        assert [line for line in again.wait().splitlines() if line.startswith(("step", "energy", "ended"))] == told
    # A log that does not fit is no replay.
    wrong = bench.folder / "wrong.log"
    wrong.write_text(bench.log.read_text().replace('"feed"', '"food"'))
    text = bench.simulate(2000, 0, DSM_CONTACT="", DSM_REPLAY=wrong).wait(expect=None)
    assert "does not fit this program" in text and "ended" not in text


def test_set_while_the_link_is_lost(bench):
    """Suspended until the server gave it up; it comes back and gets what was set meanwhile, once."""
    bench.serve(DSM_PEER_TIMEOUT=1)
    simulation = bench.simulate(ranks=2, DSM_PEER_TIMEOUT=1, DSM_START_PAUSED=0)
    bench.status()
    with stopped(simulation, "dsmSteeredProgram"):
        bench.status(lambda known: known["state"] == "lost")
        numbers = [bench.steer("--wait", 0, "--command", "seed again", count=count)["transaction"] for count in (4, 5)]
        assert bench.status()["pending"] == numbers
    bench.status(lambda known: known["state"] == "connected" and not known["pending"])
    bench.steer("--command", "stop")
    simulation.wait_for_line("ended")
    last = [line for line in simulation.lines if line.startswith("step")][-1]
    assert "count 5" in last and "again 2" in last and "same 0" not in simulation.text
    log = bench.log.read_text()
    assert log.count("seed again") == 2
    # Both came in one step: the second changed what the first had made.
    assert '"count"\t3\t4' in log and '"count"\t4\t5' in log


def test_server_dies_while_paused(bench):
    """The simulation goes on with its last values, and a new server finds it."""
    server = bench.serve()
    simulation = bench.simulate(ranks=2)
    bench.status(lambda known: known["paused"])
    bench.steer(feed=0.07)
    server.stop()
    assert "feed 0.070000000000000007" in simulation.wait_for_line("step")
    bench.serve()
    found = bench.status(lambda known: not known["paused"])
    assert found["values"]["feed"] == 0.07
    assert bench.steer("--command", "stop")["state"] == "applied"
    simulation.wait()


def test_server_killed_while_paused(bench):
    """Killed, not stopped: the policy says whether the simulation goes on or waits for another server."""
    for policy in ("resume", "stay"):
        server = bench.start(
            [BIN / "dsm-serve", "--contact", bench.contact, "--memory-per-host", "8 MiB", "--limit", 120]
        )
        server.wait_for_line("ready")
        simulation = bench.simulate(ranks=2, DSM_PEER_TIMEOUT=1, DSM_WHEN_VIEWER_DIES=policy)
        bench.status(lambda known: known["paused"])
        bench.steer(feed=0.07, count=9)
        server.stop(kill=True)
        if policy == "resume":
            assert "count 9 feed 0.070000000000000007" in simulation.wait_for_line("step 0 ")
        bench.serve()
        found = bench.status(lambda known, policy=policy: known["paused"] == (policy == "stay"))
        assert found["values"]["feed"] == 0.07 and found["values"]["count"] == 9
        bench.steer("--command", "resume", "--command", "stop")
        simulation.wait()
        bench.jobs[-1].stop()


def test_viewer_killed_before_its_pause_came(bench):
    """The simulation looks too late: who wanted the pause is dead by then, and nobody would end it."""
    bench.serve(DSM_PEER_TIMEOUT=2)
    simulation = bench.simulate(ranks=0, DSM_START_PAUSED=0, DSM_PEER_TIMEOUT=60)
    simulation.wait_for_line("step 0 ")
    before = bench.status()
    simulation.process.send_signal(signal.SIGSTOP)
    # The server gives the suspended simulation up as well; then it comes back.
    viewer = bench.view("--set", "count=8", "--command", "pause")
    viewer.stop(kill=True)
    bench.status(lambda known: len(known["pending"]) == 2)
    simulation.process.send_signal(signal.SIGCONT)
    assert "count 8" in simulation.wait_for_line("step")
    found = bench.status(lambda known: not known["pending"] and not known["paused"])
    assert found["step"] > before["step"]
    bench.steer("--command", "stop")
    simulation.wait()


@pytest.mark.parametrize("policy", ["resume", "stay"])
def test_viewer_killed_after_its_pause_came(bench, policy):
    """Stopped while it waits for the outcome, so that it cannot say goodbye, and then killed."""
    server = bench.serve(DSM_PEER_TIMEOUT=4, DSM_WHEN_VIEWER_DIES=policy, DSM_LOG="info")
    simulation = bench.simulate(ranks=2, DSM_START_PAUSED=0, DSM_PEER_TIMEOUT=60)
    simulation.wait_for_line("step 0 ")
    with stopped(simulation, "dsmSteeredProgram"):
        viewer = bench.view("--set", "count=8", "--command", "pause")
        viewer.process.send_signal(signal.SIGSTOP)
    paused = bench.status(lambda known: known["paused"])
    assert paused["values"]["count"] == 8 and not viewer.text
    viewer.stop(kill=True)
    if policy == "resume":
        assert (
            bench.status(lambda known: not known["paused"] and known["step"] > paused["step"])["values"]["count"] == 8
        )
        assert "the viewer that paused it has disconnected" in bench.log.read_text()
    else:
        server.wait_to_say("it stays paused")
        found = bench.status()
        assert found["paused"] and found["step"] == paused["step"] and not found["pending"]
    bench.steer("--command", "resume", "--command", "stop")
    assert "same 0" not in simulation.wait()


def test_viewer_killed_in_the_middle_of_an_apply(bench):
    """What it has sent counts as a whole, and once."""
    bench.serve(DSM_PEER_TIMEOUT=4)
    simulation = bench.simulate(ranks=2, DSM_START_PAUSED=0, DSM_PEER_TIMEOUT=60)
    simulation.wait_for_line("step 0 ")
    with stopped(simulation, "dsmSteeredProgram"):
        for change in (4, 5):
            bench.view("--set", f"count={change}", "--set", "feed=0.07", "--command", "seed again").stop(kill=True)
    found = bench.status(lambda known: not known["pending"])
    assert found["values"]["count"] == 5 and found["values"]["feed"] == 0.07 and not found["paused"]
    bench.steer("--command", "stop")
    text = simulation.wait()
    assert "count 5" in text and "again 2" in text and "same 0" not in text
    assert bench.log.read_text().count("seed again") == 2


@pytest.mark.parametrize("program", PROGRAMS)
def test_snapshot_while_paused(bench, program):
    """A program that said how it writes does it then and there; of another, viewers hear when it will."""
    bench.serve()
    for ranks, writes in (
        [(2, True), (1, False)] if program != "Python" or os.environ.get("DSM_TEST_MPI4PY") else [(0, True)]
    ):
        simulation = bench.simulate(1000000, 1000, *([1] if writes else []), program=program, ranks=ranks)
        bench.status(lambda known: known["paused"] and known["state"] == "connected")
        asked = bench.steer("--command", "write snapshot")
        assert asked["state"] == "applied" and asked["step"] == 0
        if writes:
            assert simulation.wait_for_line("written") == "written at step 0" and "detail" not in asked
            assert bench.steer("--command", "advance")["step"] == 0
        else:
            assert "will be written when the run goes on" in asked["detail"]["note"]
            assert "detail" not in bench.steer("--command", "write snapshot", "--command", "advance")
            assert simulation.wait_for_line("write at") == "write at step 0"
        bench.status(lambda known: known["paused"] and known["step"] == 1)
        bench.steer("--command", "stop")
        assert ("write at step" in simulation.wait()) != writes


@pytest.mark.parametrize("program", PROGRAMS)
def test_pause_at_a_step(bench, program):
    """All ranks pause at that very step, however often they are resumed before; at once if it has passed."""
    bench.serve()
    simulation = bench.simulate(1000000, 1000, program=program,
                                ranks=3 if program != "Python" or os.environ.get("DSM_TEST_MPI4PY") else 0)
    bench.status(lambda known: known["paused"] and known["state"] == "connected")
    bench.steer("--command", "pause at=2", "--command", "advance=5")
    bench.status(lambda known: known["paused"] and known["step"] == 2)
    bench.steer("--command", "pause at=300")
    bench.steer("--command", "resume")
    bench.steer("--command", "resume")
    bench.status(lambda known: known["paused"] and known["step"] == 300)
    # Once, and not at each step from there on.
    bench.steer("--command", "advance=2")
    bench.status(lambda known: known["paused"] and known["step"] == 302)
    bench.steer("--command", "resume", "--command", "pause at=7")
    assert bench.status(lambda known: known["paused"])["step"] == 302
    bench.steer("--command", "stop")
    simulation.wait()


def test_to_disk_while_paused(bench):
    """The file is there before the run goes on, and is the one that the same run writes to disk."""
    bench.serve(DSM_LOG="info")
    options = ["--size", 12, "--steps", 4, "--every", 3, "--output"]
    job = bench.start([BIN / "dsm-run", "--contact", bench.contact, *MPIEXEC, "-n", 2, BIN / "gray_scott", *options,
                       bench.folder / "live"], DSM_START_PAUSED=1)
    bench.status(lambda known: known["paused"])
    bench.steer("--command", "advance")
    assert bench.status(lambda known: known["paused"] and known["step"] == 1)
    saved = bench.folder / "run.dsm.saved/gray_scott.00001.vtkhdf"
    done = bench.steer("--command", "write to disk")
    assert done["detail"]["path"] == str(saved) and done["detail"]["note"] == f"written to {saved}" and saved.exists()
    assert bench.status()["step"] == 1
    # A second time it goes beside the first; where it cannot be written, the reason comes back.
    assert "00001.snapshot" in bench.steer("--command", "write to disk")["detail"]["path"]
    shutil.rmtree(saved.parent)
    saved.parent.write_text("in the way")
    failed = bench.steer("--command", "write to disk")
    assert failed["state"] == "applied" and "not written to disk" in failed["detail"]["note"]
    assert "run.dsm.saved" in failed["detail"]["note"]
    saved.parent.unlink()
    assert bench.steer("--command", "write to disk")["detail"]["path"] == str(saved)
    bench.steer("--command", "resume")
    job.wait()
    bench.start([*MPIEXEC, "-n", 1, BIN / "gray_scott", *options[:-3], "--every", 1, "--output", bench.folder / "disk"],
                DSM_CONTACT="").wait()
    subprocess.run(["h5diff", saved, bench.folder / "disk/gray_scott.00001.vtkhdf"], check=True, timeout=LIMIT)


def test_set_while_snapshots_are_written(bench):
    """A simulation that does little else than to write: what is set meanwhile comes once, and in order."""
    bench.serve()
    options = ["--size", 80, "--steps", 100000, "--every", 1, "--output", bench.folder / "live"]
    simulation = bench.start(
        [BIN / "dsm-run", "--contact", bench.contact, *MPIEXEC, "-n", 2, BIN / "gray_scott", *options])
    simulation.wait_for_line("step ")
    steps = [bench.steer("--command", "seed again", feed=0.01 + 0.001 * change)["step"] for change in range(12)]
    assert steps == sorted(steps)
    bench.steer("--command", "stop")
    simulation.wait()
    log = [line.split("\t") for line in bench.log.read_text().splitlines() if "\tgray_scott\t" in line]
    assert [float(line[9]) for line in log if line[7] == '"feed"'] == [0.01 + 0.001 * change for change in range(12)]
    assert sum(line[7] == '"seed again"' for line in log) == 12


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_server(bench, program):
    for environment in ({"DSM_CONTACT": ""}, {}):
        text = bench.simulate(50, 0, program=program, ranks=0, **environment).wait()
        told = [line for line in text.splitlines() if line.startswith("step")]
        assert told == [f"step 0 {cases.FIRST}"] and "ended at step 50" in text


def test_python_without_the_library(bench):
    """The package alone: the run is the same, and says why nothing can be steered."""
    package = pathlib.Path(__file__).parents[2] / "DSMCore/Client/Python"
    text = bench.simulate(50, 0, program="Python", ranks=0, PYTHONPATH=package, LD_LIBRARY_PATH="").wait()
    assert cases.FIRST in text and "ended at step 50" in text
    assert text.count("nothing can be steered") == 1 and "DSM_LIBRARY" in text
    # Whoever does not want to be steered hears nothing; a library that is none is named.
    assert "steered" not in bench.simulate(5, 0, program="Python", ranks=0, PYTHONPATH=package, DSM_CONTACT="").wait()
    text = bench.simulate(5, 0, program="Python", ranks=0, DSM_LIBRARY=__file__).wait()
    assert f"{__file__}: " in text and "ended at step 5" in text


PYTHON_VIEWER = """
import json, sys
import dsm
with dsm.Viewer(sys.argv[1]) as viewer:
    pending = [viewer.set(feed=0.07, count=9)["state"], viewer.command("advance", 2)["state"]]
    print(json.dumps(pending))
"""


def test_viewer_in_python(bench):
    """`dsm.Viewer` changes what dsm-steer does, without ParaView."""
    bench.serve()
    bench.simulate()
    bench.status(lambda known: known["paused"])
    words = [sys.executable, "-c", PYTHON_VIEWER, str(bench.contact)]
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(BIN.parent / "lib" / "paraview-dsm")},
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    # What is done while paused may be done before anybody asks.
    assert set(json.loads(done.stdout)) <= {"pending", "applied"}
    found = bench.status(lambda known: known["step"] == 2 and known["paused"])
    assert (found["values"]["feed"], found["values"]["count"]) == (0.07, 9)

# SPDX-License-Identifier: BSD-3-Clause
"""More than one of something: viewers at the same time, sessions in one program, servers one after the other; and
texts of all kinds."""

import concurrent.futures
import getpass
import json
import os
import pathlib
import signal
import socket
import sys
import time

import pytest

from processes import LIMIT
from steering_bench import BIN, MPIEXEC, SteeringBench

PROGRAM = json.loads(os.environ["DSM_TEST_PROGRAMS"])["C"]
MESSAGE = 'tab\there, "quotes", a \\ and \u03bb = 5 \u00b5m'
# Two sessions side by side, a parameter of each that starts equal; and texts that are not ASCII, or not even text.
SESSIONS = """
import time, dsm
first, second = dsm.Session(), dsm.Session()
one = first.parameter("feed \\u03bb", 0.25, unit="\\u00b5m/s", text="two\\nlines")
said = first.parameter("said", "", capacity=60)
two = second.parameter("feed \\u03bb", 0.25)
broken = second.parameter("broken", "")
broken._memory.value = b"caf\\xe9"
step, last = 0, None
while first.running or second.running:
    first.step(step, 0.1 * step)
    second.step(step, 0.1 * step)
    now = f"first {one} second {two} said {said.value!r}"
    if now != last:
        print(now, flush=True)
    last, step = now, step + 1
    time.sleep(0.001)
print("ended", flush=True)
"""


class Bench(SteeringBench):
    def __init__(self, folder):
        super().__init__(folder)
        self.log = folder / "run.dsm.steering.log"

    def rows(self):
        text = self.log.read_text(encoding="utf-8")
        return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]

    def programs(self, until):
        end = time.monotonic() + LIMIT
        while True:
            programs = self.steer("--status")["programs"]
            if until(programs):
                return programs
            assert time.monotonic() < end, f"never as it should be: {programs}"
            time.sleep(0.05)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.end()


def test_two_viewers(bench):
    """Each Apply is whole, whoever else applies: two values that belong together never part."""
    bench.serve()
    simulation = bench.start([*MPIEXEC, "-n", 2, *PROGRAM], DSM_CONTACT=bench.contact)
    bench.programs(lambda known: known)

    def apply(number):
        return bench.steer(count=number, feed=number / 1000)

    with concurrent.futures.ThreadPoolExecutor(2) as viewers:
        outcomes = list(viewers.map(apply, range(1, 31)))
    assert all(outcome["state"] == "applied" for outcome in outcomes)
    bench.steer("--command", "stop")
    text = simulation.wait()
    told = [line.split() for line in text.splitlines() if line.startswith("step")][1:]
    assert told and all(float(words[7]) == int(words[5]) / 1000 and words[-1] == "1" for words in told), text
    # The log tells a chain: what one left is what the next one found.
    for name, kind in (("count", int), ("feed", float)):
        rows = [row for row in bench.rows() if row[7] == json.dumps(name)]
        assert len(rows) == 30
        assert [kind(row[9]) for row in rows[:-1]] == [kind(row[8]) for row in rows[1:]]
        assert {row[2] for row in rows} == {f"{getpass.getuser()}@{socket.gethostname()}"}


def test_two_sessions_in_one_program(bench):
    """They are two simulations, each with its own values; names and texts are of all languages."""
    bench.serve()
    program = bench.start([sys.executable, "-c", SESSIONS], DSM_CONTACT=bench.contact)
    known = bench.programs(lambda programs: len(programs) == 2)
    first, second = sorted(entry["name"] for entry in known)
    interpreter = pathlib.Path(sys.executable).name  # a script on the command line has no name
    assert (first, second) == (interpreter, f"{interpreter} 2")
    by_name = {entry["name"]: entry for entry in known}
    assert by_name[second]["values"]["broken"] == "caf\ufffd"
    assert by_name[first]["declarations"]["parameters"][0]["unit"] == "\u00b5m/s"
    bench.steer("--program", first, "--set", "feed \u03bb=0.5", "--set", f"said={MESSAGE}")
    bench.steer("--program", second, "--set", "feed \u03bb=0.75", "--command", "stop")
    want = f"first 0.5 second 0.75 said {MESSAGE!r}"
    while program.wait_for_line("first") != want:
        pass
    bench.steer("--program", first, "--command", "stop")
    program.wait_for_line("ended")
    rows = {(row[3], json.loads(row[7])): row for row in bench.rows()}
    assert json.loads(rows[first, "said"][9]) == MESSAGE and len(rows[first, "said"]) == 10
    assert rows[second, "feed \u03bb"][8:] == ["0.25", "0.75"]

    # Replayed without a server: each session takes what was its own, by the name of the program; here they have
    # one name, so the log of the first is what both get.
    bench.log.write_text("".join(line for line in bench.log.read_text(encoding="utf-8").splitlines(True)
                                 if f"\t{first}\t" in line), encoding="utf-8")
    again = bench.start([BIN / "dsm-run", "--without-server", "disk", "--replay", bench.log, sys.executable, "-c",
                         SESSIONS.replace("    second.step(step, 0.1 * step)\n", "").replace(" or second.running", "")],
                        DSM_CONTACT="")
    while again.wait_for_line("first") != want.replace("0.75", "0.25"):
        pass
    again.wait_for_line("ended")


def test_a_server_that_comes_later(bench):
    """The simulation runs already; the server finds it as if it had come first. A second server has a log of its
    own, and the first one's is kept."""
    simulation = bench.start([*MPIEXEC, "-n", 2, *PROGRAM], DSM_CONTACT=bench.contact)
    simulation.wait_for_line("step 0 ")
    for count in (11, 12):
        server = bench.serve()
        bench.programs(lambda known: known and known[0]["state"] == "connected")
        assert bench.steer(count=count)["state"] == "applied"
        assert f"count {count}" in simulation.wait_for_line("step")
        if count == 11:
            server.stop()
    bench.steer("--command", "stop")
    simulation.wait()
    assert [row[8:] for row in bench.rows() if row[7] == '"count"'] == [["11", "12"]]
    assert '"count"\t3\t11' in (bench.folder / "run.dsm.steering.log.previous").read_text()


def test_what_is_no_contact_file(bench):
    """Said once, in words, and the program runs on; one that is not there yet is no mistake."""
    script = ("import dsm, time\nsession = dsm.Session()\nsession.parameter('feed', 5.0, range=(0, 1))\n"
              "for step in range(3):\n    session.step(step, step)\n    time.sleep(0.4)\nprint('ended')")
    (garbage := bench.folder / "garbage.dsm").write_text("no contact")
    for contact, words in ((garbage, "no contact file of ParaView DSM"), (bench.folder, "is no regular file")):
        text = bench.start([sys.executable, "-c", script], DSM_CONTACT=contact).wait()
        assert text.count("dsm warning: not steered for now: ") == 1 and words in text and "ended" in text, text
        # A program whose own value lies outside its own range hears it from us, before viewers wonder.
        assert text.count('does not fit its declaration: "feed" is out of range (maximum is 1.0)') == 1, text
    text = bench.start([sys.executable, "-c", script], DSM_CONTACT=bench.folder / "later.dsm").wait()
    assert "not steered" not in text and "ended" in text, text
    text = bench.start([sys.executable, "-c", script], DSM_CONTACT=bench.folder / "later.dsm", DSM_LOG="info").wait()
    assert text.count("later.dsm is not there; it is looked for once a second") == 1, text


def test_interrupted_while_paused(bench):
    """Ctrl+C reaches a Python program that waits to be resumed, as it does elsewhere; it may go on waiting after."""
    bench.serve()
    script = ("import dsm\nsession = dsm.Session()\nsession.parameter('feed', 0.5)\n"
              "try:\n    session.step(0, 0)\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
              "session.step(1, 1)\nprint('resumed')")
    simulation = bench.start([sys.executable, "-c", script], DSM_CONTACT=bench.contact, DSM_START_PAUSED=1)
    bench.programs(lambda known: known and known[0]["paused"])
    simulation.process.send_signal(signal.SIGINT)
    simulation.wait_for_line("interrupted")
    bench.programs(lambda known: known[0]["paused"] and known[0]["step"] == 1)
    bench.steer("--command", "resume")
    simulation.wait_for_line("resumed")


def test_a_session_that_outlives_mpi(bench):
    """A program that finalises MPI too early is told so and does not crash."""
    pytest.importorskip("mpi4py")
    if not os.environ.get("DSM_TEST_MPI4PY"):
        pytest.skip("this Python has no mpi4py for this MPI")
    bench.serve()
    script = (
        "from mpi4py import MPI\nimport dsm\nsession = dsm.Session(MPI.COMM_WORLD)\nsession.parameter('feed', 0.5)\n"
        "session.step(0, 0)\nMPI.Finalize()\n"
        "try:\n    session.step(1, 1)\nexcept dsm.Error as error:\n    print(error)\nsession.close()\nprint('closed')"
    )
    text = bench.start([*MPIEXEC, "-n", 2, sys.executable, "-c", script], DSM_CONTACT=bench.contact).wait()
    assert text.count("MPI_Finalize was called before: close the session first") == 2 and text.count("closed") == 2

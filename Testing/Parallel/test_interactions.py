# SPDX-License-Identifier: BSD-3-Clause
"""Steering of programs that do not link us, and snapshots written to disk when somebody says so."""

import contextlib
import json
import os
import subprocess
import sys
import time

import pytest

from processes import LIMIT, offered, on_disk
from steering_bench import BIN, MPIEXEC, SteeringBench

DECLARED = {
    "parameters": [
        {"name": "flag", "default": False},
        {"name": "count", "default": 3, "minimum": 1, "maximum": 100},
        {"name": "feed", "default": 0.03, "minimum": 0, "maximum": 0.1, "unit": "1/s", "text": "how fast u is fed",
         "group": "Reaction"},
        {"name": "mode", "choices": ["periodic", "mirror", "fixed"], "default": "mirror"},
        {"name": "label", "default": "first", "capacity": 31},
        {"name": "where", "default": [0, 0.5, 1], "meaning": "position"},
        {"name": "/fields/pressure", "default": True},
    ],
    "commands": ["seed again"],
}


class Bench(SteeringBench):
    def serve(self, *options, hosts=2):
        return super().serve("--block-size", "4 KiB", *options, hosts=hosts, folder=self.folder)

    def program(self, ranks, *options, name="dsm#Interactions"):
        job = self.start([BIN / "dsm-run", "--contact", self.contact, *options, *MPIEXEC, "-n", ranks,
                          BIN / "dsmInteractingProgram", name], talk=True, folder=self.folder)
        job.wait_for_line("ready")
        return job

    def steer(self, *options, status=0, **sets):
        done = self.run_steer(*options, status=status, **sets)
        return json.loads(done.stdout) if done.stdout else done.stderr

    def outcome(self, number):
        """What became of a transaction, once something did."""
        end = time.monotonic() + LIMIT
        while True:
            for outcome in self.steer("--status")["outcomes"]:
                if outcome["transaction"] == number:
                    return outcome
            assert time.monotonic() < end, f"transaction {number} is pending for ever"
            time.sleep(0.05)

    def declare(self, declared=None):
        file = self.folder / "declared.json"
        file.write_text(json.dumps(DECLARED if declared is None else declared))
        return ["--declare", file]


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.end()


def ask(program, line, beginning):
    program.say(line)
    return program.wait_for_line(beginning)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_program_that_does_not_link_us(bench, ranks):
    bench.serve()
    program = bench.program(ranks)
    assert ask(program, "look", "look") == "look nothing"
    # Nothing can be asked of a program that has no way to obey: neither to wait nor to leave out a dataset.
    assert "no simulation that can be steered is connected" in bench.steer("--command", "pause", status=1)
    assert bench.steer(*bench.declare())["state"] == "declared"
    assert ask(program, "look", "look") == (
        "look flag 0 count 3 feed 0.029999999999999999 mode 1 label first where 0 0.5 1 again 0 step -1 change 0")

    # Nothing happens before the program looks; then all of it does, once.
    first = bench.steer("--wait", 0, "--command", "seed again", flag="true", count=7, feed=0.05)
    second = bench.steer("--wait", 0, "--command", "seed again", feed=0.06, mode="fixed", label="second one",
                         where="[1, 2.5, -3]")
    assert (first["state"], second["state"]) == ("pending", "pending")
    program.say(f"write {bench.folder / 'out.0012.h5'}")
    program.wait_for_line("written")
    want = (f"look flag 1 count 7 feed 0.059999999999999998 mode 2 label second one where 1 2.5 -3 again 2 step 12 "
            f"change {second['transaction']}")
    assert ask(program, "look", "look") == want
    applied = bench.outcome(first["transaction"])
    assert (applied["state"], applied["step"]) == ("applied", 12)
    assert {"name": "feed", "old": 0.03, "new": 0.05} in applied["changes"]
    assert ask(program, "look", "look") == want

    # Refused at once.
    refused = bench.steer(status=3, feed=0.2, count=9)
    assert "maximum is 0.1 1/s" in refused["refusals"][0]["reason"]
    assert "no parameter" in bench.steer(status=3, food=1)["refusals"][0]["reason"]
    for command in ("pause", "advance", "stop", "write snapshot"):
        refused = bench.steer("--command", command, status=3)["refusals"][0]["reason"]
        assert refused == "the simulation has no command of this name; it has seed again"
    log = (bench.folder / "run.dsm.steering.log").read_text()
    assert log.count("seed again") == 2 and '"feed"\t0.05\t0.06' in log

    # Declared anew: what still fits keeps its value.
    fewer = {"parameters": [{**parameter, "maximum": 0.055} if parameter["name"] == "feed" else parameter
                            for parameter in DECLARED["parameters"]], "commands": DECLARED["commands"]}
    bench.steer(*bench.declare(fewer))
    assert ask(program, "look", "look").startswith("look flag 1 count 7 feed 0.029999999999999999 mode 2 label second")
    program.say("end")
    program.wait()


def test_the_file_as_others_read_it(bench):
    """h5dump sees a plain HDF5 file; the name of the contact file leads to it as well."""
    bench.serve(hosts=1)
    bench.steer(*bench.declare())
    program = bench.program(2, name=str(bench.contact) + "#Interactions")
    assert "feed 0.029999999999999999" in ask(program, "look", "look")
    ask(program, f"copy {bench.folder / 'copy.h5'}", "copied")
    program.say("end")
    program.wait()
    shown = subprocess.run(["h5dump", str(bench.folder / "copy.h5")], capture_output=True, text=True, timeout=LIMIT,
                           check=True).stdout
    for words in ('GROUP "Interactions"', 'DATASET "feed"', 'ATTRIBUTE "Unit"', '"1/s', "how fast u is fed", '"mirror"',
                  'DATASET "seed again"', 'DATASET "|fields|pressure"', 'ATTRIBUTE "Maximum"', "FALSE"):
        assert words in shown, shown


# As README.md has it, for each rank count: one process that knows of no MPI, and ranks that open it together.
H5PY = {
    1: "import h5py\nwith h5py.File('dsm#Interactions') as file:\n    rank = 0\n",
    2: "import h5py\nfrom mpi4py import MPI\nrank = MPI.COMM_WORLD.rank\n"
       "with h5py.File('dsm#Interactions', driver='mpio', comm=MPI.COMM_WORLD) as file:\n",
}
TELL = ("    for name, one in file['Interactions'].items():\n"
        "        print(f'{rank}: {name} {one[()]} {dict(one.attrs).get(\"Step\")}', flush=True)\n")


@pytest.mark.parametrize("ranks", H5PY)
def test_the_file_in_python(bench, ranks):
    if not os.environ.get("DSM_TEST_MPI4PY"):
        pytest.skip("this Python has no h5py for this MPI")
    bench.serve(hosts=1)
    bench.steer(*bench.declare())
    number = bench.steer("--wait", 0, feed=0.07)["transaction"]
    launcher = [*MPIEXEC, "-n", ranks] if ranks > 1 else []
    job = bench.start(
        [BIN / "dsm-run", "--contact", bench.contact, *launcher, sys.executable, "-c", H5PY[ranks] + TELL]
    )
    told = job.wait().splitlines()
    assert bench.outcome(number)["state"] == "applied"
    for rank in range(ranks):
        for words in ("feed 0.07 0", "flag False -1", "mode 1 -1", "label b'first' -1", "where [0.  0.5 1. ] -1",
                      "seed again 0 -1"):
            assert f"{rank}: {words}" in told, told


def test_wrong_declarations_are_told(bench):
    bench.serve(hosts=1)
    for declared, reason in [
        ({"parameters": [{"name": "a", "maximun": 3, "default": 1}]}, "maximun"),
        ({"parameters": [{"name": "a"}]}, "has no type"),
        ({"parameters": [{"name": "a", "default": 3, "maximum": 2}]}, "maximum is 2"),
        ({"parameters": [{"name": "a", "type": "enumeration"}]}, 'no "choices"'),
        ({"parameters": [{"name": "a", "default": 1}, {"name": "a", "default": 2}]}, "declared twice"),
        ({"parameters": [{"default": 1}]}, 'with a "name"'),
        ([1], "are an object"),
    ]:
        assert reason in bench.steer(*bench.declare(declared), status=1)


@contextlib.contextmanager
def small_disk(folder):
    """A file system with room for next to nothing; none where one may not make it."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(folder)], check=False,
                          capture_output=True, timeout=LIMIT).returncode == 0
    try:
        yield folder if made else None
    finally:
        if made:
            subprocess.run(["umount", str(folder)], check=True, timeout=LIMIT)


@pytest.mark.parametrize(
    ("hosts", "strategy"),
    [(1, "contiguous"), *((3 if one["blocks"] else 2, name) for name, one in offered(BIN)["strategies"].items())],
)
def test_write_to_disk(bench, hosts, strategy):
    bench.serve("--strategy", strategy, hosts=hosts)
    refused = bench.steer("--write-to-disk", status=3)
    assert "there is none yet" in refused["refusals"][0]["reason"]
    program = bench.program(3, "--match", "out*")
    disk = bench.folder / "plain.h5"
    ask(program, f"write {disk}", "written")
    assert disk.exists()
    ask(program, f"write {bench.folder / 'out.0001.h5'}", "written")

    saved = bench.folder / "saved.h5"
    done = bench.steer("--write-to-disk", "--path", saved)
    assert done["state"] == "applied" and done["step"] == 1
    assert done["detail"] == {"path": str(saved), "snapshot": 1, "file": str(bench.folder / "out.0001.h5"),
                              "bytes": disk.stat().st_size}
    subprocess.run(["h5diff", str(disk), str(saved)], check=True, timeout=LIMIT)
    assert saved.read_bytes() == disk.read_bytes()

    # The next one; and where nobody says where, beside the contact file and over nothing.
    following = bench.steer("--write-to-disk", "--next", "--wait", 0)
    assert following["state"] == "pending"
    ask(program, f"write {bench.folder / 'out.0002.h5'}", "written")
    folder = bench.folder / "run.dsm.saved"
    assert bench.outcome(following["transaction"])["detail"]["path"] == str(folder / "out.0002.h5")
    assert bench.steer("--write-to-disk")["detail"]["path"] == str(folder / "out.0002.snapshot2.h5")
    assert bench.steer("--write-to-disk", "--file", "*.0001.h5")["detail"]["path"] == str(folder / "out.0001.h5")
    assert "fits" in bench.steer("--write-to-disk", "--file", "nothing*", status=3)["refusals"][0]["reason"]
    failed = bench.steer("--write-to-disk", "--path", bench.folder / "no" / "such" / "x.h5", status=3)
    assert "no/such/x.h5" in failed["refusals"][0]["reason"]
    failed = bench.steer("--write-to-disk", "--path", "/sys/kernel/x.h5", status=3)
    assert "/sys/kernel/x.h5: Permission denied" in failed["refusals"][0]["reason"]
    with small_disk(bench.folder / "small") as small:
        if small:
            failed = bench.steer("--write-to-disk", "--path", small / "x.h5", status=3)
            reason = failed["refusals"][0]["reason"]
            assert "small/x.h5: it needs" in reason and "No space left on device" in reason, reason
            assert not list(small.iterdir())
    subprocess.run(["h5dump", str(saved)], check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)
    assert all((folder / name).read_bytes() == disk.read_bytes() for name in os.listdir(folder))
    assert not list(bench.folder.glob("**/*.part")) and not any(map(on_disk, bench.folder.glob("out*")))
    program.say("end")
    program.wait()

# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that viewers send to a running simulation, in each language: each rank gets its part, at one step."""

import json
import os
import subprocess
import sys
import time

import h5py
import numpy
import pytest

from steering_bench import BIN, MPIEXEC, SteeringBench

sys.path.insert(0, str(BIN.parent / "lib" / "paraview-dsm"))
import dsm

PROGRAMS = json.loads(os.environ["DSM_TEST_ARRAY_PROGRAMS"])
RANKS = 4
ROWS, COLUMNS = 8191, 1024  # not divisible by the ranks; 64 MiB


class Bench(SteeringBench):
    def __init__(self, folder):
        super().__init__(folder)
        self.log = folder / "run.dsm.steering.log"

    def simulate(self, language, *options, rows=ROWS, columns=COLUMNS, folder="parts", ranks=RANKS, **environment):
        (self.folder / folder).mkdir(exist_ok=True)
        # Debian's mpi4py is for Open MPI: elsewhere Python is one process.
        alone = language == "Python" and not os.environ["DSM_TEST_MPI4PY"]
        launcher = [] if alone else [*MPIEXEC, "-n", ranks]
        return self.start([*launcher, *PROGRAMS[language], rows, columns, self.folder / folder, *options],
                          **environment)

    def parts(self, folder="parts", axis=0, rows=ROWS, columns=COLUMNS):
        """The array that the ranks wrote, and the step at which all of them did."""
        files = {}
        for file in (self.folder / folder).iterdir():
            rank, step = file.name.split(".")
            files.setdefault(int(step), {})[int(rank)] = numpy.fromfile(file)
        (step,) = files
        shapes = (rows, -1) if axis else (-1, columns)
        return step, numpy.concatenate([part.reshape(shapes) for _, part in sorted(files[step].items())], axis)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.end()


def noise(shape=(ROWS, COLUMNS), seed=1):
    return numpy.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("language", PROGRAMS)
def test_array(bench, language):
    """64 MiB, with another parameter's value; the log, and its replay."""
    bench.serve(memory="192 MiB")
    simulation = bench.simulate(language, DSM_CONTACT=bench.contact)
    bench.status(lambda program: program["state"] == "connected")
    values = noise()
    with dsm.Viewer(bench.contact) as viewer:
        # Refused, before any rank hears of it.
        for wrong, why in ((noise((ROWS, COLUMNS + 1)), f"float64 [{ROWS}, {COLUMNS + 1}]"),
                           (numpy.zeros((ROWS, COLUMNS), "float32"), f"float32 [{ROWS}, {COLUMNS}]")):
            (refusal,) = viewer.send("field", wrong)["refusals"]
            assert refusal == {"name": "field", "reason": f"expects float64 [{ROWS}, {COLUMNS}], not {why}"}
        with pytest.raises(dsm.Error, match="cannot be set to elements of type complex128"):
            viewer.send("field", values.astype(complex))
        begin = time.monotonic()
        outcome = viewer.send("field", values)
        print(f"{values.nbytes / 2**20:.0f} MiB to {RANKS} ranks in {language}: {time.monotonic() - begin:.3f} s")
        assert outcome["state"] == "applied", outcome
        assert viewer.snapshots() == []  # none for viewers
        (program,) = viewer.status()["programs"]
        (declared,) = [one for one in program["declarations"]["parameters"] if one["name"] == "field"]
        assert (declared["type"], declared["element"], declared["sizes"]) == ("array", "float64", [ROWS, COLUMNS])
        assert program["values"]["field"] == outcome["changes"][0]["new"]
        viewer.command("stop")
    simulation.wait()
    step, received = bench.parts()
    assert step == outcome["step"] and numpy.array_equal(received, values)

    # The log has its hash, and a file beside it the array, for foreign programs as well.
    (row,) = [line.split("\t") for line in bench.log.read_text().splitlines() if '"field"' in line]
    digest = json.loads(row[9]).split()[2].removeprefix("sha256:")
    saved = bench.folder / f"dsm-array-{digest}.h5"
    while not saved.exists():  # in the background
        assert time.monotonic() < begin + 120
        time.sleep(0.05)
    with h5py.File(saved) as file:
        assert numpy.array_equal(file["field"], values)

    # With another number of ranks, and without a server.
    bench.simulate(language, folder="again", ranks=3, DSM_REPLAY=bench.log).wait()
    again, replayed = bench.parts("again")
    assert again == step and numpy.array_equal(replayed, values)


@pytest.mark.parametrize("language", PROGRAMS)
def test_blocks(bench, language):
    """Parts that are no rows; values that come one after the other, and together with others."""
    rows, columns = 37, 101
    bench.serve()
    simulation = bench.simulate(language, "block", rows=rows, columns=columns, DSM_CONTACT=bench.contact)
    bench.status(lambda program: program["state"] == "connected")
    with dsm.Viewer(bench.contact) as viewer:
        for seed in range(3):
            values = noise((rows, columns), seed)
            outcome = viewer.send("field", values)
            assert outcome["state"] == "applied", outcome
        # Behind it, and not before: the array is read first.
        viewer.set(gain=2.0)
        assert viewer.send("field", values.T[::-1].T)["state"] == "applied"
        viewer.command("stop")
    assert simulation.wait().splitlines()[-1].endswith("gain 2")
    steps = sorted({int(file.name.split(".")[1]) for file in (bench.folder / "parts").iterdir()})
    assert len(steps) == 4
    for file in (bench.folder / "parts").iterdir():
        if int(file.name.split(".")[1]) != steps[2]:
            file.unlink()
    _, received = bench.parts(axis=1, rows=rows)
    assert numpy.array_equal(received, values)


@pytest.mark.skipif(os.environ["DSM_TEST_FABRIC"] == "0", reason="a build without libfabric")
def test_over_the_network(bench, monkeypatch):
    """Neither the viewer nor the simulation maps the hosts' memory."""
    for name, value in (("DSM_TRANSPORT", "fabric/tcp"), ("DSM_NODE_MEMORY", "off")):
        monkeypatch.setenv(name, value)
    bench.serve(hosts=2)
    simulation = bench.simulate("C", rows=301, columns=499, DSM_CONTACT=bench.contact)
    bench.status(lambda program: program["state"] == "connected")
    values = noise((301, 499))
    with dsm.Viewer(bench.contact) as viewer:
        outcome = viewer.send("field", values)
        assert outcome["state"] == "applied", outcome
        viewer.command("stop")
    simulation.wait()
    _, received = bench.parts(columns=499)
    assert numpy.array_equal(received, values)


def test_gone(bench):
    """An array that has left the memory before the simulation came to its step is refused, and the run goes on."""
    rows, columns = 64, 64
    bench.serve()
    simulation = bench.simulate("C", rows=rows, columns=columns, DSM_CONTACT=bench.contact)
    bench.status(lambda program: program["state"] == "connected")
    with dsm.Viewer(bench.contact) as viewer:
        first = viewer.send("field", noise((rows, columns)))
        reference = first["changes"][0]["new"].replace("snapshot:1 ", "snapshot:999 ")
        outcome = viewer.outcome(viewer.set(field=reference, gain=3.0)["transaction"])
        (refusal,) = outcome["refusals"]
        assert refusal["name"] == "field" and "Send the array again" in refusal["reason"], refusal
        assert viewer.send("field", noise((rows, columns)))["state"] == "applied"
        viewer.command("stop")
    lines = simulation.wait().splitlines()
    assert [line.split(",")[1] for line in lines if line.startswith("changed")] == [" gain 1", " gain 1"]


def test_replay_without_its_arrays(bench):
    """It says what is missing, and where."""
    log = bench.folder / "a.log"
    text = f"float64 4x4 sha256:{'0' * 64} snapshot:1 offset:2048"
    log.write_text(f'1\t2026-11-30T00:00:00Z\tada@node\tx\t5\t5\tset\t"field"\t""\t"{text}"\n')
    simulation = bench.simulate("C", rows=4, columns=4, ranks=2, DSM_REPLAY=log)
    assert simulation.status() != 0
    assert f"{bench.folder}/dsm-array-{'0' * 64}.h5 is not there" in simulation.text


def test_drawn_wave(bench):
    """The example of shallow water: what is drawn lifts the surface at that step."""
    bench.serve()
    (bench.folder / "with").mkdir()
    command = [*MPIEXEC, "-n", 3, BIN / "shallow_water", "--size", 40, 31, "--steps", 0, "--every", 1, "--output"]
    bench.start([*command, bench.folder / "without"]).wait()
    simulation = bench.start([*command, bench.folder / "with"], DSM_CONTACT=bench.contact, DSM_START_PAUSED=1)
    bench.status(lambda program: program["paused"])
    y, x = numpy.mgrid[0:31, 0:40]
    rise = numpy.where(abs(numpy.hypot(x - 20, y - 15) - 9) < 2, 0.3, 0.0)
    with dsm.Viewer(bench.contact) as viewer:
        assert viewer.send("rise", rise)["state"] == "applied"
        viewer.command("resume")
    simulation.wait()
    heights = []
    for name in ("without", "with"):
        (file,) = (bench.folder / name).glob("*.vtkhdf")
        with h5py.File(file) as opened:
            heights.append(opened["/VTKHDF/PointData/height"][...].reshape(31, 40))
    assert numpy.allclose(heights[1] - heights[0], rise, rtol=0, atol=1e-7)


def test_invited_guest_may_not_write(bench):
    """A guest who may steer but not write sends no array, and is told so."""
    bench.serve()
    bench.simulate("C", rows=8, columns=8, DSM_CONTACT=bench.contact)
    bench.status(lambda program: program["state"] == "connected")
    guest = bench.folder / "guest.dsm"
    subprocess.run([BIN / "dsm-invite", "--contact", bench.contact, "--steer", guest, "--name", "eve"], check=True,
                   timeout=60)
    with dsm.Viewer(guest) as viewer, pytest.raises(dsm.Error, match="does not allow to write"):
        viewer.send("field", noise((8, 8)))

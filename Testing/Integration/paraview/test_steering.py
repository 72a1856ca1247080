# SPDX-License-Identifier: BSD-3-Clause
"""A script in pvbatch steers simulations of other jobs, in each language and on different ranks."""

import json
import os

import pytest

import steering_cases as cases
from conftest import MPIEXEC

PROGRAMS = json.loads(os.environ["DSM_TEST_PROGRAMS"])


# Each script meets each language and each number of ranks; together all nine.
@pytest.mark.parametrize(("ranks", "symmetric", "simulating"), [
    (1, False, {"C": 1, "Fortran": 2, "Python": 5}), (2, True, {"C": 2, "Fortran": 5, "Python": 1}),
    (3, False, {"C": 5, "Fortran": 1, "Python": 2})])
def test_every_type_command_and_refusal(bench, ranks, symmetric, simulating):
    contact = bench.folder / "steer.dsm"
    simulating = {program: number for program, number in simulating.items() if program in PROGRAMS}
    viewer = bench.pvbatch("steering.py", ranks, symmetric, DSM_TEST_SIMULATIONS=len(simulating))
    viewer.wait_for_file(contact)
    texts = {}
    for program, number in simulating.items():
        # Debian's mpi4py is for Open MPI: on MPICH a Python program is tested as one process.
        launcher = [*MPIEXEC, "-n", number] if program != "Python" or os.environ["DSM_TEST_MPI4PY"] else []
        texts[program] = bench.start(
            [*launcher, *PROGRAMS[program]], f"simulation-{program}", DSM_CONTACT=contact, DSM_START_PAUSED=1).wait()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == (ranks if symmetric else 1)
    for found in reports:
        assert "no simulation that can be steered" in found["nobody"]
        assert len(found["steered"]) == len(simulating)
        for told in found["steered"]:
            check_script(told)
    for program, text in texts.items():
        check_simulation(program, text)


def check_script(told):
    """What the script was told of one simulation."""
    assert told["parameters"] == cases.OFFERED and sorted(told["commands"]) == sorted(cases.COMMANDS)
    assert told["refused"]["untouched"] and told["refused"]["left"] == 0
    wanted = [(name, why) for _, name, why in cases.REFUSALS] + [(name, why) for name, _, why in cases.REFUSED_COMMANDS]
    for reasons, (name, why) in zip(told["refused"]["reasons"], wanted, strict=True):
        assert list(reasons) == [name] and why in reasons[name], reasons
    assert told["steps"] == [step for step, _, _ in cases.TOUR]
    assert {name: (old, new) for name, old, new in told["first"]} == {
        name: (old, cases.CHANGES[name]) for name, old in cases.FIRST_VALUES.items()}
    assert "no simulation called nobody" in told["stranger"] and told["name"] in told["stranger"]
    assert told["loop"]["ordered"] and 0.2 - 1e-9 <= told["loop"]["rise"] < 0.2 + 0.06, told["loop"]
    assert [told["loop"]["held"], told["loop"]["applied"]] == [0.08, 0.05]
    assert told["guide"] == [0.04, True] and told["stopped"] == "applied"
    assert "no simulation that can be steered" in told["ended"]
    assert told["this one ended"] == {told["name"]: "this simulation has ended"}


def check_simulation(program, text):
    """What it printed: the tour, then the loop's and the guide's changes; the same on all ranks."""
    lines = [line for line in text.splitlines() if line.startswith(("step", "write"))]
    assert lines[:len(cases.TOLD)] == cases.TOLD, f"{program}:\n{text}"
    feeds = [line.split(" feed ")[1].split()[0] for line in lines[len(cases.TOLD):]]
    assert feeds == ["0.080000000000000002", "0.040000000000000001"], f"{program}:\n{text}"
    assert "same 0" not in text and "ended at step" in text, f"{program}:\n{text}"

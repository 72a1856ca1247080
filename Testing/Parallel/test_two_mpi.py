# SPDX-License-Identifier: BSD-3-Clause
"""A simulation with one MPI library, hosts with another: they share a contact file and nothing else. A few
numbers of ranks; all of them with DSM_TRANSPORT_TABLE=FILE, which gets the results (transport_table.py)."""

import os
import pathlib

import pytest

from processes import LIMIT, Job, environ
from transport_table import HOSTS, MPIEXEC, STRATEGIES, WRITERS, note

TABLE = os.environ.get("DSM_TRANSPORT_TABLE")
BUILDS = {"openmpi": pathlib.Path(os.environ["DSM_TEST_OPENMPI"]), "mpich": pathlib.Path(os.environ["DSM_TEST_MPICH"])}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
WAYS = {
    "shared-memory": {},
    "fabric": {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off"},
    "fabric,shared-memory:1KiB": {"DSM_TRANSPORT": "fabric/tcp,shared-memory:1KiB", "DSM_NODE_MEMORY": "off"},
}
PAIRS = [("openmpi", "mpich"), ("mpich", "openmpi")]
# In a short run each strategy with some of the transports.
CASES = [
    (hosts, strategy, way)
    for number, way in enumerate(WAYS)
    for hosts in (HOSTS if TABLE else (2,))
    for strategy in (STRATEGIES if TABLE else (STRATEGIES[-1 - number],))
]

pytestmark = pytest.mark.skipif(
    not all((build / "bin" / "dsm-serve").exists() for build in BUILDS.values()),
    reason="needs both builds: build/openmpi and build/mpich")


def launcher(build):
    """What starts a build's programs: each was made for one MPI library, whatever it stands in for."""
    return MPIEXEC["mpich" if (build / "lib" / "libdsmcore-mpich.so").exists() else "openmpi"]


@pytest.mark.parametrize(("hosts", "strategy", "way"), CASES)
@pytest.mark.parametrize(("hosting", "writing"), PAIRS, ids=lambda flavour: flavour)
def test_joined(tmp_path, hosting, writing, hosts, strategy, way):
    (tmp_path / "saved").mkdir()
    contact = tmp_path / "run.dsm"
    server = Job(
        [*launcher(BUILDS[hosting]), "-n", hosts, BUILDS[hosting] / "bin" / "dsm-serve", "--contact", contact,
         "--save", tmp_path / "saved", "--memory-per-host", "8 MiB", "--block-size", "1 KiB", "--strategy", strategy,
         "--seed", 2011, "--limit", 2 * LIMIT],
        environ(**WAYS[way]))
    programs = BUILDS[writing] / "bin"
    wrong = []
    try:
        for writers in WRITERS if TABLE else (3,):
            sim, disk = tmp_path / f"sim{writers}.h5", tmp_path / f"disk{writers}.h5"
            start = [*launcher(BUILDS[writing]), "-n", writers, programs / "dsmCoupledProgram", "parallel"]
            Job([programs / "dsm-run", "--contact", contact, "--wait", 20, *start, sim], environ(**WAYS[way])).wait()
            Job([*start, disk], environ()).wait()
            server.wait_to_say(str(sim))
            same = (tmp_path / "saved" / sim.name).read_bytes() == disk.read_bytes()
            note(TABLE, NAMES[hosting], NAMES[writing], "two jobs", way, strategy, hosts, writers, same)
            if not same:
                wrong.append(writers)
    finally:
        server.stop()
    assert not wrong, f"not as on disk: what these numbers of writers wrote: {wrong}"

# SPDX-License-Identifier: BSD-3-Clause
"""A simulation with one MPI library, hosts with another: they share a contact file and nothing else."""

import os
import pathlib
import subprocess

import pytest

OPENMPI = pathlib.Path(os.environ["DSM_TEST_OPENMPI"])
MPICH = pathlib.Path(os.environ["DSM_TEST_MPICH"])
LIMIT = 60
WAYS = {
    "shared memory": {},
    "fabric": {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off"},
    "by size": {"DSM_TRANSPORT": "fabric/tcp,shared-memory:1KiB", "DSM_NODE_MEMORY": "off"},
}

pytestmark = pytest.mark.skipif(
    not all((build / "bin" / "dsm-serve").exists() for build in (OPENMPI, MPICH)),
    reason="needs both builds: build/openmpi and build/mpich")


def launch(build):
    """How a build's programs are started: each was made for one MPI library."""
    return ["mpiexec.mpich"] if (build / "lib" / "libdsmcore-mpich.so").exists() else \
        ["mpiexec.openmpi", "--oversubscribe"]


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          timeout=LIMIT, check=False, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hosts, writers", [(OPENMPI, MPICH), (MPICH, OPENMPI)], ids=["openmpi-hosts", "mpich-hosts"])
def test_joined(tmp_path, hosts, writers, way):
    saved = tmp_path / "saved"
    saved.mkdir()
    contact = tmp_path / "run.dsm"
    command = [*launch(hosts), "-n", "2", hosts / "bin" / "dsm-serve", "--contact", contact, "--save", saved,
               "--memory-per-host", "8 MiB", "--block-size", "1 KiB", "--until-disconnect", "--limit", LIMIT]
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env={**os.environ, **WAYS[way]}) as server:
        try:
            run(writers / "bin" / "dsm-run", "--contact", contact, "--wait", 20, *launch(writers), "-n", 3,
                writers / "bin" / "dsmCoupledProgram", "parallel", tmp_path / "sim.h5", **WAYS[way])
            output, _ = server.communicate(timeout=LIMIT)
        finally:
            server.kill()
    assert server.returncode == 0, output
    disk = tmp_path / "disk.h5"
    run(*launch(writers), "-n", 3, writers / "bin" / "dsmCoupledProgram", "parallel", disk)
    assert (saved / "sim.h5").read_bytes() == disk.read_bytes()

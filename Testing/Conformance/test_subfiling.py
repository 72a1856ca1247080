# SPDX-License-Identifier: BSD-3-Clause
"""Files that dsm-archive puts on disk in subfiles, for HDF5's own: its h5fuse joins them, and its Subfiling driver
reads them, in an HDF5 that is built with it from the installed one's source (once; it stays in the cache)."""

import fcntl
import os
import pathlib
import shutil
import subprocess

import pytest

from debian_source import Source, Unavailable, cache_folder, run
from processes import LIMIT, Job, environ

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
MPICC = os.environ["DSM_TEST_MPICC"]
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
HERE = pathlib.Path(__file__).parent
SOURCE = Source(None, "src/H5FDsubfiling/H5FDsubfiling.c", "DSM_HDF5_SOURCE_WHOLE")
BUILD_LIMIT = 1800  # seconds
OPTIONS = ("HDF5_ENABLE_PARALLEL=ON", "HDF5_ENABLE_SUBFILING_VFD=ON", "BUILD_TESTING=OFF", "BUILD_STATIC_LIBS=OFF",
           "HDF5_BUILD_TOOLS=OFF", "HDF5_BUILD_EXAMPLES=OFF", "HDF5_BUILD_HL_LIB=OFF", "HDF5_BUILD_FORTRAN=OFF",
           "HDF5_BUILD_CPP_LIB=OFF", "CMAKE_BUILD_TYPE=Release")


@pytest.fixture(scope="module")
def source():
    try:
        return SOURCE.fetch(os.environ["DSM_TEST_HDF5"])
    except Unavailable as why:
        pytest.skip(f"HDF5's source is not to be had here: {why}")


@pytest.fixture(scope="module")
def subfiling(source):
    """Where an HDF5 with the driver is installed."""
    installed = cache_folder() / f"{source.name}-subfiling-{FLAVOUR}"
    with open(cache_folder() / f"subfiling-{FLAVOUR}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed.is_dir():
            build, scratch = (installed.with_name(f"{installed.name}.{kind}") for kind in ("build", "scratch"))
            for folder in (build, scratch):
                shutil.rmtree(folder, ignore_errors=True)
            try:
                run(["cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_C_COMPILER={MPICC}",
                     f"-DCMAKE_INSTALL_PREFIX={scratch}", *(f"-D{option}" for option in OPTIONS)], 300)
                run(["ninja", "-C", build, "install"], BUILD_LIMIT)
                scratch.rename(installed)
            except Unavailable as why:
                pytest.fail(str(why))
            finally:
                shutil.rmtree(build, ignore_errors=True)
    return installed


@pytest.fixture(scope="module")
def reader(subfiling, tmp_path_factory):
    program = tmp_path_factory.mktemp("reader") / "subfiling_reader"
    library = next(subfiling.glob("lib*/libhdf5.so"))
    run([MPICC, "-O1", HERE / "subfiling_reader.c", f"-I{subfiling}/include", library, f"-Wl,-rpath,{library.parent}",
         "-o", program], 120)
    return program


def stub_in(folder, form):
    """h5fuse takes no name with a blank."""
    return folder / f"{form.replace(' ', '-')}.h5"


def archived(folder, hosts, forms):
    """A simulation's file of some MiB, on disk as it would be without us, and in each form."""
    contact = folder / "run.dsm"
    host = Job([*MPIEXEC, "-n", hosts, BIN / "dsm-serve", "--contact", contact, "--memory-per-host", "32 MiB",
                "--block-size", "64 KiB", "--limit", LIMIT], environ())
    try:
        host.wait_for_line("ready")
        commands = "begin\nwrite 1500\nwrite 77\nclose\n"
        obedient = [*MPIEXEC, "-n", 2, BIN / "dsmObedient", "parallel"]
        for command in ([BIN / "dsm-run", "--contact", contact, *obedient, folder / "sim"],
                        [*obedient, folder / "plain"]):
            subprocess.run([str(word) for word in command], input=commands, env=environ(), text=True, check=True,
                           stdout=subprocess.DEVNULL, timeout=LIMIT)
        for form in forms:
            subprocess.run([str(word) for word in (BIN / "dsm-archive", "--contact", contact, "--to",
                                                   stub_in(folder, form), "--form", form)],
                           env=environ(), check=True, timeout=LIMIT)
    finally:
        host.stop()
    return folder / "plain.1.h5"


@pytest.mark.parametrize("hosts", [1, 2, 4])
def test_h5fuse_joins_them(tmp_path, source, hosts):
    script = next(source.glob("**/h5fuse*.in"))
    fuse = tmp_path / "h5fuse"
    fuse.write_text(script.read_text().replace("@CC@", "false"))
    forms = ("subfiles", "subfiles 2")
    plain = archived(tmp_path, hosts, forms)
    for form in forms:
        stub = stub_in(tmp_path, form)
        configuration = stub.with_name(f"{stub.name}.subfile_{stub.stat().st_ino}.config")
        subprocess.run(["bash", str(fuse), "-q", "-f", str(configuration)], cwd=tmp_path, check=True, timeout=LIMIT)
        assert stub.read_bytes() == plain.read_bytes(), form


@pytest.mark.parametrize("hosts", [1, 2, 4])
def test_the_driver_reads_them(tmp_path, reader, hosts):
    forms = ("subfiles", "subfiles 2")
    plain = archived(tmp_path, hosts, forms)
    for form in forms:
        for ranks in (1, 2, 3):
            command = [*MPIEXEC, "-n", ranks, reader, plain, stub_in(tmp_path, form)]
            read = subprocess.run([str(word) for word in command], env=environ(), capture_output=True, text=True,
                                  check=False, timeout=LIMIT)
            assert read.returncode == 0, read.stdout + read.stderr
            assert read.stdout == "2 datasets are the same\n"

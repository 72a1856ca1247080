# SPDX-License-Identifier: BSD-3-Clause
"""The Debian 13 of its own in which a recipe is tried, and the program that is coupled there."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from processes import environ

SOURCE = pathlib.Path(__file__).parents[3]
HERE = pathlib.Path(__file__).parent
ENVIRONMENT = SOURCE / "Testing/Environment"
PACKAGING = SOURCE / "Packaging"
VERSION = re.search(r"^project\(.* VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
SPACK_PACKAGE = PACKAGING / "spack/spack_repo/paraview_dsm/packages/paraview_dsm/package.py"


def run(command, limit=600, folder=None, **environment):
    """Returns what the command printed. Fails if its status is not 0."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=limit, cwd=folder, env=environ(**environment), check=False)
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-6000:]}"
    return done.stdout


def fetched(script, what, *arguments):
    """Returns the path that a script of Testing/Environment fetched something to. Skips the test if there is none."""
    found = run([ENVIRONMENT / script, "find", *arguments], 60).strip()
    if not found:
        pytest.skip(f"there is no {what}: Testing/Environment/{script} get fetches it")
    return pathlib.Path(found)


def debian_prefixes(folder):
    """Makes prefixes for Debian's Open MPI and the HDF5 for it, which look as package managers' do: {name: prefix}."""
    prefixes = {name: folder / name for name in ("mpi", "hdf5")}
    libraries = run(["gcc", "-print-multiarch"]).strip()
    links = {"hdf5/bin/h5pcc": "bin/h5pcc.openmpi", "hdf5/include": "include/hdf5/openmpi"}
    links |= {f"mpi/{name}": f"lib/{libraries}/openmpi/{name}" for name in ("include", "lib")}
    links |= {f"mpi/bin/{name}": f"bin/{name}.openmpi"
              for name in ("mpicc", "mpicxx", "mpic++", "mpifort", "mpif90", "mpif77", "mpiexec")}
    (prefixes["hdf5"] / "lib").mkdir(parents=True)
    for name, place in links.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(f"/usr/{place}")
    return prefixes


class Root:
    """A Debian 13 of the test's own. It sees /tmp, and so the test's files."""

    def __init__(self, *enter):
        self.enter = [ENVIRONMENT / "clean-root.sh", *enter]

    def run(self, *command, limit=600):
        return run([*self.enter, *command], limit)


@pytest.fixture(autouse=True)
def nothing_left(tmp_path):
    """Removes the test's folder, which may have gigabytes."""
    yield
    shutil.rmtree(tmp_path)


@pytest.fixture
def clean_root(tmp_path):
    """A Debian 13 with nothing but apt."""
    archive = fetched("clean-root.sh", "clean Debian 13")
    folder = tmp_path / "root"
    folder.mkdir()
    run(["tar", "-xf", archive, "-C", folder])
    return Root("enter", folder)


@pytest.fixture
def layer(tmp_path):
    """This system, with what is here. Changes go to a folder of the test's."""
    return Root("layer", tmp_path / "layer")


@pytest.fixture
def files(tmp_path):
    """A folder that the roots see, with couple.sh, the program that it couples, and through_h5py.py."""
    folder = tmp_path / "files"
    folder.mkdir()
    for file in (HERE / "couple.sh", HERE / "through_h5py.py",
                 pathlib.Path(os.environ["DSM_TEST_BIN"]) / "dsmCoupledProgram"):
        shutil.copy(file, folder)
    return folder


@pytest.fixture
def source(tmp_path):
    """A copy of the checkout that the roots see, without what is no part of it."""
    folder = tmp_path / "source"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("build", ".git", "dsm-demo", "__pycache__"))
    return folder

# SPDX-License-Identifier: BSD-3-Clause
"""The clean Debian 13 in which recipes are tried, and the program that is coupled there."""

import os
import pathlib
import shutil
import subprocess

import pytest

from processes import environ

SOURCE = pathlib.Path(__file__).parents[3]
HERE = pathlib.Path(__file__).parent
CLEAN_ROOT = SOURCE / "Testing/Environment/clean-root.sh"


def run(command, limit=600, folder=None, **environment):
    """Returns what the command printed. Fails if its status is not 0."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=limit, cwd=folder, env=environ(**environment), check=False)
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-6000:]}"
    return done.stdout


def fetched(script, what, *arguments):
    """Returns the path that a script of Testing/Environment fetched something to. Skips the test if there is none."""
    found = run([SOURCE / "Testing/Environment" / script, "find", *arguments], 60).strip()
    if not found:
        pytest.skip(f"there is no {what}: Testing/Environment/{script} get fetches it")
    return pathlib.Path(found)


class Root:
    """A Debian 13 of the test's own. `folder` has its files, or those that differ from this system's."""

    def __init__(self, folder, *enter):
        self.folder = folder
        self.enter = enter

    def run(self, *command, limit=600):
        return run([CLEAN_ROOT, *self.enter, *command], limit)

    def install(self, *packages):
        return self.run("apt-get", "install", "-y", "-q", "--no-install-recommends", *packages, limit=900)

    def take(self, file, place):
        """Copies a file to a place inside, and returns the path that it has there."""
        (self.folder / place).mkdir(exist_ok=True)
        shutil.copy(file, self.folder / place)
        return f"/{place}/{pathlib.Path(file).name}"


@pytest.fixture
def clean_root(tmp_path):
    """A Debian 13 with nothing but apt, which is removed with the test."""
    archive = fetched("clean-root.sh", "clean Debian 13")
    folder = tmp_path / "root"
    folder.mkdir()
    run(["tar", "-xf", archive, "-C", folder])
    yield Root(folder, "enter", folder)
    shutil.rmtree(folder)


@pytest.fixture
def layer(tmp_path):
    """This system, with what is here. Changes go to a folder that is removed with the test."""
    folder = tmp_path / "layer"
    (folder / "upper").mkdir(parents=True)
    yield Root(folder / "upper", "layer", folder)
    shutil.rmtree(folder)


@pytest.fixture
def program():
    return pathlib.Path(os.environ["DSM_TEST_BIN"]) / "dsmCoupledProgram"

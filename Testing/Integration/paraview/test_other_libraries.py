# SPDX-License-Identifier: BSD-3-Clause
"""A ParaView with another HDF5 or MPI: a clear message when the plugin is loaded, and no crash later."""

import json
import os

import pytest

from conftest import FLAVOUR, HERE, MPIEXEC, OTHER, built

MESSAGE = "the ParaView DSM plugin cannot work in this ParaView"


def check(folder, output, said):
    found = json.loads((folder / "found.json").read_text())
    for text in (output, found["file"], found["live"], found["server"]):
        assert MESSAGE in text and said in text, text
        assert "ParaView_DIR" in text
    # Once, before anything is asked of it, whatever the number of ranks.
    before = output[: output.index("vtkDSM")]
    assert before.count(MESSAGE) == 1, output


def use(bench, command, **more):
    return bench.start(
        [*command, HERE / "scripts" / "other_libraries.py"], "paraview", DSM_TEST_FOLDER=bench.folder, **more
    ).wait()


@pytest.mark.parametrize(
    ("pretend", "said"), [("hdf5", "and HDF5 1.10.8 is loaded"), ("mpi", '"Imaginary MPI 9.9" is loaded'), ("", None)]
)
def test_libraries(bench, pretend, said):
    output = use(bench, [os.environ["DSM_TEST_PVPYTHON"]], DSM_TEST_PRETEND=pretend,
                 LD_PRELOAD=os.environ["DSM_TEST_OTHER_LIBRARIES"])
    if said:
        check(bench.folder, output, said)
        return
    assert "cannot work in this ParaView" not in output
    found = json.loads((bench.folder / "found.json").read_text())
    assert found["server"] == "started" and "x.h5 cannot be opened" in found["file"]


def test_second_library(bench):
    """Really another MPI, which something else has brought into the process."""
    second = {"openmpi": "libmpich.so.12", "mpich": "libmpi.so.40"}[FLAVOUR]
    output = use(bench, [os.environ["DSM_TEST_PVPYTHON"]], DSM_TEST_SECOND=second)
    check(bench.folder, output, "there are two MPI libraries in this process")


@pytest.mark.skipif(
    FLAVOUR != "mpich", reason="a plugin is built for Debian's ParaView always, and for one on MPICH where there is one"
)
@pytest.mark.parametrize("ranks", [0, 2])
def test_plugin_of_another(bench, ranks):
    """Really another MPI and HDF5: the plugin that was built for Debian's ParaView."""
    build, _ = built(OTHER)
    folder = build / "lib/paraview-dsm"
    if not (folder / "ParaViewDSM.so").exists():
        pytest.skip(f"the build in {build} has no plugin")
    command = [*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVBATCH"]] if ranks else [os.environ["DSM_TEST_PVPYTHON"]]
    output = use(bench, command, PYTHONPATH=f"{folder}:{HERE / 'scripts'}")
    check(bench.folder, output, "it was built with Open MPI")

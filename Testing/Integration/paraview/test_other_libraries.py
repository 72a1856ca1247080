# SPDX-License-Identifier: BSD-3-Clause
"""A ParaView with another HDF5 or MPI: a clear message when the plugin is loaded, and no crash later."""

import json
import os

import pytest
from conftest import HERE


@pytest.mark.parametrize(
    ("pretend", "said"), [("hdf5", "and HDF5 1.10.8 is loaded"), ("mpi", '"Imaginary MPI 9.9" is loaded'), ("", None)]
)
def test_libraries(workshop, pretend, said):
    folder = workshop.folder
    program = workshop.start(
        [os.environ["DSM_TEST_PVPYTHON"], HERE / "scripts" / "other_libraries.py"], "pvpython",
        DSM_TEST_FOLDER=folder, DSM_TEST_PRETEND=pretend, LD_PRELOAD=os.environ["DSM_TEST_OTHER_LIBRARIES"],
    )
    output = program.wait()
    found = json.loads((folder / "found.json").read_text())
    if said is None:
        assert "cannot work in this ParaView" not in output
        assert found["server"] == "started" and "x.h5 cannot be opened" in found["file"]
        return
    for text in (output, found["file"], found["live"], found["server"]):
        assert "the ParaView DSM plugin cannot work in this ParaView" in text and said in text, text
        assert "ParaView_DIR" in text
    # Before anything is asked of it.
    assert output.index("cannot work in this ParaView") < output.index("vtkDSM")

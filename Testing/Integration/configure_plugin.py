# SPDX-License-Identifier: BSD-3-Clause
"""What CMake makes of a ParaView's place: MPI and HDF5 follow it, and a misfit is an error that says
what was found where. ParaView here is one on Open MPI (Debian's)."""

import argparse
import pathlib
import subprocess
import tempfile

MPICH = ("-DMPI_C_COMPILER=mpicc.mpich", "-DMPI_CXX_COMPILER=mpicxx.mpich")
HDF5_MPICH = ("-DHDF5_C_COMPILER_EXECUTABLE=h5pcc.mpich",)


def configure(arguments, *settings):
    """CMake's words in one line, and whether it succeeded."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [arguments.cmake, "-S", arguments.source, "-B", folder, "-G", "Ninja", "-DBUILD_TESTING=OFF", *settings],
            capture_output=True, text=True, timeout=100, check=False,
        )
    return " ".join((done.stdout + done.stderr).split()), done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--paraview", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    here = f"-DParaView_DIR={arguments.paraview}"

    # Nothing chosen: both are ParaView's.
    text, good = configure(arguments, here)
    assert good, text
    assert "MPI flavour openmpi" in text and "libhdf5_openmpi" in text, text
    assert "the plugin is built for ParaView 5.13" in text, text

    # Both chosen, and both ParaView's others.
    text, good = configure(arguments, here, *MPICH, *HDF5_MPICH)
    assert not good, text
    for words in ("The plugin cannot be built for this ParaView", "libvtkParallelMPI", "uses libmpi.so.40 (/",
                  "libmpich.so.12 (/", "mpicc.mpich", "uses libhdf5_openmpi.so", "libhdf5_mpich.so",
                  "h5pcc.mpich", "mpich-paraview"):
        assert words in text, f'no "{words}" in: {text}'

    # MPI chosen, so that only HDF5 follows.
    text, good = configure(arguments, here, *MPICH)
    assert not good, text
    for words in ("MPI and HDF5 do not belong together", f"ParaView in {arguments.paraview} uses", "libmpich.so.12"):
        assert words in text, f'no "{words}" in: {text}'

    # The user did not name that ParaView: the library is built without the plugin, and why is said.
    text, good = configure(arguments, *MPICH, *HDF5_MPICH)
    assert good and "the plugin is not built: for MPI, ParaView's" in text, text

    text, good = configure(arguments, "-DParaView_DIR=/nowhere")
    assert not good and "There is no paraview-config.cmake in /nowhere" in text, text


main()

# SPDX-License-Identifier: BSD-3-Clause
"""What CMake makes of a ParaView's place: MPI and HDF5 follow it, and a misfit is an error that says what was found
where. ParaView here is one on Open MPI (Debian's), with a parallel HDF5 or, from 6.1 on, a serial one."""

import argparse
import pathlib
import re
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

    version = re.search(r'PACKAGE_VERSION "(\d+\.\d+)',
                        (arguments.paraview / "paraview-config-version.cmake").read_text())[1]

    # Nothing chosen: both are ParaView's, but for an HDF5 that is not parallel.
    text, good = configure(arguments, here)
    assert good, text
    assert "MPI flavour openmpi" in text and f"the plugin is built for ParaView {version}" in text, text
    hdf5 = "libhdf5_serial" if "the plugin is linked with ParaView's HDF5 in /" in text else "libhdf5_openmpi"
    assert f"/{hdf5}.so" in text and (version == "5.13") == (hdf5 == "libhdf5_openmpi"), text

    # Both chosen, and both ParaView's others.
    text, good = configure(arguments, here, *MPICH, *HDF5_MPICH)
    assert not good, text
    for words in ("The plugin cannot be built for this ParaView", "libvtkParallelMPI", "uses libmpi.so.40 (/",
                  "libmpich.so.12 (/", "mpicc.mpich", "mpich-paraview",
                  *(("uses libhdf5_openmpi.so", "libhdf5_mpich.so", "h5pcc.mpich") if version == "5.13" else ())):
        assert words in text, f'no "{words}" in: {text}'

    # MPI chosen, so that only HDF5 follows.
    text, good = configure(arguments, here, *MPICH)
    assert not good, text
    for words in ("MPI and HDF5 do not belong together", "libmpich.so.12",
                  *((f"ParaView in {arguments.paraview} uses",) if version == "5.13" else ())):
        assert words in text, f'no "{words}" in: {text}'

    # The user did not name that ParaView: the library is built without the plugin, and why is said.
    text, good = configure(arguments, *MPICH, *HDF5_MPICH)
    assert good and "the plugin is not built: for MPI, ParaView's" in text, text

    text, good = configure(arguments, "-DParaView_DIR=/nowhere")
    assert not good and "There is no paraview-config.cmake in /nowhere" in text, text


main()

# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the build for one MPI library."""

import os
import pathlib

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
MPIEXEC = {"openmpi": "mpiexec.openmpi --oversubscribe", "mpich": "mpiexec.mpich"}
# As ctest has it (cmake/DSMTesting.cmake).
ENVIRONMENT = {
    "UCX_ERROR_SIGNALS": "", "DSM_DEFAULTS": "off", "HWLOC_COMPONENTS": "-gl",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_mpi_yield_when_idle": "1", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
}


def build(library):
    """Its folder: what ctest says, or the checkout's."""
    if os.environ.get("DSM_TEST_FLAVOUR") == library:
        return pathlib.Path(os.environ["DSM_TEST_BUILD"])
    return CHECKOUT / "build" / library


def use(library):
    """What conftest reads, for this process from now on: once, and before it is imported."""
    os.environ.update(ENVIRONMENT)
    os.environ.setdefault("DSM_TEST_MPIEXEC", MPIEXEC[library])
    os.environ["DSM_TEST_BIN"] = str(build(library) / "bin")
    os.environ["DSM_TEST_FLAVOUR"] = library

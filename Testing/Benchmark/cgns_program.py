# SPDX-License-Identifier: BSD-3-Clause
"""Builds cgns_open.c with a CGNS of our own, since Debian's has no parallel HDF5.

From the source of the package that is installed, outside the checkout, as Conformance does with other libraries.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Conformance"))
from compiled import Programs
from debian_source import Source, Unavailable

HERE = Path(__file__).resolve().parent
SOURCE = Source(["src", "license.txt"], "src/pcgnslib.c", "DSM_CGNS_SOURCE", as_released=True)
UNITS = [f"src/{name}.c" for name in ("cgns_error", "cgns_internals", "cgns_io", "cgnslib", "pcgnslib",
                                      "adf/ADF_interface", "adf/ADF_internals", "adfh/ADFH")]
# What its CMake finds out; the metadata is a switch of the program's.
KNOWN = {"BUILDLEGACY": 0, "BUILD64BIT": 1, "BUILDSCOPE": 0, "BUILDBASESCOPE": 0, "BUILDHDF5": 1, "BUILDDEBUG": 0,
         "BUILDFORTRAN": 0, "BUILDPARALLEL": 1, "CGLONGT": "long", "HDF5_HAVE_MULTI_DATASETS": 0,
         "HDF5_HAVE_COLL_METADATA": 1, "HAVE_STAT64_STRUCT": 0, "FORTRAN_DEFAULT_INTEGER_C_INT64_T": 0}
FLAGS = ["-DBUILD_HDF5", "-DBUILD_PARALLEL", "-DH5_USE_110_API", "-DH5Pset_all_coll_metadata_ops=CgnsMetadata"]


def configured(source, name):
    """A header as its CMake would have written it."""
    text = (source / "src" / f"{name}.in").read_text()
    return re.sub(r"@(\w+)@", lambda match: str(KNOWN.get(match[1], "")), text)


def only(pattern, what):
    """The file that Debian's package has there, on whatever machine."""
    found = sorted(Path("/usr/lib").glob(pattern))
    if not found:
        raise Unavailable(f"there is no /usr/lib/{pattern} ({what})")
    return found[0]


def of_debian(mpi):
    """The program for Debian's HDF5 with this MPI library, made where it is missing. Throws Unavailable."""
    source = SOURCE.fetch(only("*/libcgns.so.*", "Debian's libcgns-dev"))
    hdf5 = only(f"*/libhdf5_{mpi}.so", f"Debian's libhdf5-{mpi}-dev")
    headers = {name: configured(source, name) for name in ("cgnstypes.h", "cgnsconfig.h")}
    folders = [source / "src", source / "src/adf", source / "src/adfh", HERE.parent, f"/usr/include/hdf5/{mpi}"]
    own = HERE / "cgns_open" / "cgns_open.c"
    return Programs(f"cgns-{mpi}", [f"mpicc.{mpi}"], source, {"cgns_open": [str(own)]}, library=hdf5, support=UNITS,
                    flags=[*FLAGS, *(f"-I{folder}" for folder in folders)], headers=headers).build() / "cgns_open"

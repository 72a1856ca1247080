# SPDX-License-Identifier: BSD-3-Clause
"""Compiles HDF5's own parallel test programs against the HDF5 that is installed.

Programs and source stay in a cache outside the checkout; `--link` is made to point to the programs.

Ends with 77 (skipped) when the source cannot be had.
"""
import argparse
import os
import sys
from pathlib import Path

import hdf5_source
from compiled import Programs
from debian_source import Unavailable

SKIPPED = 77
SUPPORT = ["test/h5test.c", "test/testframe.c"]
# What else of HDF5's library for its tests one of them is linked with.
MORE = {"t_cache_image": ["test/cache_common.c", "test/genall5.c"]}
COMPATIBILITY = Path(__file__).resolve().parent / "compat.h"


def units(source):
    """{program: its files}, by HDF5's own list, so that none is forgotten."""
    text = (source / "testpar/CMakeLists.txt").read_text()
    of_testphdf5 = [f"testpar/{Path(path).name}" for path in hdf5_source.listed(text, "testphdf5_SOURCES")]
    return {"testphdf5": of_testphdf5,
            **{name: [f"testpar/{name}.c", *MORE.get(name, [])] for name in hdf5_source.listed(text, "H5P_TESTS")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flavour", required=True, help="openmpi or mpich: names the folder")
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--include", required=True, help="where the installed hdf5.h stands")
    parser.add_argument("--library", required=True, help="the installed shared library")
    parser.add_argument("--link", required=True, help="made to point to the folder of programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    link = Path(given.link)
    if link.is_symlink():
        link.unlink()
    try:
        source = hdf5_source.fetch(given.library, given.include)
    except Unavailable as why:
        print(f"skipped: HDF5's test programs need HDF5's source, which is not to be had here: {why}\n"
              "Name an unpacked source of the installed version with DSM_HDF5_SOURCE to run them.")
        return SKIPPED
    programs = Programs(given.flavour, [given.mpicc], source, units(source), given.library, SUPPORT,
                        hdf5_source.flags(source, given.include), headers=hdf5_source.headers(source),
                        before=COMPATIBILITY).build(given.jobs)
    link.symlink_to(programs)
    print(f"HDF5's test programs: {programs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

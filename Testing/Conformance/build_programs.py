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
PARALLEL = ["t_pread", "t_select_io_dset", "t_filters_parallel", "t_pmulti_dset", "t_shapesame", "t_vfd", "t_pflush1",
            "t_pflush2", "t_pshutdown", "t_prestart", "t_init_term", "t_2Gio", "t_bigio"]
TESTPHDF5 = ["testphdf5", "t_dset", "t_file", "t_file_image", "t_mdset", "t_ph5basic", "t_coll_chunk", "t_span_tree",
             "t_chunk_alloc", "t_filter_read", "t_prop", "t_coll_md", "t_oflush"]
PROGRAMS = {name: [f"testpar/{name}.c"] for name in PARALLEL}
PROGRAMS["testphdf5"] = [f"testpar/{name}.c" for name in TESTPHDF5]
COMPATIBILITY = Path(__file__).resolve().parent / "compat.h"


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
    programs = Programs(given.flavour, [given.mpicc], source, PROGRAMS, given.library, SUPPORT,
                        hdf5_source.flags(source, given.include), headers=hdf5_source.headers(source),
                        before=COMPATIBILITY).build(given.jobs)
    link.symlink_to(programs)
    print(f"HDF5's test programs: {programs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Runs netCDF-C's own parallel tests on disk and behind dsm-run, and compares them program by program.

They are compiled against the netCDF with parallel HDF5 that is installed (Debian's libnetcdf-mpi-dev), from the source
of its package. Ends with 0 when what passes on disk passes with us, 77 where there is no such netCDF or source, 1
otherwise. With --write the table goes into README.md.
"""

import re
import sys
from pathlib import Path

from both_ways import SKIPPED, Bench, Case, Comparison, compare, parser, report
from compiled import Programs
from debian_source import Source, Unavailable, package_of

SOURCE = Source(["nc_test4", "h5_test", "include", "CMakeLists.txt", "COPYRIGHT"], "nc_test4/tst_parallel.c",
                "DSM_NETCDF_SOURCE", as_released=True)
# The programs that netCDF's run_par_test.sh and run_par_warn_test.sh (nc_test4) and run_par_tests.sh (h5_test) run.
OF_NETCDF = ["tst_mode", "tst_mpi_parallel", "tst_parallel", "tst_parallel3", "tst_parallel4", "tst_parallel5",
             "tst_parallel6", "tst_nc4perf", "tst_simplerw_coll_r", "tst_parallel_zlib", "tst_parallel_compress",
             "tst_quantize_par", "tst_warn"]
OF_HDF5 = ["tst_h_par", "tst_h_par_compress"]
UNITS = {**{name: [f"nc_test4/{name}.c"] for name in OF_NETCDF}, **{name: [f"h5_test/{name}.c"] for name in OF_HDF5}}
NO_HDF5 = "makes a file by MPI alone"
SPECIAL = {"tst_mode": {"ranks": 1}, "tst_warn": {"ranks": 1}, "tst_mpi_parallel": {"makes_none": NO_HDF5},
           "tst_nc4perf": {"long": True}, "tst_simplerw_coll_r": {"long": True}, "tst_h_par_compress": {"long": True}}
CASES = [Case(name, **{"ranks": 4, **SPECIAL.get(name, {})}) for name in UNITS]


def configuration(source):
    """What the tests want of the config.h that netCDF was compiled with: here it had a parallel HDF5 with filters, and
    its own sizes of the cache of chunks."""
    text = (source / "CMakeLists.txt").read_text()
    sizes = dict(re.findall(r"set\((DEFAULT_CHUNK\w+) (\S+) CACHE", text, re.IGNORECASE))
    names = {"CHUNK_CACHE_SIZE": "DEFAULT_CHUNK_CACHE_SIZE", "CHUNK_CACHE_NELEMS": "DEFAULT_CHUNKS_IN_CACHE",
             "CHUNK_CACHE_PREEMPTION": "DEFAULT_CHUNK_CACHE_PREEMPTION"}
    have = ["USE_PARALLEL", "USE_PARALLEL4", "USE_HDF5", "HDF5_SUPPORTS_PAR_FILTERS", "HAVE_H5Z_SZIP",
            "HAVE_UNISTD_H", "HAVE_STDINT_H"]
    return "\n".join(["#include <stdint.h>", '#define TEMP_LARGE "."', *(f"#define {name} 1" for name in have),
                      *(f"#define {name} {sizes[key]}" for name, key in names.items()), ""])


def programs(given):
    library = Path(given.library)
    if not library.exists():
        raise Unavailable(f"there is no {library} (Debian's libnetcdf-mpi-dev)")
    source = SOURCE.fetch(library)
    folders = [given.include, source / "include", given.hdf5_include]
    return Programs("netcdf", [given.mpicc], source, UNITS, library, flags=[f"-I{folder}" for folder in folders],
                    more=[given.hdf5_library], headers={"config.h": configuration(source)}).build()


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--mpicc", required=True)
    arguments.add_argument("--mpiexec", required=True, help="with its options, separated by blanks")
    arguments.add_argument("--library", required=True, help="the installed netCDF with parallel HDF5")
    arguments.add_argument("--include", required=True, help="where its netcdf.h stands")
    arguments.add_argument("--hdf5-library", required=True)
    arguments.add_argument("--hdf5-include", required=True)
    given = arguments.parse_args()
    try:
        built = programs(given)
    except Unavailable as why:
        print(f"skipped: netCDF's test programs need netCDF with parallel HDF5, and its source: {why}")
        return SKIPPED

    def suite(folder):
        mpiexec = given.mpiexec.split()
        disk = Bench(folder / "disk", built, mpiexec, lambda *_: [])
        ours = Bench(folder / "dsm", built, mpiexec, lambda *_: [], given.bin)
        version = package_of(given.library)[1].partition(":")[2]
        comparison = compare(Comparison(f"netCDF {version}, parallel", []), CASES, disk, ours,
                             given.all or given.write)
        return [*Comparison.head(), comparison.row], comparison.wrong

    return report(suite, given, "netcdf_suite.py --write")


if __name__ == "__main__":
    sys.exit(main())

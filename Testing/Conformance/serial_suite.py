# SPDX-License-Identifier: BSD-3-Clause
"""Runs HDF5's own serial tests on disk and behind dsm-run, and compares them check by check.

They are compiled against the HDF5 that is installed, a serial one and the parallel one of this build, and are no MPI
programs. Ends with 0 when what passes on disk passes with us, but for what DIFFERENT names, 77 where HDF5's source is
not to be had, 1 otherwise. With --write the table goes into README.md.

HDF5's tests know drivers by the name in HDF5_DRIVER, and know none of ours: h5_get_vfd_fapl in h5test.c fails then.
Behind dsm-run the variable is not set. HDF5 itself is told that dsm is its default driver (Driver/Loader.c), and the
tests, which ask for themselves, take the default for sec2. So they ask of our driver all that they ask of sec2.
"""

import re
import sys
from pathlib import Path

import hdf5_source
from both_ways import SKIPPED, Bench, Case, Comparison, Different, compare, parser, report
from compiled import Programs
from debian_source import Unavailable, package_of

FILE_SIZE = Path(__file__).resolve().with_name("file_size.h")
SUPPORT = [f"test/{name}.c" for name in ("h5test", "testframe", "cache_common", "swmr_common", "external_common")]
SHORT = """
    accum app_ref btree2 cache_api cache_logging cache_tagging chunk_info cmpd_dtransform cork dangle
    del_many_dense_attrs direct_chunk dt_arith dtransform dtypes efc enum err_compat error_test evict_on_close extend
    external farray filenotclosed fillval filter_fail flush2 freespace getname gheap istore lheap mf mount mtime ntypes
    objcopy_ref ohdr page_buffer select_io_dset stab swmr unlink unregister vol
""".split()
LONG = "cache cache_image cmpd_dset dsets earray fheap links mdset objcopy set_extent testhdf5 ttsafe vds".split()
TESTHDF5 = """
    testhdf5 tarray tattr tchecksum tconfig tcoords tfile tgenprop th5o th5s th5_system tid titerate tmeta tmisc trefer
    trefer_deprec trefstr tselect tskiplist tsohm ttime tunicode tvlstr tvltypes
""".split()
TTSAFE = "ttsafe ttsafe_dcreate ttsafe_error ttsafe_cancel ttsafe_acreate ttsafe_attr_vlen".split()
SEVERAL = {"testhdf5": TESTHDF5, "ttsafe": TTSAFE, "cache_image": ["cache_image", "genall5"]}
UNITS = {program: [f"test/{unit}.c" for unit in SEVERAL.get(program, [program])]
         for program in [*SHORT, *LONG, "flush1", "accum_swmr_reader"]}
LEFT = "wants files that a program left open: those that are closed become snapshots"
SPECIAL = {"flush2": {"after": ["flush1"], "makes_none": LEFT}, "accum": {"needs": ["accum_swmr_reader"]}}
# testhdf5's part "file" is left out: README.md.
WORDS = {"testhdf5": ["-exclude", "file"]}
CASES = [Case(name, *WORDS.get(name, []), limit=600, long=name in LONG, **SPECIAL.get(name, {}))
         for name in [*SHORT, *LONG]]

BYTES = "opens the file's bytes, behind HDF5"
SIZE = "asks how long a file is that is shorter than its placeholder"
SWMR = "a file that is read while it is written (SWMR) is refused, or goes to disk"
SELECTION = "sec2 has no transfers of selections, and HDF5 says why"
DIFFERENT = [
    Different("accum", "SWMR", SWMR),
    Different("dsets", "simple I/O|dataset offset with user block", BYTES),
    Different("dsets", "File created with write", SWMR),
    Different("flush2", "H5Fflush", LEFT),
    Different("freespace", r"adding a section via H5FS_sect_add\(\)", SIZE),
    Different("links", r"H5Pset/get_elink_cb\(\)", "has a family of more files than the server has room for"),
    Different("links", "external links w/symlink", "HDF5 follows symbolic links by a file's descriptor"),
    Different("links", "group link filters", SIZE),
    Different("links", r"H5Pset/get_elink_acc_flags\(\)", SWMR),
    Different("mf", "'temporary' file space", "asks for more addresses than the hosts have memory"),
    Different("mf", "H5M|Paged aggregation for file space: H5MF_try_shrink", SIZE),
    Different("ohdr", ".* SWMR access", SWMR),
    Different("page_buffer", "LRU|Minimum Metadata|Raw Data|Statistics",
              "counts the page with the mark of a writer, which files in memory have not"),
    Different("select_io_dset", "H5Pget_no_selection_io_cause|.* no background buffer|No type conv|multi.* no bkg",
              SELECTION),
    Different("testhdf5 -exclude file", "-- Miscellaneous", BYTES),
    Different("testhdf5 -exclude file", "-- Shared Object Header Messages", SIZE),
    Different("swmr", "H5Drefresh|H5Fstart_swmr|multiple--|.*SWMR flags", SWMR),
    Different("swmr", "File locking|.* of flags--", "files in memory are not locked"),
]


def checks(text, status):
    """(check, whether it passed), of what a program of HDF5's said. Those of testhdf5 only say when something fails."""
    blocks = re.split(r"(?m)^[ \t]*Testing ", text)[1:]
    for number, block in enumerate(blocks):
        name = re.split(r"PASSED|\*FAILED\*|-SKIP-|WARNING|dsm |\n", block)[0].strip()
        failed = re.search(r"\*FAILED\*|\*\*\* UNEXPECTED|\*\*\*\*? ?ERROR", block)
        ended = status >= 0 or number + 1 < len(blocks)
        if failed or "-SKIP-" in block:
            yield name, False
        elif "PASSED" in block or name.startswith("-- "):
            yield name, bool("PASSED" in block or ended)


class Hdf5:
    """One that is installed, with what its programs are compiled by. `cases` of the suite are run with it."""

    def __init__(self, kind, compiler, include, library, cases):
        self.kind = kind
        self.compiler = compiler
        self.include = include
        self.library = Path(library)
        self.cases = cases

    def is_here(self):
        return (Path(self.include) / "hdf5.h").exists() and self.library.exists()

    def programs(self):
        source = hdf5_source.fetch(self.library, self.include)
        return Programs(f"tests-{self.kind}", [self.compiler], source, UNITS, self.library, SUPPORT,
                        hdf5_source.flags(source, self.include), ["-lz", "-lpthread"],
                        hdf5_source.headers(source), FILE_SIZE if self.kind == "parallel" else None).build()

    @property
    def name(self):
        return f"HDF5 {package_of(self.library)[1]}, {self.kind}"


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--serial", nargs=2, metavar=("INCLUDE", "LIBRARY"), required=True)
    arguments.add_argument("--parallel", nargs=3, metavar=("MPICC", "INCLUDE", "LIBRARY"), required=True)
    given = arguments.parse_args()
    everything = given.all or given.write
    # What takes long takes it with one of them.
    candidates = [Hdf5("serial", "cc", *given.serial, CASES)]
    if everything:
        candidates.append(Hdf5("parallel", *given.parallel, [case for case in CASES if not case.long]))
    try:
        built = [(hdf5, hdf5.programs()) for hdf5 in candidates if hdf5.is_here()]
    except Unavailable as why:
        print(f"skipped: HDF5's test programs need HDF5's source, which is not to be had here: {why}")
        return SKIPPED
    if not built:
        print("skipped: there is no HDF5 with its headers")
        return SKIPPED

    def suite(folder):
        rows, wrong = [], []
        for hdf5, programs in built:
            disk = Bench(folder / hdf5.kind / "disk", programs, [], checks)
            ours = Bench(folder / hdf5.kind / "dsm", programs, [], checks, given.bin)
            comparison = compare(Comparison(hdf5.name, DIFFERENT), hdf5.cases, disk, ours, everything)
            rows.append(comparison.row)
            wrong += comparison.wrong
        reasons = {one.reason: sorted({f"`{other.case}`" for other in DIFFERENT if other.reason == one.reason})
                   for one in DIFFERENT}
        why = [f"| {', '.join(cases)} | {reason} |" for reason, cases in reasons.items()]
        return [*Comparison.head(), *rows, "", "| some of | reason |", "| --- | --- |", *why], wrong

    return report(suite, given, "serial_suite.py --write")


if __name__ == "__main__":
    sys.exit(main())

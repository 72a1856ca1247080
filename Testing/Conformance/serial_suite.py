# SPDX-License-Identifier: BSD-3-Clause
"""Runs HDF5's own serial tests on disk and behind dsm-run, and compares them check by check.

They are those that HDF5 runs for each of its file drivers, by its own list. They are compiled against the HDF5 that is
installed, a serial one and the parallel one of this build, and are no MPI programs. Ends with 0 when what passes on
disk passes with us, but for what DIFFERENT names, 77 where HDF5's source is not to be had, 1 otherwise. With --write
the table goes into README.md.

HDF5 is told of a driver by HDF5_DRIVER, its tests by that or by HDF5_TEST_DRIVER: they leave out then what they ask of
the default driver alone. But h5test.c, which opens files for them, knows the drivers of HDF5, and fails at the name of
another. Where there is no word in the variable it leaves it at HDF5's default, which behind dsm-run is ours
(Driver/Loader.c). So HDF5_TEST_DRIVER is a blank here, on disk as well: what is asked is the same. With --as-default it
is not set, and they ask of our driver all that they ask of sec2: that is printed, and changes nothing of how this ends.
"""

import re
import sys
from pathlib import Path

import hdf5_source
from both_ways import SKIPPED, Bench, Case, Comparison, Different, compare, parser, report
from compiled import Programs
from debian_source import Unavailable, package_of
from hdf5_source import listed

FILE_SIZE = Path(__file__).resolve().with_name("file_size.h")
SUPPORT = [f"test/{name}.c" for name in ("h5test", "testframe", "cache_common", "swmr_common", "external_common")]
SEVERAL = {
    "testhdf5": """
        testhdf5 tarray tattr tchecksum tconfig tcoords tfile tgenprop th5o th5s th5_system tid titerate tmeta tmisc
        trefer trefer_deprec trefstr tselect tskiplist tsohm ttime tunicode tvlstr tvltypes
        """,
    "ttsafe": "ttsafe ttsafe_dcreate ttsafe_error ttsafe_cancel ttsafe_acreate ttsafe_attr_vlen",
}
LEFT_OUT = {"s3comms": "talks to Amazon", "big": "knows three of HDF5's drivers, and runs with no other"}
LONG = "cmpd_dset dsets earray links mdset objcopy set_extent vds".split()
# They make no file of their own, name its driver, or end at once where the driver is not sec2.
MAKES_NONE = """
    bittests cache cache_tagging cross_read enc_dec_plist enc_dec_plist_cross_platform event_set file_image hyperslab
    onion swmr thread_id timer twriteorder
""".split()
# They leave files open: what they have flushed is in those.
FLUSHED = {"options": ["--publish", "flush"]}
SLOW_PARTS = ["select", "attr"]

DIFFERENT = [
    Different("chunk_info", "if chunk addresses are correct when a file has a userblock",
              "opens the bytes of two files behind HDF5; one of them is on disk, for its user block"),
    Different("dsets", "simple I/O|dataset offset with user block", "opens the file's bytes, behind HDF5"),
    Different("mf", "'temporary' file space", "asks for a third of all addresses, and the hosts' memory has less"),
    Different("page_buffer", "LRU|Minimum Metadata|Raw Data|Statistics",
              "counts the page that HDF5 marks for a writer, where the driver locks files; those in memory are not"),
    Different("select_io_dset", ".* no background buffer|No type conv|multi-datasets|H5Pget_no_selection_io_cause",
              "expects that the driver has no transfers of selections, as sec2"),
]


def names(source):
    """Of the programs, by HDF5's own lists: which there are, but for those that it does not run for a driver."""
    tests = (source / "test/CMakeLists.txt").read_text()
    drivers = (source / "test/CMakeVFDTests.cmake").read_text()
    # What it leaves out with Cygwin only is in that list at first.
    taken_back = re.search(r"REMOVE_ITEM H5_VFD_SKIP_TESTS (.*?)\)", drivers).group(1).split()
    skipped = {*listed(drivers, "H5_VFD_SKIP_TESTS")} - {*taken_back} | {*LEFT_OUT}
    return [name for name in listed(tests, "H5_EXPRESS_TESTS") + listed(tests, "H5_TESTS") if name not in skipped]


def cases(programs, make_none):
    for name in programs:
        words = [word for part in SLOW_PARTS for word in ("-x", part)] if name == "testhdf5" else []
        more = {"after": ["flush1"], **FLUSHED} if name == "flush2" else FLUSHED if name == "flush1" else {}
        yield Case(name, *words, limit=600, long=name in LONG, makes_none=name in make_none, **more)
    yield Case("testhdf5", *(word for part in SLOW_PARTS for word in ("-o", part)), limit=600, long=True)


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
    """One that is installed, with what its programs are compiled by. `long`: whether those that take long are run;
    `make_none`: those that make no snapshots."""

    def __init__(self, kind, compiler, include, library, long, make_none=tuple(MAKES_NONE)):
        self.kind = kind
        self.compiler = compiler
        self.include = include
        self.library = Path(library)
        self.long = long
        self.make_none = make_none

    def is_here(self):
        return (Path(self.include) / "hdf5.h").exists() and self.library.exists()

    def fetch(self):
        """Compiles them."""
        source = hdf5_source.fetch(self.library, self.include)
        programs = names(source)
        units = {name: [f"test/{unit}.c" for unit in SEVERAL.get(name, name).split()] for name in programs}
        self.cases = list(cases(programs, self.make_none))
        self.programs = Programs(f"tests-{self.kind}", [self.compiler], source, units, self.library, SUPPORT,
                                 hdf5_source.flags(source, self.include), ["-lz", "-lpthread"],
                                 hdf5_source.headers(source), FILE_SIZE).build()
        return self

    @property
    def name(self):
        return f"HDF5 {package_of(self.library)[1]}, {self.kind}"


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--serial", nargs=2, metavar=("INCLUDE", "LIBRARY"), required=True)
    arguments.add_argument("--parallel", nargs=3, metavar=("MPICC", "INCLUDE", "LIBRARY"), required=True)
    arguments.add_argument("--as-default", action="store_true", help="name no driver: the tests expect sec2")
    given = arguments.parse_args()
    everything = given.all or given.write
    # What takes long takes it with one of them.
    candidates = [Hdf5("serial", "cc", *given.serial, everything)]
    if everything:
        # It is not made for several threads, so there is nothing for the test of that.
        candidates.append(Hdf5("parallel", *given.parallel, False, [*MAKES_NONE, "ttsafe"]))
    try:
        built = [hdf5.fetch() for hdf5 in candidates if hdf5.is_here()]
    except Unavailable as why:
        print(f"skipped: HDF5's test programs need HDF5's source, which is not to be had here: {why}")
        return SKIPPED
    if not built:
        print("skipped: there is no HDF5 with its headers")
        return SKIPPED
    variables = {} if given.as_default else {"HDF5_TEST_DRIVER": " "}
    different = [] if given.as_default else DIFFERENT

    def suite(folder):
        rows, wrong = [], []
        for hdf5 in built:
            disk = Bench(folder / hdf5.kind / "disk", hdf5.programs, [], checks, variables=variables)
            ours = Bench(folder / hdf5.kind / "dsm", hdf5.programs, [], checks, given.bin, variables)
            comparison = compare(Comparison(hdf5.name, different), hdf5.cases, disk, ours, hdf5.long)
            rows.append(comparison.row)
            wrong += comparison.wrong
        if given.as_default:
            return [*Comparison.head(), *rows, "", *wrong], []
        why = [f"| `{one.case}` | `{one.pattern.pattern.replace('|', '`, `')}` | {one.reason} |" for one in DIFFERENT]
        return [*Comparison.head(), *rows, "", "| of | differ | reason |", "| --- | --- | --- |", *why], wrong

    return report(suite, given, "serial_suite.py --write")


if __name__ == "__main__":
    sys.exit(main())

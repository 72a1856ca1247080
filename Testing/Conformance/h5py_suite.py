# SPDX-License-Identifier: BSD-3-Clause
"""Runs h5py's own tests on disk and behind dsm-run, and compares them test by test.

The h5py that are here, whose files come to the memory of a dsm-serve: Debian's for MPI, and PyPI's, which has an HDF5 2
of its own (where that is not here, another); with --all, also Debian's serial one and PyPI's with HDF5 1.14, each of
them without its files' names on disk, and Debian's for MPI with its files put on disk as well. What passes on disk has
to pass, but for what DIFFERENT names. Ends with 0 when that is so, 77 where there is no h5py, 1 otherwise. With --write
the table goes into README.md.
"""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from both_ways import SKIPPED, parser, report

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import Failure, Job

LIMIT = 300
WHEEL = Path(__file__).parents[1] / "Environment/h5py-wheel.sh"

BYTES = "opens the file's bytes, behind HDF5"
NAME = "with `--placeholders=off` only: looks for the file's name in its folder"
# What passes on disk and not with us, each for a reason; in one h5py or another.
DIFFERENT = {
    "test_file.test_reproducible_file": BYTES,
    "test_vds.test_highlevel_vds.VDSUnlimitedTestCase.test_unlimited_axis": NAME,
    "test_file.TestDrivers.test_readonly": BYTES,
    "test_file.TestUserblock.test_write_block": NAME,
    "test_base.test_is_hdf5": NAME,
    "test_file.TestFileOpen.test_default": NAME,
    "test_file.TestUnicode.test_unicode_hdf5_python_consistent": NAME,
    "test_group.TestCopy.test_copy_external_links": NAME,
    "test_vds.test_highlevel_vds.RelativeLinkBuildVDSTestCase.test_relative_vds": NAME,
    "test_vds.test_highlevel_vds.RelativeLinkTestCase.test_relative_vds": NAME,
    "test_vds.test_lowlevel_vds.TestEigerLowLevel.test_eiger_low_level": NAME,
    "test_vds.test_lowlevel_vds.TestExcaliburLowLevel.test_excalibur_low_level": NAME,
    "test_vds.test_lowlevel_vds.TestPercivalLowLevel.test_percival_low_level": NAME,
}
# Of h5py 3.16, and of those before.
IN_NEWER = {"test_file.test_reproducible_file", "test_vds.test_highlevel_vds.VDSUnlimitedTestCase.test_unlimited_axis"}
IN_OLDER = {name for name in DIFFERENT if name.startswith("test_vds.test_lowlevel_vds.")}


class Build:
    """An h5py, with its tests, and how it is coupled: with or without placeholders. `has_not`: those of DIFFERENT that
    it does not have, or that are the same with it."""

    def __init__(self, name, package, placeholders=True, has_not=(), also=False, **environment):
        self.name = name + ("" if placeholders else ", with `--placeholders=off`") + (
            ", with `--also-on-disk all`" if also else "")
        self.served = ["--also-on-disk", "all"] if also else []
        self.package = package
        self.options = [] if placeholders else ["--placeholders=off"]
        reasons = {BYTES} if placeholders else {BYTES, NAME}
        self.different = {test for test, reason in DIFFERENT.items() if reason in reasons} - set(has_not)
        self.environment = environment

    @property
    def which(self):
        """The h5py alone."""
        return self.package, self.environment.get("PYTHONPATH")

    def is_here(self):
        return self.python("-c", f"import {self.package}").returncode == 0

    def python(self, *words, prefix=(), folder=None, **more):
        command = [*prefix, sys.executable, *words]
        return subprocess.run([str(word) for word in command], cwd=folder, check=False, capture_output=True, text=True,
                              timeout=LIMIT, env={**os.environ, **self.environment, **more})

    def outcomes(self, folder, prefix=()):
        """What became of each test: {name: "passed", "failed" or "skipped"}."""
        temporary, results = folder / "tmp", folder / "results.xml"
        temporary.mkdir(parents=True)
        done = self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", self.package, "--junitxml",
                           results, prefix=prefix, folder=folder, TMPDIR=str(temporary))
        (folder / "tests.log").write_text(done.stdout + done.stderr)
        if not results.exists():
            raise Failure(f"h5py's tests did not run ({done.returncode}):\n{done.stdout}{done.stderr}")
        return {name_of(case, self.package): outcome_of(case) for case in ElementTree.parse(results).iter("testcase")}


def name_of(case, package):
    return f"{case.get('classname')}.{case.get('name')}".split(f"{package}.", 1)[-1]


def outcome_of(case):
    kinds = {child.tag for child in case}
    return "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"


def builds(everything):
    found = []
    for placeholders in (True, False) if everything else (True,):
        found += [Build("Debian's, for MPI", "h5py._debian_h5py_mpi.tests", placeholders, IN_NEWER),
                  Build("Debian's, serial", "h5py._debian_h5py_serial.tests", placeholders, IN_NEWER)]
        for version, words, has_not in (("1.14", ["1.14"], IN_NEWER), ("2", [], IN_OLDER)):
            wheel = subprocess.run([WHEEL, "find", *words], capture_output=True, text=True, check=True).stdout.strip()
            if wheel:
                found.append(Build(f"PyPI's, with HDF5 {version}", "h5py.tests", placeholders, has_not,
                                   PYTHONPATH=wheel))
    if everything:
        found.append(Build("Debian's, for MPI", "h5py._debian_h5py_mpi.tests", True, IN_NEWER, also=True))
    here = [build for build in found if build.is_here()]
    # Two that have as little as possible in common: with MPI, and of another HDF5.
    return here if everything else here[:1] + here[1:][-1:]


def compare(build, disk, programs, folder):
    """Of one h5py, and what became of its tests on disk: a row of the table, and what is wrong."""
    folder.mkdir()
    contact = folder / "run.dsm"
    server = Job([programs / "dsm-serve", "--contact", contact, "--memory-per-host", "1 GiB", *build.served],
                 dict(os.environ),
                 folder / "server.log", folder)
    server.wait_for_line("ready", LIMIT)
    ours = build.outcomes(folder / "tests", (programs / "dsm-run", "--contact", contact, *build.options))
    snapshots = server.text.count("\nsnapshot ")
    lost = {name for name, outcome in disk.items() if outcome == "passed" and ours.get(name) != "passed"}
    wrong = [f"{build.name}: {name} passes on disk, and not behind dsm-run"
             for name in sorted(lost - build.different)]
    # Whether a file's bytes are on disk already is a matter of moments.
    wrong += [f"{build.name}: {name} is said to be different, and is not" for name in sorted(build.different - lost)
              if not build.served]
    if not disk or not snapshots:
        wrong.append(f"{build.name}: {len(disk)} tests, {snapshots} snapshots")
    count = [sum(outcome == "passed" for outcome in run.values()) for run in (disk, ours)]
    return f"| {build.name} | {count[0]} | {count[1]} | {len(lost)} | {snapshots} |", wrong


def table(rows):
    reasons = [f"| `{name}` | {reason} |" for name, reason in sorted(DIFFERENT.items())]
    head = ["| h5py | pass on disk | pass behind `dsm-run` | different | snapshots |",
            "| --- | --- | --- | --- | --- |"]
    return [*head, *rows, "", "| different | it |", "| --- | --- |", *reasons]


def main():
    given = parser(__doc__).parse_args()
    here = builds(given.all or given.write)
    if not here:
        print("skipped: there is no h5py here")
        return SKIPPED

    def suite(folder):
        rows, wrong, on_disk = [], [], {}
        for number, build in enumerate(here):
            if build.which not in on_disk:
                on_disk[build.which] = build.outcomes(folder / f"{number}-disk")
            row, faults = compare(build, on_disk[build.which], given.bin, folder / str(number))
            rows.append(row)
            wrong += faults
        return table(rows), wrong

    return report(suite, given, "h5py_suite.py --write")


if __name__ == "__main__":
    sys.exit(main())

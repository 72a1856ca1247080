# SPDX-License-Identifier: BSD-3-Clause
"""CONTRIBUTING.md's walkthroughs: their blocks are put into a copy of the checkout, which is built and used.

A paragraph that ends with a colon names the file of the block that follows it. A block of "diff" changes that file:
what it shows without "+" must be there, once. Any other is a new file, or stands "at the end of" one. Blocks of "sh"
are run."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from processes import environ

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ["DSM_TEST_BUILD"])
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
# What decides how the build compiles: the copy does the same, so that the compiler's cache knows most of it.
SAME = re.compile(r"((?:CMAKE_BUILD_TYPE|CMAKE_C(?:XX)?_COMPILER|CMAKE_C(?:XX)?_FLAGS\w*|CMAKE_COMPILE_WARNING_AS_ERROR"
                  r"|DSM_TEST_OPTIONS|MPI_C_COMPILER|MPI_CXX_COMPILER|MPI_Fortran_COMPILER|MPIEXEC_EXECUTABLE"
                  r"|HDF5_C_COMPILER_EXECUTABLE):\w+=.*)")
# Where there is a ParaView, and its programs.
PARAVIEW = os.environ["DSM_TEST_PVPYTHON"]
PROGRAMS = ["dsm-serve", "dsm-run", "dsmLoader", "dsmCoupledProgram", "dsmUnfinished", "dsmUnitTests",
            "dsmTransportTests", *(["ParaViewDSM"] if PARAVIEW else [])]


def section(title):
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(text):
    """(paragraph before it, language, block) of each."""
    return re.findall(r"^([^\n]*)\n\n```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def file_of(paragraph):
    return re.findall(r"`([^`]+)`[^`]*:$", paragraph)[-1]


def put(checkout, paragraph, language, block):
    path = checkout / file_of(paragraph)
    if language == "diff":
        lines = block.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        text = path.read_text()
        assert text.count(before) == 1, f"{path} has not, or not once:\n{before}"
        path.write_text(text.replace(before, after))
    elif paragraph.startswith("At the end of "):
        between = "\n\n" if path.suffix == ".py" else "\n"
        path.write_text(f"{path.read_text()}{between}{block}")
    else:
        assert not path.exists(), f"CONTRIBUTING.md adds {path}, which is there already"
        path.parent.mkdir(exist_ok=True)
        path.write_text(block)


def run(*command, folder, limit=120, **environment):
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environ(**environment), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-20000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The copy with everything that the text adds, built."""
    copy = tmp_path_factory.mktemp("contributing") / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build*", ".git", "__pycache__"))
    for paragraph, language, block in blocks(TEXT):
        if language != "sh":
            put(copy, paragraph, language, block)
    known = [SAME.fullmatch(line) for line in (BUILD / "CMakeCache.txt").read_text().splitlines()]
    options = [f"-D{one[1]}" for one in known if one]
    options += [f"-DDSM_BUILD_PLUGIN={'ON' if PARAVIEW else 'OFF'}", "-DDSM_BUILD_EXAMPLES=OFF"]
    options += ["-G", os.environ["DSM_TEST_GENERATOR"]]
    cmake, build = os.environ["DSM_TEST_CMAKE"], copy / "build" / FLAVOUR
    # ccache is to forget where the copy is.
    cache = {"CCACHE_BASEDIR": copy, "CCACHE_NOHASHDIR": 1}
    run(cmake, "-S", copy, "-B", build, *options, folder=copy, limit=300, **cache)
    run(cmake, "--build", build, "-j", "2", "--target", *PROGRAMS, folder=copy, limit=1500, **cache)
    yield copy
    shutil.rmtree(copy)


def follow(checkout, title, folder):
    """Runs the commands of a walkthrough, in a folder where `build` is the copy's, and gives what they print."""
    commands = [block for _, language, block in blocks(section(title)) if language == "sh"]
    assert commands
    (folder / "build").symlink_to(checkout / "build")
    (folder / "scripts").symlink_to(checkout / "Testing/Integration/paraview/scripts")
    # Open MPI's launchers each need a folder of their own (see Testing/processes.py).
    launcher = folder / "programs" / "mpiexec"
    launcher.parent.mkdir()
    mpiexec = os.environ["DSM_TEST_MPIEXEC"]
    launcher.write_text(f'#!/bin/sh\nPRTE_MCA_prte_tmpdir_base={folder}/$$ exec {mpiexec} "$@"\n')
    launcher.chmod(0o755)
    path = f"{launcher.parent}:{pathlib.Path(PARAVIEW).parent}:{os.environ['PATH']}"
    return "".join(
        run("sh", "-e", "-c", block.replace("openmpi", FLAVOUR), folder=folder, PATH=path) for block in commands)


def test_strategy(checkout, tmp_path):
    """It is proved as every strategy is, and a file is written and read back."""
    told = run(checkout / "build" / FLAVOUR / "bin/dsmUnitTests", "--gtest_filter=AddressMap.*", folder=tmp_path)
    assert "[  PASSED  ]" in told
    assert '"name": "reverse"' in run(checkout / "build" / FLAVOUR / "bin/dsm-serve", "--choices", folder=tmp_path)
    follow(checkout, "Add a strategy", tmp_path)


def test_transport(checkout, tmp_path):
    """It carries every strategy's files, and a file is written and read back."""
    program = checkout / "build" / FLAVOUR / "bin/dsmTransportTests"
    told = run(*os.environ["DSM_TEST_MPIEXEC"].split(), "-n", 5, program, 2, folder=tmp_path,
               GTEST_FILTER="*process_memory*", GTEST_COLOR="no")
    assert "[  PASSED  ] 1 test." in told
    follow(checkout, "Add a transport", tmp_path)


def test_recogniser(checkout, tmp_path):
    """It passes its table, without a file."""
    told = run(checkout / "build" / FLAVOUR / "bin/dsmUnitTests", "--gtest_filter=StripsRecogniser.*", folder=tmp_path)
    assert "[  PASSED  ] 1 test." in told


@pytest.mark.skipif(not PARAVIEW, reason="there is no ParaView for this build")
def test_setting(checkout, tmp_path):
    """It is an option, a property, an argument and on the pages of settings, and has an effect by each."""
    told = follow(checkout, "Add a setting", tmp_path)
    assert f"{tmp_path}/run.dsm" in told
    assert "ready: script.dsm" in told
    build = checkout / "build" / FLAVOUR
    assert 'name="ReadyFile" label="Ready File"' in (build / "Plugin/DSMServer.xml").read_text()
    pages = checkout / "Testing/Documentation/settings_pages.py"
    run(sys.executable, pages, checkout, build / "bin/dsm-serve", "--write", folder=tmp_path)
    run(sys.executable, pages, checkout, build / "bin/dsm-serve", folder=tmp_path)
    assert "--ready-file" in (checkout / "Documentation/Settings.md").read_text()
    assert "| Ready File (below Advanced Settings) |" in (checkout / "Widgets/PANEL.md").read_text()
    assert "[  PASSED  ]" in run(build / "bin/dsmUnitTests", "--gtest_filter=ServerSettingsTest.*", folder=tmp_path)


@pytest.mark.skipif(not PARAVIEW, reason="there is no ParaView for this build")
def test_status_field(checkout, tmp_path):
    """It is counted, and scripts see it."""
    assert "refused: 0" in follow(checkout, "Add a status field", tmp_path)
    told = run(checkout / "build" / FLAVOUR / "bin/dsmUnitTests", "--gtest_filter=DiskBookTest.*", folder=tmp_path)
    assert "[  PASSED  ]" in told


@pytest.mark.skipif(not PARAVIEW, reason="there is no ParaView for this build")
def test_kind_of_file(checkout, tmp_path):
    """It is recognised, and its image has the size that the file says."""
    assert "strips (0.0, 1.5, 0.0, 4.0, 0.0, 0.0)" in follow(checkout, "Add a kind of file", tmp_path)


def test_message(checkout, tmp_path):
    """The core answers it, by the right that it declares."""
    program = checkout / "build" / FLAVOUR / "bin/dsmUnitTests"
    told = run(program, "--gtest_filter=CountSnapshots.*:AccessRules.*", folder=tmp_path)
    assert "[  PASSED  ]" in told
    assert "CountSnapshots.CountsTheSnapshotsThatFit" in told


def test_observer(checkout, tmp_path):
    assert "sim.1.h5) was evicted" in follow(checkout, "Add an observer of snapshots", tmp_path)


def test_rules(checkout):
    """What is added follows the rules that the text tells: components, and the look where there is clang-format."""
    run(sys.executable, checkout / "Testing/Unit/check_includes.py", checkout, folder=checkout)
    if shutil.which("clang-format-19"):
        names = [file_of(paragraph) for paragraph, language, _ in blocks(TEXT) if language == "cpp"]
        run("clang-format-19", "--dry-run", "-Werror", *names, folder=checkout)


def test_fault(checkout):
    told = run(os.environ["DSM_TEST_CTEST"], "--test-dir", checkout / "build" / FLAVOUR, "-R", "Faults.contact_removed",
               "--output-on-failure", "--no-tests=error", folder=checkout)
    assert "100% tests passed" in told

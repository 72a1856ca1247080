# SPDX-License-Identifier: BSD-3-Clause
"""Each installed tool has --version, and a man page that says what --help says."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from processes import environ

ROOT = pathlib.Path(__file__).parents[2]
VERSION = re.search(r"project\(ParaViewDSM VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
# Lines of --help that a page has in other words.
HEADINGS = re.compile(r"\s*(\w+:|positional arguments:|\[Option Group: .*\])", re.IGNORECASE)


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ(**environment), check=False)


def tools(prefix):
    found = sorted((prefix / "bin").iterdir())
    assert {"dsm-archive", "dsm-mpmd", "dsm-perf", "dsm-run", "dsm-serve", "dsm-trace"} <= {one.name for one in found}
    return found


def help_of(tool):
    done = run(tool, "--help", COLUMNS="1000", DSM_DEFAULTS="off")
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def squeezed(text):
    return re.sub(r"\s", "", text)


def test_version(prefix):
    for tool in tools(prefix):
        done = run(tool, "--version")
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{tool.name} {VERSION}\n", ""), done


def test_version_behind_a_program_is_the_programs(prefix, tmp_path):
    python = f"Python {sys.version.split()[0]}\n"
    coupled = run(prefix / "bin/dsm-run", "--contact", tmp_path / "none.dsm", sys.executable, "--version")
    assert coupled.stdout == python, coupled
    first = run(prefix / "bin/dsm-mpmd", "1", sys.executable, "--version",
                OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="1")
    assert first.stdout == python, first


@pytest.mark.parametrize("check", [
    ["groff", "-man", "-ww", "-z"],
    ["mandoc", "-T", "lint", "-W", "warning"],
], ids=["groff", "mandoc"])
def test_pages_have_no_warnings(prefix, check):
    if not shutil.which(check[0]):
        pytest.skip(f"{check[0]} is not installed")
    for tool in tools(prefix):
        done = run(*check, prefix / f"share/man/man1/{tool.name}.1")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


def test_pages_say_what_help_says(prefix):
    """Each line of --help, each section, and each other tool."""
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    for tool in tools(prefix):
        # Without hyphenation, in one colour.
        page = run("groff", "-man", "-Tutf8", "-P-cbou", "-rHY=0", prefix / f"share/man/man1/{tool.name}.1").stdout
        sections = re.findall(r"^[A-Z].*$", page, re.MULTILINE)[1:-1]
        assert sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"], page
        assert page.count(", --help\n") == 1, page
        said = help_of(tool)
        assert "--version" in said, said
        for line in said.splitlines():
            if not HEADINGS.fullmatch(line):
                words = re.sub(r"^usage: ", "", line, flags=re.IGNORECASE)
                assert squeezed(words) in squeezed(page), f"{tool.name}: {line}\n{page}"
        for other in tools(prefix):
            assert other == tool or f"{other.name}(1)" in page, page

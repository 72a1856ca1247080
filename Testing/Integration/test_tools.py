# SPDX-License-Identifier: BSD-3-Clause
"""Each installed tool says its version."""

import pathlib
import re
import subprocess
import sys

from processes import environ

ROOT = pathlib.Path(__file__).parents[2]
VERSION = re.search(r"project\(ParaViewDSM VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ(**environment), check=False)


def tools(prefix):
    found = sorted((prefix / "bin").iterdir())
    assert {"dsm-archive", "dsm-mpmd", "dsm-perf", "dsm-run", "dsm-serve", "dsm-trace"} <= {one.name for one in found}
    return found


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

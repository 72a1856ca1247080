# SPDX-License-Identifier: BSD-3-Clause
"""A part of the matrix of faults (./dev faults): each fault, victim, phase and path at least once."""

import os
import pathlib
import subprocess
import sys

import pytest

LIMIT = 500
HERE = pathlib.Path(__file__).resolve().parent


def test_matrix():
    ended = subprocess.run(
        [sys.executable, "-m", "matrix", "--short", "--library", os.environ["DSM_TEST_FLAVOUR"], "-j", "3"], cwd=HERE,
        env={**os.environ, "PYTHONPATH": f"{HERE.parent}:{HERE}"}, capture_output=True, text=True, timeout=LIMIT,
        check=False)
    if "namespaces cannot be made here" in ended.stderr:
        pytest.skip(ended.stderr)
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr

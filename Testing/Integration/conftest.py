# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess

import pytest


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installation of this build."""
    made = tmp_path_factory.mktemp("installed")
    done = subprocess.run(
        [os.environ["DSM_TEST_CMAKE"], "--install", os.environ["DSM_TEST_BUILD"], "--prefix", made],
        capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return made

# SPDX-License-Identifier: BSD-3-Clause
"""Checks that random histories of files and names are as a file system would have them."""

import os
from pathlib import Path

import pytest

import histories

COUNT = int(os.environ.get("DSM_TEST_HISTORIES", "200"))
SEED = int(os.environ.get("DSM_TEST_SEED", "1"))


@pytest.mark.parametrize("options", [["--on-disk"], []], ids=["on_disk", "in_memory"])
def test_histories_are_linearizable(options, capsys):
    """The same on plain disk, a quarter as many, checks the model."""
    build = Path(os.environ["DSM_TEST_BUILD"])
    count = COUNT // 4 if options else COUNT
    with pytest.raises(SystemExit) as ended:
        histories.main(["--build", str(build), "--seed", str(SEED), "--count", str(count), "--keep",
                        str(build / "histories"), *options])
    told = capsys.readouterr().out
    print(told)
    assert ended.value.code == 0, told

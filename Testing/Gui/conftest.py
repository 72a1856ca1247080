# SPDX-License-Identifier: BSD-3-Clause
"""A folder and an X display for each test."""

import pytest
from window import Workshop, display


@pytest.fixture
def workshop(tmp_path):
    with display() as screen:
        made = Workshop(tmp_path, screen)
        yield made
        made.end()

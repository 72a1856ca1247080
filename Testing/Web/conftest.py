# SPDX-License-Identifier: BSD-3-Clause
"""A bench for each test; one that goes wrong leaves pictures of its pages, and what its programs have said."""

import pytest

import browser
from bench import Bench


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.when == "call":
        item.failed = report.failed
    return report


@pytest.fixture
def bench(tmp_path, request):
    if browser.program() is None:
        pytest.skip("there is no Chromium")
    made = Bench(tmp_path)
    yield made
    made.end(getattr(request.node, "failed", False))

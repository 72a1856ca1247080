# SPDX-License-Identifier: BSD-3-Clause
"""A folder for each test, and a ParaView for all of them: starting one takes longer than many tests."""

import contextlib

import pytest

from window import Programs, display


@pytest.fixture(scope="session")
def screen():
    with display() as name:
        yield name


@pytest.fixture
def programs(tmp_path, screen):
    """What a test starts by itself."""
    made = Programs(tmp_path, screen)
    yield made
    made.stop()


class Shared:
    """A ParaView that tests use one after the other, and the pvserver that it may be connected to."""

    def __init__(self, folder, screen):
        self.programs = Programs(folder, screen)
        self.window = None
        self.server = None

    def builtin(self):
        """The window with its own server, as after its start."""
        with self.discarded_on_failure():
            if not self.window:
                self.open()
            elif self.server:
                self.disconnect()
                self.window.clear()
            else:
                self.window.reset()
        return self.window

    def connected(self, ranks, **environment):
        """The window connected to a pvserver, as after the connection."""
        with self.discarded_on_failure():
            if not self.window:
                self.open()
            if not self.server:
                self.server, url = self.programs.pvserver(ranks, **environment)
                self.window.connect(url)
            self.window.clear()
        return self.window

    def open(self):
        self.window = self.programs.window()
        self.window.report_times("making the panel")

    def disconnect(self):
        """Ends the pvserver: its idle ranks would take time of the processors."""
        self.window.disconnect()
        self.server.wait()
        self.server = None

    @contextlib.contextmanager
    def discarded_on_failure(self):
        try:
            yield
        except Exception:
            self.discard()
            raise

    def discard(self):
        """After a failure: the next test gets another one."""
        self.programs.stop()
        self.window = self.server = None

    def close(self):
        if self.window:
            self.window.close()
        if self.server:
            self.server.wait()


def shared(tmp_path_factory, name, screen):
    made = Shared(tmp_path_factory.mktemp(name), screen)
    try:
        yield made
        made.close()
    finally:
        made.programs.stop()


@pytest.fixture(scope="session")
def first(tmp_path_factory, screen):
    yield from shared(tmp_path_factory, "first", screen)


@pytest.fixture(scope="session")
def second(tmp_path_factory, screen):
    yield from shared(tmp_path_factory, "second", screen)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report


@pytest.fixture
def window(request, first):
    """ParaView's window, with its own server."""
    yield first.builtin()
    if request.node.failed:
        first.discard()


@pytest.fixture
def connected(request, first):
    """ParaView's window, connected to a pvserver of two ranks (window.server)."""
    # Files from other computers would come by this transport.
    window = first.connected(2, DSM_TRANSPORT="fabric/tcp;ofi_rxm")
    window.server = first.server
    window.serverLines = len(first.server.lines)
    yield window
    if request.node.failed:
        first.discard()


@pytest.fixture
def other_window(request, second):
    """The window of another ParaView, with its own server."""
    yield second.builtin()
    if request.node.failed:
        second.discard()


@pytest.fixture
def other_connected(request, first, second):
    """Ends the connection of the window, and returns that of another ParaView to a pvserver of three ranks."""
    def connect():
        first.disconnect()
        return second.connected(3)

    yield connect
    if request.node.failed:
        second.discard()

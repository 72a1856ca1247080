# SPDX-License-Identifier: BSD-3-Clause
"""Two windows, a page in a browser and a notebook watch one run at the same time. One steers and all see it, all have
the same values, and no viewer notices when another one is killed."""

import json
import pathlib
import signal

import pytest

import browser as browsers
from bench import Bench
from processes import Job, environ
from reading import shown
from test_panel_watch import open_file
from window import STEERING

# Answers each line with the value of that expression, as a notebook answers a cell.
NOTEBOOK = """
import json, sys
import dsm, dsm.vtk

contact = sys.argv[1]
dsm.attach(contact)
viewer, files = dsm.Viewer(contact), dsm.vtk.Files(contact)

def height():
    (program,) = [one for one in viewer.status()["programs"] if one["state"] == "connected"]
    return program["values"]["height"]

def newest():
    snapshot = viewer.newest_run()[-1]
    data = files.open(snapshot).data()
    array = data.GetPartition(0, 0).GetPointData().GetArray("u")
    return [snapshot["number"], *array.GetRange()]

for line in sys.stdin:
    print("value", json.dumps(eval(line)), flush=True)
"""


class Notebook:
    def __init__(self, bench):
        self.job = Job([bench.python, "-c", NOTEBOOK, bench.contact], environment=environ(PYTHONPATH=bench.path),
                       talk=True)

    def cell(self, expression):
        self.job.say(expression)
        return json.loads(self.job.wait_for_line("value").removeprefix("value "))


@pytest.fixture
def bench(tmp_path):
    if browsers.program() is None:
        pytest.skip("there is no Chromium")
    made = Bench(tmp_path)
    yield made
    made.end(False)


def values(window):
    return [window.panel("shown"), *window.evaluate("list(GetActiveSource().PointData['u'].GetRange())")[0]]


def test_many_viewers(window, programs, bench):
    bench.serve()
    simulation = bench.simulate()
    second, page = programs.window(), bench.view()
    browser, notebook = bench.browse(page.address), Notebook(bench)
    for one in (window, second):
        open_file(one, bench.contact)
    for one in (window, second):
        one.until(lambda one=one: one.panel("shown") > 2, "snapshots")

    # One steers, and all see it.
    browser.enter("#field-height", "2.5")
    browser.click("#apply")
    browser.wait_for_text("#told", "height = 2.5")
    for one in (window, second):
        one.show_page("Steering")
        field = STEERING + "parameter height"
        one.until(lambda one=one, field=field: one.get(field, child="QLineEdit") == "2.5", "the height")
    assert notebook.cell("height()") == 2.5

    # A pause in one of the windows stands for all, and all have the values that were written.
    window.click(STEERING + "command pause/button")
    browser.wait_for_text("#program", "paused")
    window.until(lambda: window.state() == "Paused", "the pause")
    number, *ranges = notebook.cell("newest()")
    for one in (window, second):
        one.until(lambda one=one: one.panel("shown") == number, "the newest snapshot")
        assert values(one) == [number, *ranges]
    step, (maximum, _, minimum) = shown(browser, number - 1)
    assert step == number - 1 and [minimum, maximum] == pytest.approx(ranges, rel=1e-6)

    # Killed, one after the other: the run and the other viewers go on.
    window.click(STEERING + "command resume/button")
    for kill in (browser.close, lambda: second.program.stop(kill=True), lambda: notebook.job.stop(kill=True),
                 lambda: page.process.send_signal(signal.SIGKILL)):
        kill()
        before = window.panel("shown")
        window.until(lambda before=before: window.panel("shown") > before + 1, "the snapshots behind it")
        assert simulation.process.poll() is None
    assert window.state().startswith(("Connected", "Receiving"))
    assert pathlib.Path(bench.contact).exists()
    window.stop_hosting()
    window.until(lambda: window.state() == "Idle", "idle")

# SPDX-License-Identifier: BSD-3-Clause
"""More of the page of dsm-view: ways to show, guests, ends and crashes, large snapshots, a notebook."""

import errno
import os
import re
import signal
import statistics
import subprocess
import sys

import pytest

from bench import BIN, PACKAGES, Wave, command_of, next_wave, page_of
from cluster import Cluster, why_not
from processes import Job, environ, free_port, table
from reading import another_picture, check_values, colours, hold, shown, waves_by_step

FLAT = """
import h5py, numpy, sys
with h5py.File(sys.argv[1], "w") as file:
    group = file.create_group("VTKHDF")
    group.attrs["Version"] = [2, 1]
    group.attrs["Type"] = numpy.bytes_("ImageData")
    group.attrs["WholeExtent"] = [0, 29, 0, 19, 0, 0]
    group.attrs["Origin"], group.attrs["Spacing"] = [0.0, 0, 0], [1.0, 1, 1]
    group.attrs["Direction"] = [1.0, 0, 0, 0, 1, 0, 0, 0, 1]
    group["PointData/t"] = numpy.outer(numpy.arange(20.0), numpy.ones(30))
    group["FieldData/TimeValue"] = [3.0]
"""


def test_ways_to_show(bench):
    """Each representation, axis, position and colour map gives another picture, and so does the mouse."""
    bench.serve()
    bench.simulate()
    browser = bench.browse(bench.view().address)
    shown(browser)
    hold(browser)
    picture = colours(browser)
    for way, least, most in (("contour", 0.005, 0.5), ("slice", 0.02, 0.5), ("clip", 0.05, 0.8), ("volume", 0.05, 0.9)):
        browser.choose("#representation", way)
        picture = another_picture(browser, picture)
        assert least < picture[0] < most, (way, picture)
    browser.choose("#representation", "slice")
    picture = another_picture(browser, picture)
    browser.evaluate("[...document.querySelectorAll('button')].find(one => one.innerText.trim() == 'Z').click()")
    picture = another_picture(browser, picture)
    browser.choose("#representation", "surface")
    picture = another_picture(browser, picture)
    browser.choose("#colours", "coolwarm")
    picture = another_picture(browser, picture)
    browser.drag((700, 400), (800, 350))
    turned = another_picture(browser, picture)
    browser.click("#reset-camera")
    another_picture(browser, turned)


def test_flat_data(bench):
    """A plane in VTK's own format is seen from above, and the page says why it is no volume."""
    bench.serve()
    words = [BIN / "dsm-run", "--contact", bench.contact, sys.executable, "-c", FLAT, bench.folder / "flat.vtkhdf"]
    subprocess.run(words, check=True, timeout=60)
    browser = bench.browse(bench.view().address)
    browser.wait_for_text("#shown", "flat.vtkhdf")
    assert float(browser.text("#statistics-mean")) == 9.5
    browser.choose("#representation", "volume")
    browser.wait_for_text("#picture-problem", "this data is flat")
    browser.choose("#representation", "surface")
    browser.wait("!document.querySelector('#picture-problem')")
    browser.wait("document.querySelector('.dsm-picture img')?.naturalWidth > 0")
    assert colours(browser)[0] > 0.3


def test_guest(bench):
    """A guest who may only look sees everything and is refused the rest, with the server's words beside the field."""
    bench.serve()
    simulation = bench.simulate()
    invitation = bench.folder / "ada.dsm"
    subprocess.run([BIN / "dsm-invite", "--contact", bench.contact, "--view", invitation, "--name", "ada"], check=True,
                   timeout=60)
    owners, guests = bench.browse(bench.view().address), bench.browse(bench.view(contact=invitation).address)
    check_values(guests, simulation)
    guests.enter("#field-height", "3")
    guests.click("#apply")
    guests.wait_for_text("body", "the invitation of ada is to look only: it does not allow to steer")
    guests.wait_for_text("#peers-problem", "the invitation of ada is to look only")
    # The owner's page names the guest, and steers.
    owners.wait_for_text("#peers", "ada, viewer")
    assert "owner, viewer" not in owners.text("#peers"), "the page lists its own process that draws"
    owners.enter("#field-height", "3")
    owners.click("#apply")
    owners.wait_for_text("#told", "height = 3")
    guests.wait("document.querySelector('#field-height').value == '3'")
    simulation.wait_until(lambda: Wave(simulation.lines[-1]).height == 3, "height of 3")


def test_server_ends_and_returns(bench):
    """The page says that the server has ended, and goes on with the next one."""
    port = free_port()
    view = bench.view("--port", port)
    assert f":{port}/" in view.address
    browser = bench.browse(view.address)
    browser.wait_for_text("#trouble", "there is no contact file")
    step = 0
    for height in 1, 2:
        server = bench.serve()
        simulation = bench.simulate(0.2)
        browser.wait("!document.querySelector('#trouble')")
        if height == 2:
            browser.enter("#field-height", "2")
            browser.click("#apply")
            browser.wait_for_text("#told", "height = 2")
        # A step that the first run has not reached is the second run's.
        step = check_values(browser, simulation, step + 5)
        simulation.stop()
        server.stop(kill=height == 2)
        browser.wait_for_text("#trouble", "The page waits for the server.")
        assert browser.text("#connection") == "No server"
    assert "Traceback" not in view.text, view.text


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_forwarded_port(bench):
    """A browser on another machine reaches the page through one forwarded port."""
    with Cluster(2, "1gbit", memory="256m") as cluster:
        laptop, node = cluster.nodes
        bench.enter = node.enter
        bench.serve()
        simulation = bench.simulate()
        address = bench.view().address
        port = int(address.split("/")[2].split(":")[1])
        for machine, words in ((node, (cluster.address(1), 2222, "127.0.0.1", port)),
                               (laptop, ("127.0.0.1", 8899, cluster.address(1), 2222))):
            bench.enter = machine.enter
            bench.forward(*words)
        refused = laptop.run("python3", "-c", "import socket, sys; print(socket.socket().connect_ex(('"
                             f"{cluster.address(1)}', {port})))")
        assert int(refused) == errno.ECONNREFUSED, "the page listens on its own machine only"
        browser = bench.browse(address.replace(f":{port}/", ":8899/").rstrip("/"))
        check_values(browser, simulation, next_wave(simulation).step)
        browser.click("#hold")
        browser.wait("document.querySelector('#hold').classList.contains('v-btn--active')")
        browser.enter("#field-height", "2.5")
        browser.click("#apply")
        browser.wait_for_text("#told", "height = 2.5")
        browser.close()


DASHED = """
import runpy, secrets
drawn = secrets.token_urlsafe
secrets.token_urlsafe = lambda size: "-" + drawn(size)[1:]
runpy.run_module("dsm_view", run_name="__main__")
"""


def test_secret_may_begin_with_a_dash(bench):
    """One secret in 64 does, and its page is served like any other."""
    bench.serve()
    view = bench.view(program=["-c", DASHED])
    assert view.address.split("/")[3].startswith("-")
    bench.browse(view.address)


def test_many_snapshots(bench):
    """The list has the newest ones, and says how many others there are."""
    bench.serve()
    simulation = bench.simulate(0)
    browser = bench.browse(bench.view().address)
    simulation.wait_for_line("wrote 300 ")
    browser.wait_for_text("#unlisted", "older snapshots are in memory as well.")
    assert browser.evaluate("document.querySelectorAll('#snapshots .v-list-item').length") == 200
    check_values(browser, simulation, 300)


SECOND = """
import time, dsm
session = dsm.Session()
speed = session.parameter("speed", 1.0)
step = 0
while session.running:
    session.step(step, step)
    step += 1
    time.sleep(0.05)
print("ended with", speed.value)
"""


def test_two_simulations(bench):
    """Both can be steered: the one that connected last, until somebody chooses the other."""
    bench.serve()
    first = bench.simulate()
    first.wait_for_line("wrote 1")
    second = bench.steered(SECOND)
    view = bench.view()
    browser = bench.browse(view.address)
    browser.wait("document.querySelector('#field-speed')")
    name = browser.text("#program").split(":")[0]
    browser.enter("#field-speed", "2")
    browser.choose("#steered", "waves.py")
    browser.wait("document.querySelector('#field-height')")
    # An edit that was not applied is not another program's.
    assert browser.evaluate("document.querySelector('#apply').disabled")
    browser.enter("#field-height", "3")
    browser.click("#apply")
    browser.wait_for_text("#told", "height = 3")
    browser.choose("#steered", name)
    browser.wait("document.querySelector('#field-speed')")
    browser.click("#command-stop")
    browser.click("#really-stop")
    assert second.wait().strip() == "ended with 1.0"
    # The other is what there is.
    browser.wait("document.querySelector('#field-height')")
    assert first.process.poll() is None


def test_drawing_crashes(bench):
    """The page outlives the process that draws, and starts another one."""
    bench.serve()
    simulation = bench.simulate()
    view = bench.view()
    browser = bench.browse(view.address)
    shown(browser)
    (drawing,) = [pid for pid, _, parent in table() if parent == view.process.pid and "spawn_main" in command_of(pid)]
    browser.click("#hold")
    os.kill(drawing, signal.SIGKILL)
    browser.click("#reset-camera")
    browser.wait_for_text("#picture-problem", "The process that draws has ended (signal 9)")
    browser.click("#follow")
    browser.wait("!document.querySelector('#picture-problem')")
    check_values(browser, simulation, next_wave(simulation).step)


OBSERVE = """
window.longest = 0;
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
}).observe({type: 'longtask'});
"""
# The time that the page's server takes to answer: hold and follow are the page's own, so this asks the server.
ANSWER = """(async () => {
    const began = performance.now();
    await trame.client.getConnection().getSession().call('trame.trigger', ['forget_edits', [], {}]);
    return performance.now() - began;
})()"""


def blocked(server):
    """Returns how many seconds the simulation waited for the server, for each snapshot."""
    return [float(seconds) for seconds in re.findall(r"blocked ([0-9.]+) s", server.text)]


def test_large_snapshots(bench):
    """128 MiB twice a second: the page stays responsive, and writing takes no longer than without it."""
    server = bench.serve("1 GiB")
    simulation = bench.simulate(0.5, 203)
    for _ in range(8):
        next_wave(simulation)
    without = blocked(server)[2:]
    browser = bench.browse(bench.view().address)
    shown(browser)
    browser.evaluate(OBSERVE)
    simulation.seen, before = len(simulation.lines), len(blocked(server))
    (first, _), answers = shown(browser), []
    for _ in range(12):
        next_wave(simulation)
        answers.append(browser.evaluate(ANSWER))
    longest, seen, beside = browser.evaluate("window.longest"), shown(browser)[0], blocked(server)[before:]
    print(f"longest task {longest:.0f} ms, slowest answer {max(answers):.0f} ms, blocked "
          f"{statistics.median(without):.4f} s without and {statistics.median(beside):.4f} s with the page, "
          f"steps {first} to {seen}")
    assert seen > first
    assert longest < 200
    assert max(answers) < 500
    check_values(browser, simulation)


NOTEBOOK = """
import sys
import dsm

view = dsm.view(sys.argv[1])
print(view._repr_html_(), flush=True)
print("steered", dsm.steer(sys.argv[1], height=4)["changes"][0]["new"], flush=True)
try:
    dsm.steer(sys.argv[1], height=40)
except dsm.Error as error:
    print("refused", error, flush=True)
import h5py
dsm.attach(sys.argv[1])
newest = dsm.snapshots(sys.argv[1])[-1]
with h5py.File(newest["name"]) as file:
    print("mean", int(newest["step"]), file["u"][...].mean(), flush=True)
print("files", [snapshot["file"].split("/")[-1] for snapshot in dsm.snapshots(sys.argv[1])][:2], flush=True)
sys.stdin.readline()
"""


def test_notebook(bench):
    """A cell has the page in a frame of another site's; the page ends with the notebook."""
    bench.serve()
    simulation = bench.simulate()
    next_wave(simulation)
    notebook = Job([bench.python, "-c", NOTEBOOK, bench.contact], environment=environ(PYTHONPATH=bench.path), talk=True)
    cell = notebook.wait_for_line("<iframe")
    assert notebook.wait_for_line("steered") == "steered 4.0"
    assert "height is out of range (maximum is 10.0 m)" in notebook.wait_for_line("refused")
    _, step, mean = notebook.wait_for_line("mean").split()
    simulation.wait_until(lambda: int(step) in waves_by_step(simulation), f"step {step}")
    assert float(mean) == pytest.approx(waves_by_step(simulation)[int(step)][1], rel=1e-6)
    assert notebook.wait_for_line("files") == "files ['wave.0000.h5', 'wave.0001.h5']"
    (bench.folder / "notebook.html").write_text(f"<h1>A notebook</h1>{cell}")
    browser = bench.browse()
    browser.go(f"file://{bench.folder}/notebook.html")
    browser.enter_frame(re.search(r'src="([^"]+)"', cell)[1])
    check_values(browser, simulation)
    page = page_of(bench.contact)
    notebook.say("")
    notebook.wait()
    notebook.wait_until(lambda: not os.path.exists(f"/proc/{page}"), "end of the page")
    simulation.wait_for_line(f"wrote {next_wave(simulation).step + 1}")


def test_run_with_a_view(bench):
    """dsm-run serves a page of its own for a program, which ends with the program."""
    bench.serve()
    path = f'{bench.python.parent}:{os.environ["PATH"]}'
    simulation = bench.simulate(run=["--view"], environment=environ(PYTHONPATH=bench.path, PATH=path))
    browser = bench.browse(simulation.wait_for_line("http://"))
    check_values(browser, simulation, next_wave(simulation).step)
    page = page_of(bench.contact)
    browser.click("#command-stop")
    browser.click("#really-stop")
    assert simulation.status() == 0
    simulation.wait_until(lambda: not os.path.exists(f"/proc/{page}"), "end of the page")


def test_run_with_a_view_in_each_rank():
    """One sentence says where the option belongs."""
    words = [*os.environ["DSM_TEST_MPIEXEC"].split(), "-n", "1", BIN / "dsm-run", "--view", "true"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "dsm-run: --view serves one page for all ranks." in done.stderr, done


@pytest.mark.parametrize("what", ["port", "packages"])
def test_says_what_is_missing(bench, what):
    """One sentence, and no traceback."""
    first = bench.view()
    words, path = [bench.python, "-m", "dsm_view", "--no-browser", bench.contact], bench.path
    if what == "port":
        words += ["--port", first.address.split(":")[2].split("/")[0]]
        said = "dsm-view: cannot serve the page on 127.0.0.1, port "
    else:
        path = PACKAGES
        said = "dsm-view: No module named 'trame': pip install trame"
    done = subprocess.run(words, env=environ(PYTHONPATH=path), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.startswith(said) and done.stderr.count("\n") == 1, done

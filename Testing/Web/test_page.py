# SPDX-License-Identifier: BSD-3-Clause
"""The page of dsm-view in a browser: what it shows of a real simulation, and what the simulation takes of it."""

import os
import signal
import urllib.error
import urllib.request

import h5py
import pytest

from bench import next_wave, page_of
from processes import on_disk, running
from reading import another_picture, check_values, colours, hold, shown, waves_by_step


def test_shows_and_steers(bench):
    """Follows, holds, shows values as written, and steers; the page is refused without its address."""
    bench.serve()
    simulation = bench.simulate()
    view = bench.view()
    browser = bench.browse(view.address)

    # It follows, and its numbers are those that were written.
    first = next_wave(simulation)
    check_values(browser, simulation, first.step + 3)
    held = hold(browser)
    check_values(browser, simulation)
    share, _ = colours(browser)
    assert share > 0.05, "there is no picture"

    browser.wait_for_text("#program", " of 100000 (about ")

    # The page has a number that the simulation reports, and its curve.
    browser.wait("document.querySelectorAll('.dsm-observed polyline').length == 1")
    largest = browser.wait_for_text("#observed-largest", " m")
    simulation.wait_until(lambda: largest in {f"{wave[0]:.6g} m" for wave in waves_by_step(simulation).values()},
                          f"step with {largest}")

    # It holds while the simulation goes on.
    simulation.wait_for_line(f"wrote {held + 4}")
    _, numbers = shown(browser)
    assert check_values(browser, simulation) == held
    before = colours(browser)
    browser.choose("#array", "v")
    browser.wait_for_text("#shown-array", "v")
    browser.wait(f"Math.abs(Number(document.querySelector('#statistics-maximum').innerText) - {-numbers[2]}) < 1e-5")
    another_picture(browser, before)

    # A click on a row of the list holds that snapshot.
    browser.click("#follow")
    shown(browser, held + 1)
    browser.evaluate("[...document.querySelectorAll('#snapshots .v-list-item')]"
                     f".find(row => row.innerText.includes('wave.{held:04}.h5')).click()")
    browser.wait_for_text("#shown", f"wave.{held:04}.h5")
    step = next_wave(simulation).step
    simulation.wait_for_line(f"wrote {step + 3}")
    assert shown(browser)[0] == held

    # A change reaches the simulation, and one that is out of range says why beside its field.
    browser.enter("#field-height", "11")
    browser.click("#apply")
    browser.wait_for_text("body", "is out of range (maximum is 10.0 m)")
    browser.enter("#field-height", "2.5")
    browser.click("#apply")
    browser.wait_for_text("#told", "height = 2.5")
    step = int(browser.text("#told").split()[1].rstrip(":"))
    simulation.wait_until(lambda: step in waves_by_step(simulation), f"step {step}")
    heights = {int(line.split()[1]): float(line.split()[2]) for line in simulation.lines if line.startswith("wrote")}
    assert heights[step - 1] == 1 and heights[step] == 2.5

    # Only the address with its secret has a page, and a websocket.
    port = view.address.split("/")[2]
    for path in "", "index.html", "ws", "assets/", view.address.split("/")[3][:-1] + "x/index.html":
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://{port}/{path}", timeout=10)
        assert refused.value.code == 403
    assert browser.evaluate(f"""new Promise(done => {{
        const socket = new WebSocket('ws://{port}/ws');
        socket.onopen = () => done('open'); socket.onerror = () => done('refused');
    }})""") == "refused"

    # A browser that is killed disturbs nothing.
    browser.close()
    last = next_wave(simulation).step
    simulation.wait_for_line(f"wrote {last + 3}")
    assert view.process.poll() is None
    again = bench.browse(view.address)
    assert shown(again)[0] == held
    again.click("#follow")
    shown(again, last + 1)
    # The page stops the simulation.
    again.click("#command-stop")
    again.click("#really-stop")
    assert simulation.status() == 0
    assert "Traceback" not in view.text, view.text


def test_one_command(bench):
    """dsm-run --view starts hosts and page for a program that has neither. Its files are on disk as well."""
    simulation = bench.simulate(run=["--view"], environment=bench.view_environment())
    address = simulation.wait_for_line("http://")
    assert f"started a server with the contact file {bench.contact}" in simulation.text
    (host,) = running("dsm-serve", str(bench.contact))
    browser = bench.browse(address)
    check_values(browser, simulation, next_wave(simulation).step)
    browser.click("#command-stop")
    browser.click("#really-stop")
    assert simulation.status() == 0
    waves = waves_by_step(simulation)
    files = [bench.folder / f"wave.{step:04d}.h5" for step in waves]
    simulation.wait_until(lambda: all(map(on_disk, files)), "the files on disk")
    for file, (maximum, _, minimum) in zip(files, waves.values(), strict=True):
        with h5py.File(file) as content:
            assert [content["u"][()].max(), content["u"][()].min()] == pytest.approx([maximum, minimum], rel=1e-6)
    # The page goes on, and ends with the hosts.
    assert check_values(browser, simulation, max(waves)) == max(waves)
    page = page_of(bench.contact)
    os.kill(host, signal.SIGTERM)
    simulation.wait_until(lambda: not bench.contact.exists(), "the end of the hosts")
    simulation.wait_until(lambda: not os.path.exists(f"/proc/{page}"), "the end of the page")

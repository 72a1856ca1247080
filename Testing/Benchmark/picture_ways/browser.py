# SPDX-License-Identifier: BSD-3-Clause
"""Has dsm-serve host the memory, and a headless Chromium show the page of dsm-view.

The page shows the first file's surface, and a slice of the others. A picture is there when the browser has decoded it
and draws its next frame.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from picture_ways import Way, launch, spans
from processes import Job

TESTING = Path(__file__).resolve().parents[2]
# Notes when each picture is there.
WATCH = """
window.dsmPictures = [];
document.addEventListener('load', event => {
    if (event.target.closest && event.target.closest('.dsm-picture')) {
        requestAnimationFrame(now => window.dsmPictures.push(performance.now()));
    }
}, true);
"""


def fetched(script):
    """Returns the folder of what one of Environment's scripts has fetched, or an empty text."""
    return subprocess.run([TESTING / "Environment" / script, "find"], capture_output=True, text=True,
                          check=True).stdout.strip()


def chromium():
    """Returns the module that drives a browser."""
    sys.path.insert(0, str(TESTING / "Web"))
    try:
        import browser
    finally:
        sys.path.pop(0)
    return browser


def why_not(_):
    """Returns why there is no page in a browser, or an empty text."""
    if chromium().program() is None:
        return "there is no Chromium."
    return next((f"{script} has fetched nothing. Run Testing/Environment/{script} get."
                 for script in ("python-vtk.sh", "trame.sh") if not fetched(script)), "")


class Page:
    """The page in a browser, and its clock."""

    def __init__(self, browser, address):
        self.browser = browser
        assert browser.go(address) == 200
        browser.wait("!!document.querySelector('#shown')")
        browser.evaluate(WATCH)
        self.ahead = self.clock()

    def clock(self):
        """Returns by how many seconds this process's clock is ahead of the page's."""
        looks = []
        for _ in range(20):
            before = time.monotonic()
            there = self.browser.evaluate("performance.now()") / 1e3
            after = time.monotonic()
            looks.append((after - before, (before + after) / 2 - there))
        return min(looks)[1]

    def pictures(self):
        """Returns how many pictures there were so far."""
        return self.browser.evaluate("dsmPictures.length")

    def picture(self, step, before):
        """Waits until the page shows a file, in a picture behind so many others, and returns when that was there."""
        there = self.browser.wait(
            f"(document.querySelector('#shown')?.innerText ?? '').includes('run.{step:05d}.h5') && "
            f"!document.querySelector('#busy') && dsmPictures.length > {before} && dsmPictures.at(-1)", 120)
        return there / 1e3 + self.ahead


@contextlib.contextmanager
def served(given, folder):
    """Yields a page that follows a new server, whose contact file is in the folder."""
    build = given.build.resolve()
    contact = Path(folder, "run.dsm")
    jobs, browser = [], None
    with tempfile.TemporaryDirectory(prefix="dsm-bench-") as profile:
        try:
            jobs.append(Job([build / "bin" / "dsm-serve", "--contact", contact, "--memory-per-host",
                             launch.memory(given.size)]))
            jobs[-1].wait_for_line("ready")
            python = Path(fetched("python-vtk.sh"), "bin", "python")
            packages = f"{build / 'lib' / 'paraview-dsm'}:{fetched('trame.sh')}"
            jobs.append(Job([python, "-m", "dsm_view", contact, "--no-browser"],
                            {**os.environ, "PYTHONPATH": packages}))
            address = jobs[-1].wait_for_line("http://")
            browser = chromium().Browser(profile)
            yield Page(browser, address)
        finally:
            if browser:
                browser.close()
            for job in reversed(jobs):
                job.stop()


def measure(given):
    """Returns what each file took."""
    with launch.folder_on_tmpfs() as folder, served(given, folder) as page:
        writer = Job(launch.writer(folder, given, launch.coupled(given.build, Path(folder, "run.dsm"))))
        try:
            pictures, before = [], 0
            for step in range(given.snapshots):
                pictures.append(page.picture(step, before))
                if step == 0:
                    page.browser.choose("#representation", "slice")
                    page.picture(0, page.pictures())
                before = page.pictures()
                Path(folder, f"seen.{step}").touch()
            marks = launch.marks_of(folder, writer)
        finally:
            writer.stop()
    return [spans(mark, picture) for mark, picture in zip(marks, pictures, strict=True)]


WAYS = [Way("browser", measure, why_not)]

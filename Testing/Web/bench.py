# SPDX-License-Identifier: BSD-3-Clause
"""The programs of a test: a server, a simulation, the page of dsm-view, and browsers that have it."""

import os
import pathlib
import subprocess
import sys

import pytest

import browser
from processes import LIMIT, Job, environ, table

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
PACKAGES = BIN.parent / "lib" / "paraview-dsm"
HERE = pathlib.Path(__file__).parent
# A test that goes wrong leaves a picture of the page here.
PICTURES = pathlib.Path(os.environ.get("DSM_TEST_PICTURES", "/nonexistent"))


def fetched(script):
    """Returns the folder of what one of Environment's scripts has fetched."""
    script = HERE.parent / "Environment" / script
    folder = subprocess.run([script, "find"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(folder or pytest.skip(f"nothing is there of {script.name}: {script} get"))


class Wave:
    """A line that the simulation has printed about a step."""

    def __init__(self, line):
        _, step, height, *numbers = line.split()
        self.step, self.height = int(step), float(height)
        self.maximum, self.mean, self.minimum, self.seconds = map(float, numbers)


class Bench:
    """Programs of one test, in its folder."""

    def __init__(self, folder):
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.python = fetched("python-vtk.sh") / "bin" / "python"
        self.path = f'{PACKAGES}:{fetched("trame.sh")}'
        self._jobs, self._browsers = [], []
        self.enter = lambda *command: list(command)  # makes it a command of another machine

    def forward(self, *words):
        """Forwards a port: see forward.py."""
        self._job([sys.executable, HERE / "forward.py", *words]).wait_for_line("ready")

    def _job(self, command, **more):
        self._jobs.append(Job(self.enter(*command), folder=self.folder, **more))
        return self._jobs[-1]

    def serve(self, memory="64 MiB"):
        job = self._job([BIN / "dsm-serve", "--contact", self.contact, "--memory-per-host", memory, "--limit", 300])
        job.wait_for_line("ready")
        return job

    def simulate(self, *arguments, run=("--wait", 20), environment=None):
        return self._job([BIN / "dsm-run", "--contact", self.contact, *run, sys.executable, HERE / "waves.py",
                          self.folder, *arguments], environment=environment or environ(PYTHONPATH=PACKAGES))

    def steered(self, code):
        """Starts a program in Python that can be steered and writes nothing."""
        return self._job([sys.executable, "-c", code],
                         environment=environ(PYTHONPATH=PACKAGES, DSM_CONTACT=self.contact))

    def view_environment(self):
        """Returns an environment whose python3 can serve the page."""
        return environ(PYTHONPATH=self.path, PATH=f'{self.python.parent}:{os.environ["PATH"]}')

    def view(self, *options, contact=None, program=("-m", "dsm_view")):
        """Starts dsm-view and returns the job, whose `address` is the page's."""
        job = self._job([self.python, *program, contact or self.contact, "--no-browser", *options],
                        environment=environ(PYTHONPATH=self.path))
        job.address = job.wait_for_line("http://")
        return job

    def browse(self, address=None):
        opened = browser.Browser(self.folder / f"browser{len(self._browsers)}", enter=self.enter)
        self._browsers.append(opened)
        if address:
            assert opened.go(address) == 200
            opened.wait("!!document.querySelector('#shown')")
        return opened

    def end(self, failed):
        for number, each in enumerate(self._browsers):
            if failed and PICTURES.is_dir() and each.process.poll() is None:
                each.screenshot(PICTURES / f"{self.folder.name}.{number}.png")
            each.close()
        for job in reversed(self._jobs):
            job.stop()
            if failed:
                print(f"{job}:\n{job.text}")


def next_wave(simulation, limit=LIMIT):
    """Returns what the simulation writes next."""
    return Wave(simulation.wait_for_line("wrote", limit))


def command_of(pid):
    """Returns the command line of a process, or nothing if the process has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def page_of(contact):
    """Returns the process that serves a page until another process ends."""
    commands = {pid: command_of(pid) for pid, _, _ in table()}
    (page,) = [pid for pid, command in commands.items() if str(contact) in command and "--until-end-of" in command
               and "dsm-run" not in command]
    return page

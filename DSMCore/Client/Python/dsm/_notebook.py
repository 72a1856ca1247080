# SPDX-License-Identifier: BSD-3-Clause
"""Functions for notebooks, which show, list and steer a run in one call each."""

import html
import os
import pathlib
import subprocess
import sys
import tempfile

from ._errors import REFUSED, UNSUPPORTED, Error
from ._viewer import Viewer


class View:
    """The page of dsm-view in a notebook's cell. `address` is for browsers on the same machine; the page is served by
    a process of its own, until close() or until this process ends."""

    def __init__(self, command, height):
        self._height = height
        # The packages are there for the other process as well.
        packages = str(pathlib.Path(__file__).parents[1])
        path = os.pathsep.join(filter(None, [packages, os.environ.get("PYTHONPATH")]))
        with tempfile.TemporaryFile("w+") as said:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said,
                                             text=True, env={**os.environ, "PYTHONPATH": path})
            self.address = self._process.stdout.readline().strip()
            if not self.address:
                self._process.wait()
                said.seek(0)
                raise Error(said.read().strip() or "dsm.view: the page could not be served", UNSUPPORTED)

    def close(self):
        """Ends the page."""
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    def _repr_html_(self):
        return (f'<iframe src="{html.escape(self.address)}" style="width: 100%; height: {self._height}px; border: 0">'
                "</iframe>")

    def __repr__(self):
        return f"<dsm.view at {self.address}>"


def view(contact=None, *, stream="", port=0, height=700):
    """Shows a running simulation in a notebook's cell: the page that dsm-view serves. Needs trame and PyVista.

    `contact` is the contact file; without it DSM_CONTACT names it, else it is run.dsm. `stream` is a pattern for files.
    If the browser is on another machine, choose a `port` and forward it: ssh -L 8899:localhost:8899 HOST.
    Raises `Error`.
    """
    command = [sys.executable, "-m", "dsm_view", *([contact] if contact else []), "--no-browser", "--stream", stream,
               "--port", str(port), "--until-end-of", str(os.getpid())]
    return View(command, height)


def snapshots(contact=None, pattern=""):
    """Returns the snapshots that a server has, as `Viewer.snapshots` does."""
    with Viewer(contact) as viewer:
        return viewer.snapshots(pattern)


def steer(contact=None, *, program="", wait=10.0, **values):
    """Changes parameters of a running simulation, all of them at one step or none, and returns what became of that.

        dsm.steer(feed=0.04)["step"]

    Waits up to `wait` seconds for the simulation's next step. Raises `Error` with the reasons if it refuses.
    """
    with Viewer(contact) as viewer:
        outcome = viewer.set(program, **values)
        if outcome["state"] == "pending":
            outcome = viewer.outcome(outcome["transaction"], wait)
    if outcome["state"] == "refused":
        reasons = "; ".join(f'{refusal["name"]} {refusal["reason"]}' for refusal in outcome["refusals"])
        raise Error(f"cannot change the simulation: {reasons}", REFUSED)
    return outcome

# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts in pvbatch and simulations beside them, as a user does, and collects what each rank
found."""

import json
import os
import pathlib
import subprocess
import time

import pytest

HERE = pathlib.Path(__file__).parent
BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()


def environment(**more):
    """What ParaView needs to know of the plugin, and how to fail instead of hanging."""
    plugin = os.environ["DSM_PLUGIN_FOLDER"]
    return {
        **os.environ,
        "PYTHONPATH": f"{plugin}:{HERE / 'scripts'}",
        "UCX_ERROR_SIGNALS": "",
        **{name: str(value) for name, value in more.items()},
    }


class Running:
    """A program with its output in a file; ended at the latest when the test ends."""

    def __init__(self, command, log, env):
        self.log = log
        self.command = [str(word) for word in command]
        with open(log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                self.command, env=env, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, cwd=log.parent,
            )

    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait(self, limit=120, expect=0):
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.stop()
            pytest.fail(f"{' '.join(self.command)} still ran after {limit} s:\n{self.text()}")
        assert expect is None or status == expect, f"{' '.join(self.command)} ended with {status}:\n{self.text()}"
        return self.text()

    def waitFor(self, path, limit=60):
        """Waits until a file exists that this program makes."""
        end = time.monotonic() + limit
        while not path.exists():
            if self.process.poll() is not None:
                pytest.fail(f"{' '.join(self.command)} ended without making {path}:\n{self.text()}")
            assert time.monotonic() < end, f"no {path} after {limit} s:\n{self.text()}"
            time.sleep(0.05)

    def stop(self):
        if self.process.poll() is None:
            # mpiexec passes it on to its ranks.
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)


class Workshop:
    """Starts programs in a test's folder."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, command, name, **more):
        made = Running(command, self.folder / f"{name}.{len(self.running)}.log", environment(**more))
        self.running.append(made)
        return made

    def pvbatch(self, script, ranks, symmetric=False, **more):
        """pvbatch with scripts/<script>; its ranks' reports are read with reports()."""
        self.reportFolder = self.folder / f"reports.{len(self.running)}"
        self.reportFolder.mkdir()
        command = [*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVBATCH"]]
        command += ["--sym"] if symmetric else []
        return self.start(
            [*command, HERE / "scripts" / script], "pvbatch",
            DSM_TEST_FOLDER=self.folder, DSM_TEST_REPORTS=self.reportFolder, **more,
        )

    def reports(self):
        return [json.loads(file.read_text()) for file in sorted(self.reportFolder.glob("report.*.json"))]

    def simulation(self, contact, ranks, output, *options, program=None):
        """A simulation coupled by dsm-run; Gray-Scott unless another program is given."""
        program = program or [BIN / "gray_scott", "--output", output, *options]
        coupled = [BIN / "dsm-run", "--contact", contact] if contact else []
        return self.start([*coupled, *MPIEXEC, "-n", ranks, *program], "simulation")


@pytest.fixture
def workshop(tmp_path):
    made = Workshop(tmp_path)
    yield made
    for program in made.running:
        program.stop()


# How a script runs: ranks, and whether all of them or only the first runs it.
ways = pytest.mark.parametrize(
    ("ranks", "symmetric"), [(1, False), (2, False), (2, True), (3, False), (3, True)]
)

# The same where all five would only take time.
someWays = pytest.mark.parametrize(("ranks", "symmetric"), [(1, False), (2, True), (3, False)])

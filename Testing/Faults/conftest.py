# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and simulations as separate MPI jobs, without ParaView."""

import os
import pathlib
import queue
import subprocess
import threading
import time

import pytest

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
LIMIT = 60


class Job:
    """A running MPI job whose output lines can be waited for."""

    def __init__(self, command, **environment):
        self.command = [str(word) for word in command]
        self.lines = []
        self.queue = queue.Queue()
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", env={**os.environ, **{name: str(value) for name, value in environment.items()}})
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            self.queue.put(line)
        self.queue.put(None)

    @property
    def text(self):
        return "".join(self.lines)

    def wait_for_line(self, beginning, limit=LIMIT):
        end = time.monotonic() + limit
        while True:
            try:
                line = self.queue.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"no line '{beginning}…' within {limit} s from {self.command}:\n{self.text}")
            if line is None:
                pytest.fail(f"{self.command} ended without a line '{beginning}…':\n{self.text}")
            if line.startswith(beginning):
                return line

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self, limit=LIMIT):
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.stop()
            pytest.fail(f"{self.command} still ran after {limit} s:\n{self.text}")
        self.reader.join(5)
        return status

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        self.reader.join(5)


class Bench:
    """Starts jobs in a test's folder and ends them with it."""

    def __init__(self, folder):
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.saved = folder / "saved"
        self.saved.mkdir()
        self.jobs = []

    def start(self, *command, **environment):
        self.jobs.append(Job(command, **environment))
        return self.jobs[-1]

    def serve(self, *options, hosts=2, wait=True, **environment):
        job = self.start(*MPIEXEC, "-n", hosts, BIN / "dsm-serve", "--contact", self.contact, "--save", self.saved,
                         "--memory-per-host", "8 MiB", "--limit", LIMIT, *options, **environment)
        if wait:
            job.wait_for_line("ready")
        return job

    def simulate(self, how, *options, ranks=3, contact=None, **environment):
        return self.start(BIN / "dsm-run", "--contact", contact or self.contact, "--timeout", 5, *options, *MPIEXEC,
                          "-n", ranks, BIN / "dsmUnfinished", how, self.folder / "sim", **environment)

    def first_file_is_good(self):
        """The file the simulation finished is a whole HDF5 file, as h5dump sees it."""
        dump = subprocess.run(["h5dump", "-d", "values", "-y", "-w", "1", str(self.saved / "sim.1.h5")],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        assert dump.returncode == 0, dump.stderr
        values = dump.stdout.split("DATA {")[1].split("}")[0].replace(",", " ").split()
        assert [int(value) for value in values] == list(range(len(values)))
        return len(values)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for job in reversed(made.jobs):
        job.stop()

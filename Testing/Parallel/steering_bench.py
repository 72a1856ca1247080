# SPDX-License-Identifier: BSD-3-Clause
"""What tests of steering share: a server, the programs of a test, and dsm-steer as the viewer."""

import json
import os
import pathlib
import subprocess
import time

from processes import LIMIT, Job, environ, table

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()


def ranks_of(job, program):
    """The processes of a program that a launcher has started."""
    parents = {pid: parent for pid, state, parent in table() if state != "Z"}

    def below(pid):
        return pid == job.process.pid or (pid in parents and below(parents[pid]))

    ranks = [pid for pid in parents if below(pid) and os.path.basename(os.readlink(f"/proc/{pid}/exe")) == program]
    assert ranks, f"nobody of {job} is {program}"
    return ranks


class SteeringBench:
    def __init__(self, folder):
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.jobs = []

    def start(self, command, talk=False, folder=None, **environment):
        self.jobs.append(Job(command, environ(**environment), talk=talk, folder=folder))
        return self.jobs[-1]

    def serve(self, *options, hosts=1, memory="8 MiB", **environment):
        job = self.start([*MPIEXEC, "-n", hosts, BIN / "dsm-serve", "--contact", self.contact, "--memory-per-host",
                          memory, "--limit", 120, *options], **environment)
        job.wait_for_line("ready")
        return job

    def run_steer(self, *options, status=0, **sets):
        """dsm-steer once it has ended as it should; `sets` are values to set."""
        words = [word for name, value in sets.items() for word in ("--set", f"{name}={value}")]
        done = subprocess.run([str(BIN / "dsm-steer"), "--contact", str(self.contact), *words, *map(str, options)],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def steer(self, *options, status=0, **sets):
        return json.loads(self.run_steer(*options, status=status, **sets).stdout)

    def status(self, until=lambda _: True):
        """The newest program's state, once it is as `until` wants it."""
        end = time.monotonic() + LIMIT
        while True:
            programs = self.steer("--status")["programs"]
            if programs and until(programs[0]):
                return programs[0]
            assert time.monotonic() < end, f"never as it should be: {programs}"
            time.sleep(0.05)

    def end(self):
        for job in reversed(self.jobs):
            job.stop()

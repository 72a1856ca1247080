# SPDX-License-Identifier: BSD-3-Clause
"""What tests of steering share: a server, the programs of a test, and dsm-steer as the viewer."""

import os
import pathlib
import subprocess

from processes import LIMIT, Job, environ

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()


class SteeringBench:
    def __init__(self, folder):
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.jobs = []

    def start(self, command, talk=False, folder=None, **environment):
        self.jobs.append(Job(command, environ(**environment), talk=talk, folder=folder))
        return self.jobs[-1]

    def serve(self, *options, hosts=1, **environment):
        job = self.start([*MPIEXEC, "-n", hosts, BIN / "dsm-serve", "--contact", self.contact, "--memory-per-host",
                          "8 MiB", "--limit", 120, *options], **environment)
        job.wait_for_line("ready")
        return job

    def run_steer(self, *options, status=0, **sets):
        """dsm-steer once it has ended as it should; `sets` are values to set."""
        words = [word for name, value in sets.items() for word in ("--set", f"{name}={value}")]
        done = subprocess.run([str(BIN / "dsm-steer"), "--contact", str(self.contact), *words, *map(str, options)],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def end(self):
        for job in reversed(self.jobs):
            job.stop()

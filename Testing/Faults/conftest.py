# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and simulations as separate MPI jobs, without ParaView."""

import os
import pathlib
import re
import subprocess

import pytest

from processes import LIMIT, Job, environ, on_disk

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
OPENMPI = os.environ["DSM_TEST_FLAVOUR"] == "openmpi"
# A thread of each host serves the transports over MPI, as in a job script that is set up well.
MPI_THREADS = {"OMPI_MPI_THREAD_LEVEL": 3, "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}
# Writes a process's own exit status into a file ($0.<number>), also when the launcher already ends the job.
RECORD_STATUS = 'trap : TERM; "$@"; status=$?; echo $status >"$0.$$"; exit $status'


class Obedient(Job):
    """dsmObedient; see obedient.c."""

    # Wherever it stands: launchers put standard error into the middle of a line.
    ANSWER = re.compile(r"did ([^:\n]+): (ok|failed|wrong), ([\d.]+) s")

    def ask(self, command):
        """Says a command; what is returned waits until it is done, and tells whether it succeeded and how many seconds
        it took."""
        before = len(self.ANSWER.findall(self.text))
        self.say(command)

        def answer(limit=None):
            def found():
                answers = self.ANSWER.findall(self.text)
                return answers[before] if len(answers) > before else None

            what, how, seconds = self._wait_until(found, f"an answer to '{command}'", limit)
            assert what == command, self.text
            return how == "ok", float(seconds)

        return answer

    def tell(self, command, limit=None):
        """Whether a command succeeded, and how many seconds it took."""
        return self.ask(command)(limit)

    def does(self, command, within=LIMIT):
        """It succeeds, and soon enough."""
        succeeded, seconds = self.tell(command)
        assert succeeded, f"{command} failed:\n{self.text}"
        assert seconds < within, f"{command} took {seconds} s:\n{self.text}"

    def fails(self, command, within=LIMIT):
        succeeded, seconds = self.tell(command)
        assert not succeeded, f"{command} succeeded:\n{self.text}"
        assert seconds < within, f"{command} took {seconds} s:\n{self.text}"

    def ends(self):
        """Its status, when it has nothing more to do."""
        self.process.stdin.close()
        return self.status()


class Bench:
    """Starts jobs in a test's folder and ends them with it."""

    def __init__(self, folder):
        self.folder = folder
        self.contact = folder / "run.dsm"
        self.saved = folder / "saved"
        self.jobs = []

    def start(self, *command, **environment):
        self.jobs.append(Job(command, environ(**environment), talk=True))
        return self.jobs[-1]

    def serve(self, *options, hosts=2, wait=True, **environment):
        job = self.start(*MPIEXEC, "-n", hosts, BIN / "dsm-serve", "--contact", self.contact, "--save", self.saved,
                         "--memory-per-host", "8 MiB", "--limit", LIMIT, *options, **environment)
        if wait:
            job.wait_for_line("ready")
        return job

    def simulate(self, how, *options, ranks=3, contact=None, recorded_status=False, **environment):
        return self.start(BIN / "dsm-run", "--contact", contact or self.contact, "--timeout", 5, *options, *MPIEXEC,
                          "-n", ranks, *self._recorder(recorded_status), BIN / "dsmUnfinished", how,
                          self.folder / "sim", **environment)

    def one_job(self, hosts, host, ranks, simulation, *options, **environment):
        """Hosts and the ranks of a simulation in one MPI job, as the transports over MPI want them; `options` are the
        launcher's."""
        if OPENMPI:
            return self.start(*MPIEXEC, *options, "-n", hosts + ranks, BIN / "dsm-mpmd", hosts, *host, "::", ranks,
                              *simulation, **environment)
        return self.start(*MPIEXEC, *options, "-n", hosts, *host, ":", "-n", ranks, *simulation, **environment)

    def _recorder(self, wanted):
        return ["sh", "-c", RECORD_STATUS, self.folder / "ended"] if wanted else []

    def obey(self, *options, how="parallel", ranks=3, contact=None, recorded_status=False, **environment):
        """A simulation that does what it is told, line by line: Obedient."""
        job = Obedient([BIN / "dsm-run", "--contact", contact or self.contact, "--timeout", 5, *options, *MPIEXEC,
                        "-n", ranks, *self._recorder(recorded_status), BIN / "dsmObedient", how,
                        self.folder / "sim"], environ(**environment), talk=True)
        self.jobs.append(job)
        job.wait_for_line("listening")
        return job

    def written_alone(self, *commands, ranks=3, how="parallel"):
        """The files that an obedient simulation writes without us, by their names."""
        folder = self.folder / "alone"
        folder.mkdir(exist_ok=True)
        alone = subprocess.run([str(word) for word in (*MPIEXEC, "-n", ranks, BIN / "dsmObedient", how,
                                                       folder / "sim")],
                               input="".join(f"{command}\n" for command in commands), env=environ(),
                               capture_output=True, text=True, timeout=LIMIT, check=False)
        assert alone.returncode == 0, alone.stdout + alone.stderr
        return {file.name: file.read_bytes() for file in folder.iterdir()}

    def on_disk(self):
        """The simulation's files on disk, by their names; also what is no whole file."""
        return {file.name: file.read_bytes() for file in self.folder.glob("sim.*") if on_disk(file)}

    def snapshots(self):
        """The files' names of the snapshots that hosts have told of, in their order."""
        lines = [line.split() for job in self.jobs for line in job.lines if line.startswith("snapshot ")]
        return [pathlib.Path(words[2]).name for words in lines]

    def recorded_status(self):
        """The exit statuses of a simulation's own processes; a launcher may kill some witnesses before they wrote
        them."""
        return [int(status) for file in self.folder.glob("ended.*") if (status := file.read_text())]

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

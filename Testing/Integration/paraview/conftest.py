# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts in pvbatch and simulations beside them, as a user does, and collects what each rank
found."""

import json
import os
import pathlib
import select
import shutil
import subprocess
import sys

import pytest

from processes import Job, free_port, offered

HERE = pathlib.Path(__file__).parent
BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
# The MPI that ParaView and this build use, and the other one's build, if it is there.
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}[FLAVOUR]


# What chooses a transport, also for processes on one node; for both sides.
TRANSPORTS = {
    name: {} if name == "shared-memory" else {"DSM_TRANSPORT": name, "DSM_NODE_MEMORY": "off"}
    for name in [next(iter(one["variants"]), name) for name, one in offered(BIN)["transports"].items()]
}


def built(flavour):
    """The build for a flavour and its mpiexec."""
    if flavour == FLAVOUR:
        return pathlib.Path(os.environ["DSM_TEST_BUILD"]), MPIEXEC
    build = pathlib.Path(os.environ["DSM_TEST_BUILDS"]) / flavour
    mpiexec = [f"mpiexec.{flavour}", *(["--oversubscribe"] if flavour == "openmpi" else [])]
    if not (build / "bin/dsm-run").exists() or not shutil.which(mpiexec[0]):
        pytest.skip(f"there is no build for {flavour} in {build}, or no {mpiexec[0]}")
    return build, mpiexec


def environment(**more):
    """What ParaView needs to know of the plugin, and how to fail instead of hanging."""
    plugin = os.environ["DSM_PLUGIN_FOLDER"]
    return {
        **os.environ,
        "PYTHONPATH": f"{plugin}:{HERE / 'scripts'}",
        "UCX_ERROR_SIGNALS": "",
        **{name: str(value) for name, value in more.items()},
    }


class Bench:
    """Starts programs in a test's folder."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, command, name, **more):
        log = self.folder / f"{name}.{len(self.running)}.log"
        made = Job(command, environment(**more), log, self.folder, limit=120)
        self.running.append(made)
        return made

    def pvserver(self, ranks):
        """A pvserver that waits for its client, and its port."""
        port = free_port()
        server = self.start(
            [*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVSERVER"], f"--server-port={port}"], "pvserver"
        )
        server.wait_to_say("Accepting connection")
        return server, port

    def pvbatch(self, script, ranks, symmetric=False, **more):
        """pvbatch with scripts/<script>; its ranks' reports are read with reports()."""
        command = [*MPIEXEC, "-n", ranks, os.environ["DSM_TEST_PVBATCH"]]
        command += ["--sym"] if symmetric else []
        return self.start([*command, HERE / "scripts" / script], "pvbatch", **self.script_needs(), **more)

    def script_needs(self):
        """What scripts read from their environment; makes the folder for their reports."""
        self.reportFolder = self.folder / f"reports.{len(self.running)}"
        self.reportFolder.mkdir()
        return {"DSM_TEST_FOLDER": self.folder, "DSM_TEST_REPORTS": self.reportFolder}

    def one_job(self, viewer_ranks, viewer, ranks, program, **more):
        """Two programs in one MPI job."""
        # Debian's Open MPI crashes on "mpiexec a : b".
        command = (
            [*MPIEXEC, "-n", viewer_ranks, *viewer, ":", "-n", ranks, *program]
            if FLAVOUR == "mpich"
            else [*MPIEXEC, "-n", viewer_ranks + ranks, BIN / "dsm-mpmd", viewer_ranks, *viewer, "::", ranks, *program]
        )
        return self.start(command, "job", **self.script_needs(), **more)

    def reports(self):
        return [json.loads(file.read_text()) for file in sorted(self.reportFolder.glob("report.*.json"))]

    def simulation(self, contact, ranks, output, *options, program=None, flavour=None, **more):
        """A simulation coupled by dsm-run; Gray-Scott unless another program is given."""
        # Debian's mpi4py and parallel h5py are for Open MPI, whichever ParaView uses.
        flavour = flavour or ("openmpi" if program and program[0] == sys.executable else FLAVOUR)
        build, mpiexec = built(flavour)
        program = program or [build / "bin/gray_scott", "--output", output, *options]
        coupled = [build / "bin/dsm-run", "--contact", contact] if contact else []
        return self.start([*coupled, *mpiexec, "-n", ranks, *program], "simulation", **more)

    def screen(self):
        """The name of an X screen of this test's own, in memory."""
        if not hasattr(self, "screenName"):
            reading, writing = os.pipe()
            with open(self.folder / "screen.log", "wb") as log:
                # -noreset: else it restarts when the first rank has left, and the second finds nobody.
                self.display = subprocess.Popen(
                    ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(writing,),
                )
            os.close(writing)
            with os.fdopen(reading) as answer:
                number = answer.readline().strip() if select.select([answer], [], [], 30)[0] else ""
            assert number, f"Xvfb did not start within 30 s:\n{(self.folder / 'screen.log').read_text()}"
            self.screenName = f":{number}"
        return self.screenName

    def photograph(self, file):
        """The whole screen, as a person would see it."""
        subprocess.run(
            ["import", "-window", "root", file], check=True, timeout=30, env={**os.environ, "DISPLAY": self.screen()}
        )

    def close(self):
        for program in self.running:
            program.stop()
        if hasattr(self, "display"):
            self.display.terminate()
            self.display.wait(10)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.close()


# How a script runs: ranks, and whether all of them or only the first runs it.
ways = pytest.mark.parametrize(
    ("ranks", "symmetric"), [(1, False), (2, False), (2, True), (3, False), (3, True)]
)

# The same where all five would only take time.
some_ways = pytest.mark.parametrize(("ranks", "symmetric"), [(1, False), (2, True), (3, False)])

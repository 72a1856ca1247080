# SPDX-License-Identifier: BSD-3-Clause
"""Runs HDF5's own test programs, in one of these ways:

  on disk       HDF5 as installed: what the machine can do without us
  pass-through  our driver stands in for MPI-IO and for the default driver, and there is no server:
                every file goes on to HDF5's own drivers
  a map's name  every file the program creates lands in the memory of a server that this starts, which
                distributes files so
"""
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import Failure, Job, descendants, end_everything

ON_DISK, PASS_THROUGH = "on disk", "pass-through"
SERVER_START_LIMIT = 120  # seconds
SERVER_END_LIMIT = 60
TAIL = 60  # lines of output shown after a failure
HOSTS = 2
BLOCK_SIZE = "64 KiB"  # small, so that small files reach every host
# As in cmake/DSMTesting.cmake: where ctest has set them, they are there already.
ENVIRONMENT = {"UCX_ERROR_SIGNALS": "", "HWLOC_COMPONENTS": "-gl", "OMPI_MCA_btl_tcp_if_include": "lo",
               "OMPI_MCA_mpi_yield_when_idle": "1", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
               **{f"{whose}_ALLOW_RUN_AS_ROOT{what}": "1" for whose in ("OMPI", "PRTE") for what in ("", "_CONFIRM")}}
# What a program says that ends because it has too few ranks, or tests what this HDF5 does not have.
REFUSES = re.compile(r"Need at least \d+ processes\.  Exiting|Subfiling VFD not built")


class Build:
    """A build of ours, and HDF5's test programs for its MPI library."""

    def __init__(self, folder):
        folder = Path(folder).resolve()
        self.flavour = next((name for name in ("openmpi", "mpich") if (folder / f"lib/libdsmcore-{name}.so").exists()),
                            None)
        if not self.flavour:
            raise SystemExit(f"there is no lib/libdsmcore-….so in {folder}: name the folder of a build")
        self.bin = folder / "bin"
        self.loader = folder / "lib/dsm/libdsm-loader.so"
        self.programs = folder / "Testing/Conformance/programs"
        self.mpiexec = [f"mpiexec.{self.flavour}", *(["--oversubscribe"] if self.flavour == "openmpi" else [])]


class Case(NamedTuple):
    """Programs of HDF5's that are run one after the other in one folder, with the same server. Each is a list of words.

    limit             seconds for each program
    server            options of dsm-serve, which these files ask for
    memory            that each host lends
    least_snapshots   how many files the server must have sealed; fewer: files went elsewhere
    ignore_status     of all programs but the last
    most_ranks        it leaves more of them idle; 0: none
    one_map           hardly any of its bytes are a file's: one map says as much as all
    """

    commands: list
    limit: float = 120
    server: tuple = ()
    memory: str = "2 GiB"
    least_snapshots: int = 1
    ignore_status: bool = False
    most_ranks: int = 0
    one_map: bool = False

    @property
    def name(self):
        return ", ".join(" ".join(command) for command in self.commands)


class Outcome(NamedTuple):
    """What became of a case. `failure`: what was wrong, or nothing; `refusal`: why the program does not test here."""

    seconds: float
    failure: str = ""
    refusal: str = ""
    snapshots: int = 0
    troubles: tuple = ()


def scratch_folder():
    """On tmpfs where there is room, for MPI-IO's sake."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30
    return tempfile.mkdtemp(prefix="dsm-conformance-", dir=memory if roomy else None)


def environment(build, way, folder):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("DSM_", "HDF5_")) or name == "DSM_LOG"}
    # Where others compute on this machine a server may answer late, and programs take long: limits are this script's.
    result = {**ENVIRONMENT, **kept, "DSM_DEFAULTS": "off", "DSM_TIMEOUT": "120", "HDF5_ALARM_SECONDS": "7200"}
    # HDF5's tests put their files there.
    result["HDF5_PARAPREFIX"] = result["HDF5_PREFIX"] = str(folder)
    if way == PASS_THROUGH:
        result["LD_PRELOAD"] = str(build.loader)
        result["HDF5_DRIVER"] = "dsm"
        result["HDF5_PLUGIN_PATH"] = str(build.loader.parent)
    return result


def start_server(build, case, strategy, base, folder):
    contact = folder / "run.dsm"
    server = Job(
        [*build.mpiexec, "-n", HOSTS, build.bin / "dsm-serve", "--contact", contact, "--strategy", strategy,
         "--block-size", BLOCK_SIZE, "--memory-per-host", case.memory, *case.server],
        base, folder / "server.log", folder)
    server.wait_for_line("ready", SERVER_START_LIMIT)
    return server, contact


def end_server(server):
    """Asks the server's ranks to end, as a job script would, and wants a clean end."""
    asked = [pid for pid in descendants() if process_name(pid) == "dsm-serve"]
    if not asked:
        raise Failure(f"the server ended by itself:\n{tail(server)}")
    for pid in asked:
        os.kill(pid, signal.SIGTERM)
    status = server.status(SERVER_END_LIMIT)
    if status != 0:
        raise Failure(f"the server ended with status {status}:\n{tail(server)}")


def process_name(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def tail(process):
    return "\n".join(process.text.splitlines()[-TAIL:])


def run_program(build, command, ranks, limit, base, folder, contact, may_fail):
    """What it said."""
    words = [*build.mpiexec, "-n", ranks, build.programs / command[0], *command[1:]]
    if contact:
        words = [build.bin / "dsm-run", "--contact", contact, *words]
    process = Job(words, base, folder / f"{command[0]}.log", folder)
    name = " ".join(command)
    try:
        status = process.status(limit)
    except Failure:
        raise Failure(f"{name} still ran after {limit:g} s:\n{tail(process)}") from None
    if status != 0 and not may_fail:
        raise Failure(f"{name} ended with status {status}:\n{tail(process)}")
    # A program may print this and still end with 0 when one rank out of many saw it.
    if re.search(r"\*FAILED\*", process.text):
        raise Failure(f"{name} ended with {status}, but a check of it failed:\n{tail(process)}")
    return process.text


def run_all(build, case, ranks, way, folder):
    """The outcome, but for its time; raises Failure."""
    server = contact = None
    base = environment(build, way, folder)
    if way not in (ON_DISK, PASS_THROUGH):
        server, contact = start_server(build, case, way, base, folder)
    for command in case.commands:
        may_fail = case.ignore_status and command is not case.commands[-1]
        said = run_program(build, command, ranks, case.limit, base, folder, contact, may_fail)
    refusal = REFUSES.search(said)
    snapshots, troubles = 0, ()
    if server:
        end_server(server)
        # By their numbers: not all are told of (a file that is opened again at once).
        snapshots = max(map(int, re.findall(r"(?m)^snapshot (\d+) ", server.text)), default=0)
        troubles = tuple(re.findall(r"(?m)^trouble .*", server.text))
        if snapshots < case.least_snapshots and not refusal:
            raise Failure(f"the server sealed {snapshots} files where at least {case.least_snapshots} were expected: "
                          f"files went somewhere else:\n{tail(server)}")
    return Outcome(0, refusal=refusal.group() if refusal else "", snapshots=snapshots, troubles=troubles)


def run(build, case, ranks, way, keep):
    """Runs a case; logs go into the folder `keep`. Whoever calls this has adopted orphans, and has no other jobs:
    all are ended."""
    folder = Path(scratch_folder())
    began = time.monotonic()
    try:
        outcome = run_all(build, case, ranks, way, folder)
    except Failure as failure:
        outcome = Outcome(0, failure=str(failure))
    finally:
        end_everything()
        keep.mkdir(parents=True, exist_ok=True)
        for log in folder.glob("*.log"):
            shutil.copy(log, keep)
        shutil.rmtree(folder, ignore_errors=True)
    return outcome._replace(seconds=time.monotonic() - began)

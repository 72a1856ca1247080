# SPDX-License-Identifier: BSD-3-Clause
"""Runs one of HDF5's own test programs, in one of three ways:

  stock         HDF5 as installed: what the machine can do without us
  pass-through  our driver stands in for MPI-IO and for the default driver, and there is no server:
                every file goes on to HDF5's own drivers
  dsm           every file the program creates lands in the memory of a server that this script starts

Several programs, separated by "then", run one after the other against the same server and folder.
Ends with 0 when all went well, 77 when the programs could not be built here, 1 otherwise.
"""
import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from processes import Failure, Job, adopt_orphans, descendants, end_everything

SKIPPED = 77
SERVER_START_LIMIT = 30
SERVER_END_LIMIT = 15
TAIL = 60  # lines of output shown after a failure


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", choices=["stock", "pass-through", "dsm"], required=True)
    parser.add_argument("--programs", type=Path, required=True, help="folder of programs, by build_programs.py")
    parser.add_argument("--ranks", type=int, default=4, help="of the program; 0: without mpiexec")
    parser.add_argument("--hosts", type=int, default=2, help="ranks of the server")
    parser.add_argument("--mpiexec", default="mpiexec", help="with its options, separated by blanks")
    parser.add_argument("--bin", type=Path, help="folder of dsm-serve and dsm-run")
    parser.add_argument("--loader", type=Path, help="libdsm-loader.so")
    parser.add_argument("--strategy", default="block cyclic")
    parser.add_argument("--block-size", default="64 KiB", help="small, so that small files reach every host")
    parser.add_argument("--memory-per-host", default="2 GiB")
    parser.add_argument("--limit", type=float, default=120, help="seconds for each program")
    parser.add_argument("--least-snapshots", type=int, default=1, help="how many images the server must have sealed")
    parser.add_argument("--keep", type=Path, help="folder to keep logs in")
    parser.add_argument("--ignore-status", action="store_true", help="of all programs but the last")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- PROGRAM [ARGUMENT…] [then PROGRAM…]")
    given = parser.parse_args()
    words = given.command[1:] if given.command[:1] == ["--"] else given.command
    given.commands = [[]]
    for word in words:
        if word == "then":
            given.commands.append([])
        else:
            given.commands[-1].append(word)
    if not all(given.commands):
        parser.error("name a program to run")
    return given


def scratch_folder():
    """On tmpfs where there is room, for MPI-IO's sake."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30
    return tempfile.mkdtemp(prefix="dsm-conformance-", dir=memory if roomy else None)


def environment(given, folder):
    result = {
        name: value for name, value in os.environ.items() if not name.startswith(("DSM_", "HDF5_")) or name == "DSM_LOG"
    }
    # HDF5's tests put their files there.
    result["HDF5_PARAPREFIX"] = result["HDF5_PREFIX"] = str(folder)
    if given.mode == "pass-through":
        result["LD_PRELOAD"] = str(given.loader)
        result["HDF5_DRIVER"] = "dsm"
        result["HDF5_PLUGIN_PATH"] = str(given.loader.parent)
    return result


def start_server(given, base, folder):
    contact = folder / "run.dsm"
    server = Job(
        [*given.mpiexec.split(), "-n", given.hosts, given.bin / "dsm-serve", "--contact", contact,
         "--strategy", given.strategy, "--block-size", given.block_size, "--memory-per-host", given.memory_per_host],
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


def run_program(given, command, base, folder, contact, last):
    program = given.programs / command[0]
    words = [program, *command[1:]]
    if given.ranks:
        words = [*given.mpiexec.split(), "-n", given.ranks, *words]
    if contact:
        words = [given.bin / "dsm-run", "--contact", contact, *words]
    began = time.monotonic()
    process = Job(words, base, folder / f"{command[0]}.log", folder)
    status = process.status(given.limit)
    seconds = time.monotonic() - began
    name = " ".join(command)
    if status != 0 and (last or not given.ignore_status):
        raise Failure(f"{name} ended with status {status} after {seconds:.1f} s:\n{tail(process)}")
    # A program may print this and still end with 0 when one rank out of many saw it.
    if re.search(r"\*FAILED\*", process.text):
        raise Failure(f"{name} ended with 0, but a check of it failed:\n{tail(process)}")
    print(f"{name}: {seconds:.1f} s")


def run(given, folder):
    server = contact = None
    base = environment(given, folder)
    if given.mode == "dsm":
        server, contact = start_server(given, base, folder)
    for index, command in enumerate(given.commands):
        run_program(given, command, base, folder, contact, index + 1 == len(given.commands))
    if server:
        end_server(server)
        text = server.text
        # By their numbers: not all are told of (a file that is opened again at once).
        snapshots = max(map(int, re.findall(r"(?m)^snapshot (\d+) ", text)), default=0)
        print(f"the server sealed {snapshots} images")
        if snapshots < given.least_snapshots:
            raise Failure(f"the server sealed {snapshots} images where at least {given.least_snapshots} were expected: "
                          f"files went somewhere else:\n{tail(server)}")
        for line in re.findall(r"(?m)^trouble .*", text):
            print(f"the server reported {line}")


def main():
    given = arguments()
    missing = [command[0] for command in given.commands if not (given.programs / command[0]).exists()]
    if missing:
        print(f"skipped: there is no {', '.join(missing)} in {given.programs}: HDF5's test programs were not built; "
              "the test Conformance.Programs says why")
        return SKIPPED
    adopt_orphans()
    # ctest ends a test that is late with SIGTERM before SIGKILL: clean up then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(scratch_folder())
    try:
        run(given, folder)
        return 0
    except Failure as failure:
        print(failure)
        return 1
    finally:
        end_everything()
        if given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
            for log in folder.glob("*.log"):
                shutil.copy(log, given.keep)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""The program that writes files for a viewer, and how both are started."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from processes import Job

# Writes a field into each file, then waits until the viewer has made seen.N, the mark that a picture is there. A file
# that others are to find in its folder gets its name when it is whole. The values at both ends and in the middle are
# the step's, so that the field and a slice through its middle tell which file they come from.
WRITER = """
import json, os, sys, time, h5py, numpy
folder, size, files, interval, found = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:]
values = numpy.random.default_rng(1).random((size, size, size))
middle = [slice(size // 2 - 1, size // 2 + 1)] * 3
marks = []
for step in range(files):
    time.sleep(interval)
    values[0, 0, 0] = values[-1, -1, -1] = values[*middle] = step + 2
    name = f"{folder}/run.{step:05d}.h5"
    marks.append([time.monotonic()])
    file = h5py.File(name + ".part" if found else name, "w")
    file["u"] = values
    marks[-1].append(time.monotonic())
    file.close()
    marks[-1].append(time.monotonic())
    if found:
        os.rename(name + ".part", name)
    until = time.monotonic() + 120
    while not os.path.exists(f"{folder}/seen.{step}"):
        if time.monotonic() > until:
            sys.exit(f"there was no picture of file {step} within 120 s")
        time.sleep(0.01)
    if found and step > 1:
        os.remove(f"{folder}/run.{step - 2:05d}.h5")
open(f"{folder}/marks.json", "w").write(json.dumps(marks))
"""


def memory(size, hosts=1):
    """Returns the memory of each host that suffices for six files, as ParaView and dsm-serve take it."""
    return f"{6 * (size ** 3 * 8 // hosts >> 20) + 64} MiB"


def writer(folder, given, couple=(), found=False):
    """Returns the command that runs the program.

    couple  the command behind which it runs, such as dsm-run
    found   gives each file its name when it is whole
    """
    return [*couple, sys.executable, "-c", WRITER, folder,
            *map(str, [given.size, given.snapshots, given.interval, *(["found"] if found else [])])]


def marks_of(folder, job, limit=600):
    """Waits for the program's end. Returns when it began to create, began to close, and had closed each file."""
    job.wait(limit)
    return json.loads(Path(folder, "marks.json").read_text(encoding="utf-8"))


@contextlib.contextmanager
def display():
    """Yields the name of a new X display."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-noreset", "-nolisten",
                               "tcp"], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(10)


def folder_on_tmpfs():
    """Returns a new folder there, as a context."""
    return tempfile.TemporaryDirectory(prefix="dsm-bench-", dir="/dev/shm")


def coupled(build, contact):
    """Returns the command behind which a program writes into the memory of a server."""
    return [build.resolve() / "bin" / "dsm-run", "--contact", contact]


def follow(script, variable, asked, ranks, given, command, limit=600):
    """Runs a script in pvbatch's ranks beside a program that writes files.

    script    makes the file `contact` when it is ready, and follows the files; each rank writes rank.N.json
    variable  the environment variable in which it has `asked`, the contact file and the folder
    command   a function of the folder and the contact file, which returns the program's command
    limit     seconds that each of the two may take

    Returns what each rank has written, and the program's marks.json if it writes one.
    """
    with display() as screen, folder_on_tmpfs() as folder:
        contact = Path(folder) / "run.dsm"
        environment = {**os.environ, "PYTHONPATH": str(given.build.resolve() / "lib" / "paraview-dsm"),
                       "UCX_ERROR_SIGNALS": "", "DISPLAY": screen,
                       variable: json.dumps({**asked, "contact": str(contact), "folder": folder})}
        launch = ["mpiexec.openmpi", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
        viewer = Job([*launch, "pvbatch", *(["--sym"] if ranks > 1 else []), script], environment, limit=limit)
        try:
            viewer.wait_for_file(contact)
            subprocess.run(command(folder, contact), check=True, timeout=limit)
            viewer.wait()
        finally:
            viewer.stop()
        marks = Path(folder, "marks.json")
        told = [json.loads(file.read_text()) for file in sorted(Path(folder).glob("rank.*.json"))]
        assert len(told) == ranks
        return told, json.loads(marks.read_text()) if marks.exists() else None

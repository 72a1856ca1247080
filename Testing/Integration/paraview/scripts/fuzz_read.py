# SPDX-License-Identifier: BSD-3-Clause
"""Reads files as ParaView does, many in a process, and finds out which of them end it: fuzz_read.py LIST RESULTS.

LIST has a file's name in each line, RESULTS gets a line for each: what became of it ("shown", "refused", "crash: …",
"hang"), the file, what it was taken for, and the message. Each process is a copy of one that has all
loaded, so that a new one after a crash costs nothing."""

import os
import resource
import select
import signal
import sys
import time

from paraview import simple

import paraviewdsm
from paraviewdsm import _proxy

TIME = 20  # seconds for a file
MEMORY = 2 << 30  # bytes that a file may take: allocations beyond fail, as on a machine with no more
MANY = 200  # files for one process


def reserved():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmSize"))


def read(file, number):
    """As ParaView reads and draws; every third file in pieces as well, as ranks do."""
    reader = simple.DSMFileReader(FileName=file)
    reader.UpdatePipeline()
    recognised, error = _proxy.scalar(reader.SMProxy, "RecognisedAs", "ErrorText")
    told = reader.GetDataInformation()
    times = list(reader.TimestepValues) if hasattr(reader.TimestepValues, "__len__") else [reader.TimestepValues]
    if not error and told.GetDataSetTypeAsString() != "vtkTable":
        surface = simple.ExtractSurface(Input=reader)
        surface.UpdatePipeline()
        surface.GetDataInformation()
        simple.Delete(surface)
    if not error and len(times) > 1:
        reader.UpdatePipeline(times[0])
    if number % 3 == 0:
        algorithm = reader.SMProxy.GetClientSideObject()
        for piece in range(3):
            algorithm.UpdatePiece(piece, 3, 0)
    simple.Delete(reader)
    return recognised, " ".join(error.split())


def work(files, begin, out):
    """Reads files from one on, and tells of each when it begins and ends."""
    limit = reserved() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in range(begin, min(len(files), begin + MANY)):
        os.write(out, f"begin\t{number}\n".encode())
        recognised, error = read(files[number], number)
        line = "\t".join(["end", str(number), "refused" if error else "shown", recognised or "-", error])
        os.write(out, line.encode(errors="replace") + b"\n")


def follow(process, source, results, files, begin):
    """Writes down what a process tells; the number of the file to go on with."""
    text, current, done, began = b"", None, begin, time.monotonic()
    while True:
        ready, _, _ = select.select([source], [], [], max(0.0, began + TIME - time.monotonic()))
        if not ready:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            results.write(f"hang\t{files[current]}\t-\t\n")
            return current + 1
        got = os.read(source, 1 << 16)
        if not got:
            break
        text += got
        *lines, text = text.split(b"\n")
        for line in lines:
            began = time.monotonic()
            word, number, *rest = line.decode(errors="replace").split("\t")
            current = int(number)
            if word == "end":
                results.write("\t".join([rest[0], files[current], *rest[1:]]) + "\n")
                done = current + 1
    _, status = os.waitpid(process, 0)
    if status != 0:
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"status {status}"
        results.write(f"crash: {how}\t{files[current]}\t-\t\n")
        return current + 1
    return done


def main(names, told, good):
    paraviewdsm.load()
    with open(names) as file:
        files = file.read().splitlines()
    # What is loaded at the first file is loaded once.
    print("warm:", read(good, 0), flush=True)
    with open(told, "w", buffering=1) as results:
        number = 0
        while number < len(files):
            source, out = os.pipe()
            process = os.fork()
            if process == 0:
                os.close(source)
                try:
                    work(files, number, out)
                except BaseException as error:  # noqa: BLE001 - whatever it is, it ends this process, and is told
                    print(f"{files[number]}: {error!r}", file=sys.stderr, flush=True)
                    os._exit(3)
                os._exit(0)
            os.close(out)
            number = follow(process, source, results, files, number)
            os.close(source)


main(*sys.argv[1:4])
# Without ParaView's end, which waits for what only the copies had.
sys.stdout.flush()
os._exit(0)

# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a history. This program imports h5py once and forks for each line "fork" of its input; what it forks
connects to the socket SOCKET and does what it is told there, a list of operations at a time.

    worker.py SOCKET

Each line is JSON: [folder, [[kind, name, other, value, pause], …]], with the pause before the operation in
microseconds. Before each operation the process writes "start NUMBER TIME", then "end NUMBER TIME RESULT"; after the
last "done".
"""

import contextlib
import errno
import json
import os
import signal
import socket
import sys
import time

import h5py
import numpy

SIZES = (20, 3000, 40000)  # values of a dataset: less than a page, some pages, more than HDF5's buffers
# What is said of a version that was evicted.
GONE = ("to make room", "there is no snapshot")
HIGH = 900  # the number of the socket: it is closed after the files, so that they are free when it is


def main(path):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for _ in sys.stdin:
        if os.fork() == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            serve(path)
            os._exit(0)


def serve(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    os.dup2(connection.fileno(), HIGH)
    connection.close()
    os.write(HIGH, f"hello {os.getpid()}\n".encode())
    with os.fdopen(os.dup(HIGH)) as lines:
        for line in lines:
            folder, operations = json.loads(line)
            os.chdir(folder)
            # Several processes of histories may be this one. The driver knows which opening was refused last.
            with contextlib.suppress(OSError):
                h5py.File("no such file", "r")
            process = Process()
            for number, (kind, name, other, value, pause) in enumerate(operations):
                if pause:
                    time.sleep(pause / 1e6)
                process.do(number, kind, name, other, value)
            os.write(HIGH, b"done\n")


class Process:
    def __init__(self):
        self.file = None

    def do(self, number, kind, name, other, value):
        """Does one operation and tells its times and result. What needs an open file and finds none is left out."""
        if kind in ("read", "write", "flush", "close") and self.file is None:
            return
        if kind == "kill":
            self.die(name, value)
            return
        call = getattr(self, kind.partition(" ")[0])
        os.write(HIGH, f"start {number} {time.monotonic_ns()}\n".encode())
        try:
            result = call(kind, name, other, value)
        except (OSError, RuntimeError, ValueError, LookupError, TypeError) as error:  # what h5py raises
            result = named(error)
        end = time.monotonic_ns()
        os.write(HIGH, f"end {number} {end} {json.dumps(result)}\n".encode())

    def die(self, how, microseconds):
        if how == "later":  # in the middle of what comes next
            signal.setitimer(signal.ITIMER_REAL, microseconds / 1e6)
        elif how == "exit":
            os._exit(3)
        else:
            os.kill(os.getpid(), getattr(signal, how))
            time.sleep(10)

    def open(self, kind, name, _other, _value):
        self.file = h5py.File(name, kind[5:])
        return "ok"

    def read(self, _kind, _name, _other, _value):
        return content(self.file)

    def write(self, _kind, _name, _other, value):
        self.file.create_dataset(f"d{value}", data=numpy.full(SIZES[value % len(SIZES)], value, "i4"))
        return "ok"

    def flush(self, _kind, _name, _other, _value):
        self.file.flush()
        return "ok"

    def close(self, _kind, _name, _other, _value):
        file, self.file = self.file, None
        file.close()
        return "ok"

    def rename(self, _kind, name, other, _value):
        os.rename(name, other)
        return "ok"

    def remove(self, _kind, name, _other, _value):
        os.remove(name)
        return "ok"

    def link(self, _kind, name, other, _value):
        os.link(name, other)
        return "ok"

    def exists(self, _kind, name, _other, _value):
        return os.path.exists(name)

    def look(self, _kind, name, _other, _value):
        """For a process that is not coupled: what the name has on disk."""
        with open(name, "rb") as file:
            if b"paraview-dsm-placeholder " in file.read(16 << 10):
                return "placeholder"
        try:
            file = h5py.File(name, "r")
        except OSError as error:
            if "can't retrieve stat info" in str(error):  # it was removed while HDF5 opened it
                return named(FileNotFoundError(errno.ENOENT, name))
            raise
        with file:
            # Another file may have got the name in between.
            return "placeholder" if "ParaView DSM" in file.attrs else content(file)


def content(file):
    """The values that were written, or what is wrong with them."""
    found = []
    for name in file:
        values = file[name][...]
        number = int(name[1:])
        if values.shape != (SIZES[number % len(SIZES)],) or (values != number).any():
            return f"torn: {name} has {values.size} values, {numpy.unique(values)[:5].tolist()}"
        found.append(number)
    return found


def named(error):
    number = getattr(error, "errno", None)
    text = " ".join(str(error).split())
    if number == errno.EAGAIN or "unable to lock file" in text:
        return "locked"
    if number == errno.ENOENT:
        return "not there"
    if number == errno.EEXIST or "file exists" in text:
        return "there already"
    if "signature not found" in text:
        return "unreadable"
    if any(words in text for words in GONE):
        return "gone"
    if "ring is full" in text:
        return "full"
    return f"{type(error).__name__}: {text[:600]}"


if __name__ == "__main__":
    main(*sys.argv[1:])

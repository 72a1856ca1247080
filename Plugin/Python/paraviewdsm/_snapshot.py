# SPDX-License-Identifier: BSD-3-Clause

import dataclasses


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """A file that a simulation has closed, in the hosts' memory."""

    number: int
    """1, 2, 3, ... in the order in which the files were closed."""
    file: str
    """The simulation's absolute name of the file; of several, with '*' for what their names differ in."""
    stream: str
    """The files that follow each other, of which it is one: their name with '#' for its numbers, but for those that
    tell kinds of files apart ("out1.#.h5" and "out2.#.h5"). These are learned from the first files."""
    run: int
    """Counts the simulations that wrote: a program that comes again has another number. Server.runs() says which they
    are, and what each began from."""
    program: str
    """The program that wrote it."""
    files: int
    """1, or how many files it is in: one of each process of a simulation that writes so."""
    step: float
    """The last number in the file's name that grows; if there is none, counts the files of that name."""
    time: float
    """The time in the file, else the step."""
    size: int
    """Bytes of the file, or of all of them."""
    bytes: int
    """Bytes that the simulation's ranks wrote for it, metadata included."""
    write_seconds: float
    """Seconds that the slowest rank spent in transferring them."""
    blocked_seconds: float
    """Seconds for which this file kept the slowest rank from computing: open, write and close."""
    in_memory: int
    """Snapshots in memory when this one was found."""
    missed: int
    """Snapshots between the one before, in the same loop, and this one that left the memory first."""
    name: str
    """The name for any HDF5 reader in ParaView: the contact file, '#', the number."""

# SPDX-License-Identifier: BSD-3-Clause

import dataclasses


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """A file that a simulation has closed, as the hosts' memory has it."""

    number: int
    """1, 2, 3, ... in the order in which the files were closed."""
    file: str
    """The absolute name that the simulation gave the file."""
    step: float
    """The last number in the file's name; where there is none, counts the files of that name."""
    time: float
    """What the file states as its time, else the step."""
    size: int
    """Bytes of the file."""
    bytes: int
    """Bytes that the simulation's ranks wrote for it, metadata included."""
    write_seconds: float
    """Seconds that the slowest rank spent in moving them."""
    blocked_seconds: float
    """Seconds that the slowest rank was kept from computing by this file: open, write and close."""
    in_ring: int
    """Snapshots in the ring when this one was found."""
    name: str
    """What any HDF5 reader in ParaView opens: the contact file, '#', the number."""

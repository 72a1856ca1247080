# SPDX-License-Identifier: BSD-3-Clause
"""What can be combined, and which combinations mean something."""

import dataclasses
import itertools
import zlib

LIBRARIES = ("openmpi", "mpich")
PATHS = ("shared memory", "fabric")
PHASES = ("connect", "create", "write", "flush", "close", "between", "read", "detach", "finalize")
WRITERS = ("first writer", "other writer", "writers")
HOSTS = ("first host", "other host", "hosts")
VICTIMS = (*WRITERS, *HOSTS, "viewer")
# What is done to processes, and what is done to what they stand on.
TO_PROCESSES = ("kill", "end", "short stop", "long stop")
CUTS = ("short cut", "long cut")
FAULTS = (*TO_PROCESSES, *CUTS, "memory full", "disk full", "foreign key", "withdrawn key")


@dataclasses.dataclass(frozen=True)
class Injection:
    """One case: `fault` befalls `victim` while the writer (or the viewer, of its own phases) is in `phase`."""

    library: str
    path: str
    fault: str
    victim: str
    phase: str

    def __str__(self):
        return f"{self.library}, {self.path}: {self.fault} of {self.victim} at {self.phase}"

    @property
    def held(self):
        """Whether the hosts are stopped for a moment before the phase begins, so that it cannot be over when the fault
        comes. Else it comes somewhere around the phase. The same in each run."""
        return zlib.crc32(str(self).encode()) % 3 > 0

    @property
    def delay(self):
        """Seconds between the beginning of the phase and the fault. The same in each run."""
        return zlib.crc32(str(self).encode()) % 1000 * (2e-4 if self.held else 2e-5)


def _can_end(injection):
    """exit() is what a program does between its calls; after its last it is its ordinary end. A rank that leaves a file
    open which others write, too, waits for them in HDF5, wherever the file is. Hosts end together, when the first is
    asked to."""
    victim, phase = injection.victim, injection.phase
    if victim == "writers":
        return phase in ("create", "write", "flush", "between", "read")
    if victim in WRITERS:
        return phase in ("between", "read")
    if victim == "viewer":
        return phase not in ("connect", "detach", "finalize")
    return victim != "other host"


def _always(_):
    return True


MEANT = {
    "kill": _always,
    "end": _can_end,
    "short stop": _always,
    "long stop": _always,
    # Between the server and a program as a whole.
    "short cut": lambda injection: injection.victim in ("writers", "viewer"),
    "long cut": lambda injection: injection.victim in ("writers", "viewer"),
    # Of the node that lends it, to files that are new or grow.
    "memory full": lambda injection: injection.victim == "hosts" and injection.phase in ("create", "write", "between"),
    # Of hosts that save, and of a simulation that has lost its hosts.
    "disk full": lambda injection: (
        (injection.victim == "hosts" and injection.phase in ("flush", "close"))
        or (injection.victim == "writers" and injection.phase in ("write", "flush", "close"))
    ),
    "foreign key": lambda injection: (
        injection.victim in ("writers", "viewer") and injection.phase in ("connect", "between")
    ),
    # Guests look; they do not write.
    "withdrawn key": lambda injection: injection.victim == "viewer",
}


def injections(libraries=LIBRARIES):
    """All that mean something, in an order in which the slow ones are spread."""
    combined = itertools.product(libraries, PATHS, FAULTS, VICTIMS, PHASES)
    meant = [injection for injection in (Injection(*one) for one in combined) if MEANT[injection.fault](injection)]
    return sorted(meant, key=lambda injection: zlib.crc32(repr(injection).encode()))


def short(everything):
    """Few of them, among which each fault, victim, phase and path there is occurs with each library."""
    chosen, missing = [], {(injection.library, value) for injection in everything for value in _values(injection)}
    while missing:
        best = max(everything, key=lambda one: (len(_covered(one) & missing), one.path == PATHS[0]))
        chosen.append(best)
        missing -= _covered(best)
    return chosen


def _values(injection):
    return (
        ("fault and whose", injection.fault, _side(injection.victim)),
        ("victim", injection.victim), ("phase", injection.phase), ("path", injection.path, injection.fault in CUTS),
        ("phase and side", injection.phase, _side(injection.victim)),
    )


def _covered(injection):
    return {(injection.library, value) for value in _values(injection)}


def _side(victim):
    return "writer" if victim in WRITERS else "host" if victim in HOSTS else victim

# SPDX-License-Identifier: BSD-3-Clause

import dataclasses


@dataclasses.dataclass(frozen=True)
class Origin:
    """The snapshot of another run that a run began from. It may have left the memory."""

    run: int
    """Whose snapshot it is."""
    program: str
    """The program that wrote it."""
    stream: str
    """The stream that it is of."""
    snapshot: int
    """Its number."""
    file: str
    """The simulation's absolute name of its file."""
    step: float


@dataclasses.dataclass(frozen=True)
class Run:
    """What one program wrote, or one job of several."""

    number: int
    """1, 2, 3, ...: the run of its snapshots."""
    program: str
    node: str
    """The machine of the process that began it."""
    since: float
    """When that was, in seconds since 1970."""
    origin: Origin | None
    """What it began from: the last snapshot of another run that its program had opened when it began its first file.
    None if it had opened none."""
    changed: dict
    """The steered parameters that have other values now than they had there, as (then, now) by their names. Empty also
    where one of the two programs cannot be steered."""

    @property
    def is_branch(self):
        """Whether it goes on from what the same program wrote, and does not only compute something of it."""
        return self.origin is not None and self.origin.program == self.program

# SPDX-License-Identifier: BSD-3-Clause
"""Describes the servers that histories run against."""

from typing import NamedTuple

from model import MemoryModel


class Rules(NamedTuple):
    """How a server is started, and what that means for its names."""

    options: tuple = ()
    publish: str = "close"
    evicts: bool = False  # versions may leave the memory without being on disk
    blocks: bool = False  # a file may find no room
    drops: bool = False  # a new version may not be kept
    leaves: bool = False  # versions leave the memory when they are on disk
    on_disk: str = ""  # a pattern: names whose newest version is on disk when the server has ended

    def model(self):
        return MemoryModel(self.publish, self.evicts, self.blocks, self.drops, self.on_disk, self.leaves, self.puts)

    @property
    def puts(self):
        """Whether files are put on disk, each under one name, while its other names stay what they were."""
        return "--also-on-disk" in self.options

    def command_line(self, folder):
        words = [str(word).replace("FOLDER", str(folder)) for word in self.options]
        return ["--memory-per-host", "256 MiB", "--publish", self.publish, *words]


RING = ("--maximum-snapshots", 24)  # more than the files that are open at a time

RULES = {
    "roomy": Rules(),
    "roomy, flush": Rules(publish="flush"),
    "all on disk": Rules(("--also-on-disk", "all"), on_disk="*"),
    "all on disk, flush": Rules(("--also-on-disk", "all"), publish="flush", on_disk="*"),
    "every 2 on disk": Rules(("--also-on-disk", "every 2")),
    "some on disk": Rules(("--also-on-disk", "a*"), on_disk="a*"),
    "small ring": Rules(RING, evicts=True),
    "small ring, all on disk": Rules((*RING, "--also-on-disk", "all"), leaves=True, on_disk="*"),
    "small ring, checkpoints": Rules((*RING, "--checkpoints", "a*"), evicts=True),
    "small ring, kept": Rules((*RING, "--save", "FOLDER/saved", "--keep", "every 2"), evicts=True),
    "drop newest": Rules((*RING, "--when-full", "drop-newest"), evicts=True, drops=True),
    "block": Rules((*RING, "--when-full", "block", "--longest-wait", 1), evicts=True, blocks=True),
}


def rules_of(seed, names):
    return names[seed % len(names)]

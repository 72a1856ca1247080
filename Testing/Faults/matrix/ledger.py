# SPDX-License-Identifier: BSD-3-Clause
"""What became of a simulation's files, as the simulation sees it."""

import dataclasses


@dataclasses.dataclass
class File:
    """`state`: "open", "closing", "finished", or "failed" when any call for it has failed."""

    number: int
    contents: list  # the commands that wrote into it
    state: str = "open"

    @property
    def name(self):
        return f"sim.{self.number}.h5"

    @property
    def commands(self):
        """What makes the same file."""
        return ("begin", *self.contents, "close")


class Ledger:
    """One file is open at a time. Knows of each command when it is said, and how it went when that is known."""

    def __init__(self):
        self.files = []

    def _open(self):
        return self.files[-1] if self.files and self.files[-1].state in ("open", "closing") else None

    def said(self, command):
        if command in ("begin", "file"):
            self.files.append(File(len(self.files) + 1, ["write 4"] if command == "file" else []))
        file = self._open()
        if file and command in ("close", "file"):
            file.state = "closing"
        elif file and command.startswith("write"):
            file.contents.append(command)

    def answered(self, command, how):
        file = self._open()
        if file and command in ("begin", "file", "close"):
            if how != "ok":
                file.state = "failed"
            elif command != "begin":
                file.state = "finished"

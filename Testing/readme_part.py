# SPDX-License-Identifier: BSD-3-Clause
"""The part of a README that a run writes."""


class ReadmePart:
    """What stands between two marks: a comment that says who writes it, and one that ends it."""

    END = "<!-- end -->"

    def __init__(self, readme, writer):
        self.readme = readme
        self.begin = f"<!-- written by {writer}: begin -->"

    def write(self, text):
        before, found, rest = self.readme.read_text().partition(self.begin)
        _, ended, after = rest.partition(self.END)
        assert found and ended, f"{self.readme} has no part \"{self.begin}\""
        self.readme.write_text(f"{before}{self.begin}\n{text}\n{self.END}{after}")

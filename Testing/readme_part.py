# SPDX-License-Identifier: BSD-3-Clause
"""The part of a README that a run writes."""


class ReadmePart:
    """The text between two marks: a comment that names its writer, and a comment that ends it. `begin` replaces the
    first comment."""

    END = "<!-- end -->"

    def __init__(self, readme, writer, begin=None):
        self.readme = readme
        self.begin = begin or f"<!-- written by {writer}: begin -->"

    def parts(self):
        """Returns the text before the part, the part, and the text after it."""
        before, found, rest = self.readme.read_text(encoding="utf-8").partition(self.begin)
        part, ended, after = rest.partition(self.END)
        assert found and ended, f'{self.readme} has no part "{self.begin}" … "{self.END}"'
        return before, part, after

    def write(self, text):
        before, _, after = self.parts()
        self.readme.write_text(f"{before}{self.begin}\n{text}\n{self.END}{after}", encoding="utf-8")

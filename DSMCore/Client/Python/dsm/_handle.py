# SPDX-License-Identifier: BSD-3-Clause
"""Objects of the C libraries, as Python has them."""


def declare(library, functions):
    """Says of each function of a library, by name, what it takes and gives."""
    for name, (takes, gives) in functions.items():
        function = getattr(library, name)
        function.argtypes, function.restype = takes, gives


class Closing:
    """Is closed at the end of a `with`, and when nobody has it any more. `close` may be called twice."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, as Python says it."""


class Error(RuntimeError):
    """A call that the library refused; `status` is the dsm_status of dsm.h."""

    def __init__(self, words, status):
        super().__init__(words)
        self.status = status


# Values of `Error.status`.
USAGE, NO_SERVER, REFUSED, TIMED_OUT, PEER_LOST, UNSUPPORTED, SYSTEM = range(1, 8)

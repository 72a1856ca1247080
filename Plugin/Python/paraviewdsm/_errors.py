# SPDX-License-Identifier: BSD-3-Clause


class Error(RuntimeError):
    """A command of the DSM failed; the text says what happened and what to do."""

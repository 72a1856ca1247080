# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of faults: each fault in each phase to each victim, over each path, with each MPI library; every one on a
server of its own, and judged alike. `./dev faults` runs it; __main__.py has the options."""

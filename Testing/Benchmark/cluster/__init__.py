# SPDX-License-Identifier: BSD-3-Clause
"""A cluster of emulated machines on this one, with links of a chosen rate."""

from .launch import environment, mpiexec
from .network import Cluster, why_not
from .node import Failed

__all__ = ["Cluster", "Failed", "environment", "mpiexec", "why_not"]

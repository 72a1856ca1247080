# SPDX-License-Identifier: BSD-3-Clause
"""ParaView DSM from a script: show what a running simulation writes, while it runs."""

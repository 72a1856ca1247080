# SPDX-License-Identifier: BSD-3-Clause
"""A page for browsers and notebooks that shows a running simulation, and steers it.

    python3 -m dsm_view run.dsm        # prints the address of the page, and opens it in a browser

In a notebook `dsm.view("run.dsm")` shows the page in a cell. Needs trame and PyVista (README.md).
"""

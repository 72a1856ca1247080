# SPDX-License-Identifier: BSD-3-Clause
"""Finds the libraries that are installed with this package."""

import pathlib


def libraries():
    """The folder of libdsm.so and the others, or None.

    This package is below it: <prefix>/lib/paraview-dsm/dsm, <prefix>/lib/python3.11/site-packages/dsm after `pip
    install`, or <prefix>/lib64/python3.11/site-packages/dsm on systems that have two.
    """
    for folder in pathlib.Path(__file__).resolve().parents:
        for candidate in (folder, folder / "lib"):
            if (candidate / "dsm" / "libdsm-loader.so").exists():
                return candidate
    return None


def library(name):
    """The path of a library, such as "libdsm.so"; its name alone, for the system to find, if it is not there."""
    folder = libraries()
    return str(folder / name) if folder else name

# SPDX-License-Identifier: BSD-3-Clause
"""The ways from a simulation's file to a picture, which picture_bench.py measures, each in a module of its own.

    pvbatch    ParaView's ranks host the memory and run a script
    window     ParaView's window hosts the memory and follows, on an X server of its own
    browser    dsm-serve hosts the memory, and a headless Chromium has the page of dsm-view
    tmpfs      no DSM: plain HDF5 writes to tmpfs, and a script in pvbatch polls the folder
    catalyst   no file: the program calls ParaView's Catalyst in line

A module has WAYS, a list of objects with `name`, `why_not(given)` and `measure(given)`. All ways draw the same slice of
the same field.
"""

import importlib

MODULES = ("pvbatch", "window", "browser", "tmpfs", "catalyst")


class Way:
    """A way from a file to a picture: how it is measured, and why it cannot be, if so."""

    def __init__(self, name, measure, why_not=lambda _: ""):
        self.name = name
        self.measure = measure
        self.why_not = why_not


def chosen(names):
    """Returns the ways of these modules, in the order of the names."""
    return [way for name in names for way in importlib.import_module(f"{__name__}.{name}").WAYS]


def spans(mark, picture):
    """Returns what one file took in milliseconds, by the name of the span.

    mark      when H5Fcreate began, and when H5Fclose began and ended
    picture   when the picture was there
    """
    create, _, end = mark
    return {"create to close": 1e3 * (end - create), "total": 1e3 * (picture - end),
            "create to picture": 1e3 * (picture - create)}

# SPDX-License-Identifier: BSD-3-Clause
"""Python states (File > Save State as .py) with the server: ParaView's generator, paraview.smstate, knows of sources
and views only. And traces that go on to the simulation's end, though they were stopped before, in an editor that opens.

Imports nothing of ParaView at first: ParaView's window runs this when its Python begins, long before anybody saves a
state or stops a trace."""

import functools
import importlib.abc
import importlib.machinery
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent

_here = {"window": False}

_BEFORE = "from paraview.simple import *\n"

_BEGIN = """
# ----------------------------------------------------------------
# lend memory to simulations again, and follow what they write
# ----------------------------------------------------------------
import sys
sys.path.append({folder!r})
import paraviewdsm
paraviewdsm.load()
from paraview.simple import *  # now with those of the plugin
dsm = paraviewdsm.resume({arguments})
"""

# What the panel writes into a trace.
_STARTED = "\ndsm = paraviewdsm.start("
_STOPPED = "\ndsm.stop()"

_END = """
# ----------------------------------------------------------------
# Show each snapshot that comes, until the simulation has ended. (In ParaView's window the panel does.)
# With a picture of each: dsm.follow(lambda number: SaveScreenshot(f'picture.{number:05d}.png'))
dsm.follow()
"""


def install(window=False):
    """From now on, Python states have the server."""
    _here["window"] = _here["window"] or window
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    for name in _EXTENDED:
        if name in sys.modules:
            _extend(sys.modules[name])
    if not any(isinstance(finder, _Formatter) for finder in sys.meta_path):
        sys.meta_path.append(_Formatter())  # the last: where it is there, that one is taken


def in_window():
    """Whether the panel of ParaView's window is in this process, which follows by itself."""
    return _here["window"]


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules as Python does, and extends them when they were loaded."""

    def find_spec(self, name, path, target=None):
        if name not in _EXTENDED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            load = spec.loader.exec_module

            def load_and_extend(module):
                load(module)
                _extend(module)

            spec.loader.exec_module = load_and_extend
        return spec


class _Formatter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """ParaView's script editor, which opens when a trace is stopped, asks for a formatter that is not part of pygments.
    Without it, it asks for pygments' own with the error still set, which Python 3.13 takes for a failure, and crashes
    (ParaView 5.13 of Debian 13), and the memory that it hosts goes with it. So it gets pygments' own by that name."""

    def find_spec(self, name, _path, _target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "pygments.formatters.redtabhtml" else None

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        from pygments.formatters import HtmlFormatter

        module.RedTabHtmlFormatter = HtmlFormatter


def _extend(module):
    """Where its function returns a text, that is completed. (On request it returns a list.)"""
    function, complete = _EXTENDED[module.__name__]
    original = getattr(module, function, None)
    if original is None or hasattr(original, "with_dsm"):
        return

    @functools.wraps(original)
    def extended(*arguments, **named):
        text = original(*arguments, **named)
        return complete(text) if isinstance(text, str) else text

    extended.with_dsm = True
    setattr(module, function, extended)


def going_on(trace):
    """The text of a trace. If the server still runs at its end, it goes on as long as the simulation."""
    return trace + _END if trace.rfind(_STARTED) > trace.rfind(_STOPPED) else trace


def with_server(state):
    """The text of a state, with the server that runs now."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    from . import _proxy

    proxy = _proxy.registered_active()
    if proxy is None:
        return state
    arguments = [f"{name}={value!r}" for name, value in _settings(proxy).items()]
    for name, found in (("streams", _streams()), ("compared", _compared())):
        if found:
            arguments.append(f"{name}={found!r}")
    begin = _BEGIN.format(folder=str(FOLDER), arguments=", ".join(arguments))
    place = state.find(_BEFORE)
    place = 0 if place < 0 else place + len(_BEFORE)
    return state[:place] + begin + state[place:] + _END


def _settings(proxy):
    """The settings that are not their defaults, with the contact file's whole path."""
    from paraview import servermanager

    from . import _proxy

    found = {"ContactFile": _proxy.scalar(proxy, "ContactPath")}
    if _proxy.scalar(proxy, "Watched"):
        return {**found, "Watching": 1}
    each = proxy.NewPropertyIterator()
    each.UnRegister(None)
    each.Begin()
    while not each.IsAtEnd():
        name, one = each.GetKey(), each.GetProperty()
        if (
            name not in found and one.IsA("vtkSMVectorProperty") and not one.GetInformationOnly()
            and one.GetPanelVisibility() != "never" and not one.IsValueDefault()
        ):
            helper = servermanager.vtkSMPropertyHelper(proxy, name)
            found[name] = {
                "vtkSMStringVectorProperty": helper.GetAsString, "vtkSMDoubleVectorProperty": helper.GetAsDouble
            }.get(one.GetClassName(), helper.GetAsIdType)()
        each.Next()
    return found


def _readers():
    """Returns the readers that show snapshots of ParaView's time."""
    from paraview import simple

    return [source for source in simple.GetSources().values()
            if source.SMProxy.GetXMLName() == "DSMReader" and not source.FixedTime]


def _streams():
    """The streams that are shown by readers of their own."""
    patterns = [reader.FilePattern for reader in _readers() if not reader.OnlyTimesOf]
    return [pattern for pattern in dict.fromkeys(patterns) if pattern]


def _compared():
    """The pairs of which there are comparisons. Each has two readers, and is there once."""
    pairs = [(reader.FilePattern, reader.OnlyTimesOf) for reader in _readers() if reader.OnlyTimesOf]
    return list({frozenset(pair): pair for pair in pairs}.values())


# Modules of ParaView, and which function of each returns what is completed.
_EXTENDED = {
    "paraview.smstate": ("get_state", with_server),
    "paraview.smtrace": ("_stop_trace_internal", going_on),
}

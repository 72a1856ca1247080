# SPDX-License-Identifier: BSD-3-Clause
"""Python states (File > Save State as .py) with the server: ParaView's generator, paraview.smstate, knows of sources
and views only.

Imports nothing of ParaView at first: ParaView's window runs this when its Python begins, long before anybody saves a
state."""

import importlib.abc
import importlib.machinery
import pathlib
import sys

MODULE = "paraview.smstate"
FOLDER = pathlib.Path(__file__).resolve().parent.parent

# Whether the panel of ParaView's window is in this process, which follows by itself.
in_window = False

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

_END = """
# ----------------------------------------------------------------
# Show each snapshot that comes, until the simulation has ended. (In ParaView's window the panel does.)
# With a picture of each: dsm.follow(lambda number: SaveScreenshot(f'picture.{number:05d}.png'))
dsm.follow()
"""


def install(window=False):
    """From now on, Python states have the server."""
    global in_window
    in_window = in_window or window
    if MODULE in sys.modules:
        _extend(sys.modules[MODULE])
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds paraview.smstate as Python does, and extends it when it was loaded."""

    def find_spec(self, name, path, target=None):
        if name != MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            load = spec.loader.exec_module

            def load_and_extend(module):
                load(module)
                _extend(module)

            spec.loader.exec_module = load_and_extend
        return spec


def _extend(module):
    original = getattr(module, "get_state", None)
    if original is None or getattr(original, "with_dsm", False):
        return

    def get_state(*arguments, **named):
        return with_server(original(*arguments, **named))

    get_state.__doc__ = original.__doc__
    get_state.with_dsm = True
    module.get_state = get_state


def with_server(state):
    """The text of a state, with the server that runs now. A state that is given as a list stays as it is."""
    if not isinstance(state, str):
        return state
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    from . import _proxy

    proxy = _proxy.registered_active()
    if proxy is None:
        return state
    arguments = [f"{name}={value!r}" for name, value in _settings(proxy).items()]
    streams = _streams()
    if streams:
        arguments.append(f"streams={streams!r}")
    begin = _BEGIN.format(folder=str(FOLDER), arguments=", ".join(arguments))
    place = state.find(_BEFORE)
    place = 0 if place < 0 else place + len(_BEFORE)
    return state[:place] + begin + state[place:] + _END


def _settings(proxy):
    """The settings that are not their defaults, with the contact file's whole path."""
    from paraview import servermanager

    from . import _proxy

    found = {"ContactFile": _proxy.scalar(proxy, "ContactPath")}
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


def _streams():
    """The streams that are shown by readers of their own."""
    from paraview import simple

    patterns = [source.FilePattern for source in simple.GetSources().values()
                if source.SMProxy.GetXMLName() == "DSMReader"]
    return [pattern for pattern in dict.fromkeys(patterns) if pattern]

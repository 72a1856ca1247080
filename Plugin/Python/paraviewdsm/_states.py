# SPDX-License-Identifier: BSD-3-Clause
"""Python states (File > Save State as .py) with the server: ParaView's generator, paraview.smstate, knows of sources
and views only. And traces that go on to the simulation's end, though they were stopped before, in an editor that opens.

Imports nothing of ParaView at first: ParaView's window runs this when its Python begins, long before anybody saves a
state or stops a trace."""

import functools
import importlib.abc
import importlib.machinery
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent

_here = {"window": False}

_BEFORE = "from paraview.simple import *\n"

_PLUGIN = f"""import sys
sys.path.append({str(FOLDER)!r})
import paraviewdsm
paraviewdsm.load()
from paraview.simple import *  # now with those of the plugin
"""

_BEGIN = """
# ----------------------------------------------------------------
# lend memory to simulations again, and follow what they write
# ----------------------------------------------------------------
{plugin}{resume}
"""

# The plugin's sources.
_SOURCE = re.compile(r"^\w+ = DSM\w*Reader\(", re.MULTILINE)

# The lines of a trace by which the panel starts or stops a server.
_STARTED_OR_STOPPED = re.compile(r"^(dsm\d*)( = paraviewdsm\.start\(|\.stop\(\)$)", re.MULTILINE)

_END = """
# ----------------------------------------------------------------
# Show each snapshot that comes, until the simulation has ended. (In ParaView's window the panel does.)
# With a picture of each: dsm.follow(lambda number: SaveScreenshot(f'picture.{{number:05d}}.png'))
{first}.follow({others})
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
    """Returns the text of a trace. If servers still run at its end, it goes on as long as their simulations."""
    last = {match[1]: match[2] for match in _STARTED_OR_STOPPED.finditer(trace)}
    running = [name for name, what in last.items() if "start" in what]
    return _with_plugin(trace) + (_end(running) if running else "")


def _with_plugin(script):
    """Loads the plugin before the first source of it, such as a file that was opened before a server was watched."""
    first = _SOURCE.search(script)
    loaded = script.find("paraviewdsm.load()")
    return _behind_imports(script, _PLUGIN) if first and not 0 <= loaded < first.start() else script


def _behind_imports(script, text):
    place = script.find(_BEFORE)
    place = 0 if place < 0 else place + len(_BEFORE)
    return script[:place] + text + script[place:]


def _end(variables):
    """Returns the lines by which a script follows the servers of these variables."""
    first, *others = variables
    return _END.format(first=first, others=f"others=[{', '.join(others)}]" if others else "")


def with_server(state):
    """Returns the text of a state, with the servers that run now."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    from . import _proxy

    resume = {}
    for proxy in _proxy.registered_active():
        settings = _settings(proxy)
        arguments = [f"{name}={value!r}" for name, value in settings.items()]
        readers = _readers(settings["ContactFile"])
        for name, found in (("streams", _streams(readers)), ("compared", _compared(readers))):
            if found:
                arguments.append(f"{name}={found!r}")
        variable = f"dsm{len(resume) + 1}" if resume else "dsm"
        resume[variable] = f"{variable} = paraviewdsm.resume({', '.join(arguments)})"
    if not resume:
        return _with_plugin(state)
    begin = _BEGIN.format(plugin=_PLUGIN, resume="\n".join(resume.values()))
    return _behind_imports(state, begin) + _end(list(resume))


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


def _readers(contact):
    """Returns the readers of a server that show snapshots of ParaView's time. A state may have its contact file without
    the folder."""
    from paraview import simple

    return [source for source in simple.GetSources().values()
            if source.SMProxy.GetXMLName() == "DSMReader" and not source.FixedTime
            and f"/{contact}".endswith(f"/{source.ContactFile}")]


def _streams(readers):
    """Returns the streams that are shown by readers of their own."""
    patterns = [reader.FilePattern for reader in readers if not reader.OnlyTimesOf]
    return [pattern for pattern in dict.fromkeys(patterns) if pattern]


def _compared(readers):
    """Returns the pairs that are compared. Each has two readers, and is there once."""
    pairs = [(reader.FilePattern, reader.OnlyTimesOf) for reader in readers if reader.OnlyTimesOf]
    return list({frozenset(pair): pair for pair in pairs}.values())


# Modules of ParaView, and which function of each returns what is completed.
_EXTENDED = {
    "paraview.smstate": ("get_state", with_server),
    "paraview.smtrace": ("_stop_trace_internal", going_on),
}

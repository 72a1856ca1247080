# SPDX-License-Identifier: BSD-3-Clause
"""The settings of a server, as arguments and attributes of Server. What there is, and what it is for, the library
describes: settings.json beside this file, which dsm-serve prints when the plugin is built."""

import inspect
import json
import os
import pathlib
import textwrap

from . import _proxy

UNITS = {"": 1, "b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}

# Arguments that scripts may give without their names, in this order; all others are given by name.
_BY_PLACE = (
    "contact", "strategy", "block_size", "memory_per_host", "when_full", "longest_wait", "maximum_snapshots",
    "expected_file_size", "blocks_per_cycle", "seed", "transport", "publish", "match", "separate", "also_on_disk",
    "checkpoints", "lending",
)


def byte_count(value, what):
    """Bytes from 1048576, "1 MiB" or "1.5GiB"."""
    if isinstance(value, (int, float)):
        number, unit = float(value), ""
    else:
        text = str(value).strip().lower()
        digits = len(text) - len(text.lstrip("0123456789."))
        unit = text[digits:].strip()
        try:
            number = float(text[:digits])
        except ValueError:
            number = -1
    if number < 0 or unit not in UNITS:
        raise ValueError(f'{what} is {value!r}: give bytes, or a size like "512 MiB"')
    return int(number * UNITS[unit])


class Setting:
    """A setting that scripts can give: a dsm::Setting."""

    def __init__(self, described):
        self.name = described["name"]
        self.keyword = described["word"].replace("-", "_")
        self.kind = described["kind"]
        self.step = described["step"]
        self.words = [choice["word"] for choice in described["choices"]]
        self.effective = described["effective"]
        self.changes = described["changes"]
        self.help = described["help"]

    def properties(self, value):
        """The properties of the proxy for a value. None is the default that the XML has."""
        if self.kind == "transport":
            return {self.name: value, "SmallTransport": None}
        return {self.name: None if value is None else self._property(value)}

    def _property(self, value):
        if self.kind == "bytes":
            steps = -(-byte_count(value, self.keyword) // self.step)
            if steps == 0 and self.step > 1:
                raise ValueError(f"{self.keyword} is 0: a host must share something; None leaves it to the server")
            return steps
        if self.kind == "choice":
            if value not in self.words:
                raise ValueError(f"{self.keyword} is {value!r}: it can be {' or '.join(map(repr, self.words))}")
            return self.words.index(value)
        if self.kind == "flag":
            return int(bool(value))
        return os.fspath(value) if isinstance(value, os.PathLike) else value

    def in_force(self, proxy):
        """The value that a running server has."""
        _proxy.command(proxy, "Refresh")
        if self.effective:
            return _proxy.scalar(proxy, self.effective)
        value = json.loads(_proxy.scalar(proxy, "SettingsInForce"))[self.name]
        return self.words[value] if self.kind == "choice" else value

    def attribute(self):
        """Read as it is in force, and changed by assignment."""
        return property(
            lambda server: self.in_force(server._proxy),
            lambda server, value: server.change(**self.properties(value)),
            doc=self.help,
        )


def _all():
    text = pathlib.Path(__file__).with_name("settings.json").read_text(encoding="utf-8")
    settings = [Setting(described) for described in json.loads(text)["settings"] if described["word"]]
    return {setting.keyword: setting for setting in settings}


ALL = _all()


def properties(**arguments):
    """The properties of the proxy for arguments of Server."""
    found = {}
    for keyword, value in arguments.items():
        found |= ALL[keyword].properties(value)
    return found


def _signature():
    by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    names = [*_BY_PLACE, *(keyword for keyword in ALL if keyword not in _BY_PLACE)]
    return inspect.Signature([
        inspect.Parameter("self", by_place),
        *(inspect.Parameter(name, by_place if name in _BY_PLACE else by_name, default=None) for name in names),
    ])


def described(server):
    """Gives the class Server the settings: the signature and the help of its constructor, and attributes."""
    paragraphs = [
        textwrap.fill(f"{name}: {ALL[name].help}", 116, subsequent_indent="    ")
        for name in list(server.__init__.__signature__.parameters)[1:]
    ]
    server.__doc__ = inspect.cleandoc(server.__doc__).replace("SETTINGS", "\n".join(paragraphs))
    for setting in ALL.values():
        if setting.changes:
            setattr(server, setting.keyword, setting.attribute())
    return server


def takes_settings(constructor):
    """A constructor that gets the properties of the arguments that it is called with."""
    signature = _signature()

    def construct(self, *by_place, **by_name):
        given = signature.bind(self, *by_place, **by_name)
        given.apply_defaults()
        constructor(self, properties(**{name: given.arguments[name] for name in ALL}))

    construct.__name__, construct.__qualname__ = constructor.__name__, constructor.__qualname__
    construct.__doc__, construct.__signature__ = constructor.__doc__, signature
    return construct

# SPDX-License-Identifier: BSD-3-Clause
"""Converts arguments of scripts to properties of the server's proxy, and back. Defaults and choices are those of
the plugin's XML."""

from paraview import servermanager

from . import _proxy

UNITS = {"": 1, "b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


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


def spread(strategy, block_size, blocks_per_cycle, seed):
    """The properties for the distribution of files over the ranks. None: the XML's default."""
    return {
        "Strategy": strategy,
        "BlockSize": None if block_size is None else byte_count(block_size, "block_size"),
        "BlocksPerCycle": blocks_per_cycle,
        "Seed": seed,
    }


def transport(choice):
    """The properties for a transport: HEAVY, or HEAVY,LIGHT:THRESHOLD."""
    return {"Transport": choice, "SmallTransport": None}


def memory(size):
    mebibytes = None if size is None else -(-byte_count(size, "memory_per_host") // 2**20)
    if mebibytes == 0:
        raise ValueError("memory_per_host is 0: a host must lend something; None leaves it to the server")
    return {"MemoryPerHost": mebibytes}


def choices(proxy, name):
    """The choices of a property. If all their texts in the XML begin with the same word, their last words: "close" and
    "flush" for "on close" and "on close and flush"."""
    domain = proxy.GetProperty(name).FindDomain("vtkSMEnumerationDomain")
    texts = [domain.GetEntryText(index) for index in range(domain.GetNumberOfEntries())]
    if len({text.split()[0] for text in texts}) == 1:
        texts = [text.split()[-1] for text in texts]
    return {text: domain.GetEntryValue(index) for index, text in enumerate(texts)}


def chosen(proxy, name, value, what):
    """A property with choices."""
    possible = choices(proxy, name)
    if value is not None and value not in possible:
        raise ValueError(f"{what} is {value!r}: it can be {' or '.join(map(repr, possible))}")
    return {name: possible.get(value)}


def setting(information, properties, text):
    """A setting that is read as it is in force, and changed by assignment."""

    def read(self):
        _proxy.command(self._proxy, "Refresh")
        return _proxy.scalar(self._proxy, information)

    def write(self, value):
        self.change(**properties(value))

    return property(read, write, doc=text)


def choice(name, what, text, information=None):
    """The same for a property with choices."""

    def read(self):
        if information:
            _proxy.command(self._proxy, "Refresh")
            value = _proxy.scalar(self._proxy, information)
        else:
            value = servermanager.vtkSMPropertyHelper(self._proxy, name).GetAsInt()
        return {number: word for word, number in choices(self._proxy, name).items()}[value]

    def write(self, value):
        self.change(**chosen(self._proxy, name, value, what))

    return property(read, write, doc=text)

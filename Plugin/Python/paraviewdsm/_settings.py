# SPDX-License-Identifier: BSD-3-Clause
"""From what a script gives to the properties of the server's proxy, and back."""

from . import _proxy

POLICIES = {"drop oldest": 0, "block": 1, "drop newest": 2}
MOMENTS = {"close": 0, "flush": 1}
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
    """The properties that tell how files spread over the ranks."""
    return {
        "Strategy": strategy or "automatic",
        "BlockSize": byte_count(block_size or 0, "block_size"),
        "BlocksPerCycle": int(blocks_per_cycle),
        "Seed": int(seed),
    }


def transport(choice):
    """The properties that tell how bytes reach the ranks: HEAVY, or HEAVY,LIGHT:THRESHOLD."""
    return {"Transport": choice or "automatic", "SmallTransport": "same"}


def memory(size):
    if size is None:
        return {"MemoryPerHost": 0}
    mebibytes = -(-byte_count(size, "memory_per_host") // 2**20)
    if mebibytes == 0:
        raise ValueError("memory_per_host is 0: a host must lend something; None leaves it to the server")
    return {"MemoryPerHost": mebibytes}


def policy(full_ring):
    if full_ring not in POLICIES:
        raise ValueError(f"full_ring is {full_ring!r}: it can be {' or '.join(map(repr, POLICIES))}")
    return {"FullRing": POLICIES[full_ring]}


def publish(moment):
    if moment not in MOMENTS:
        raise ValueError(f"publish is {moment!r}: it can be {' or '.join(map(repr, MOMENTS))}")
    return {"Publish": MOMENTS[moment]}


def setting(information, properties, text, shown=lambda value: value):
    """A setting that is read as it is in force, and changed by assignment."""

    def read(self):
        _proxy.command(self._proxy, "Refresh")
        return shown(_proxy.scalar(self._proxy, information))

    def write(self, value):
        self._change(**properties(value))

    return property(read, write, doc=text)

# SPDX-License-Identifier: BSD-3-Clause
"""A parameter: memory that the library changes, seen as a Python value."""

import ctypes
import numbers


class Parameter:
    """One quantity that may be changed. `value` is what it is now; assigning changes it here (on this
    rank: do it on all), and viewers see that."""

    def __init__(self, name, default, choices=None, capacity=255):
        self.name = name
        self.choices = tuple(choices) if choices else None
        if self.choices and any("|" in choice for choice in self.choices):
            raise ValueError(f"parameter {name!r}: a choice cannot have a '|' in it: {', '.join(self.choices)}")
        default = default.tolist() if hasattr(default, "tolist") else default
        if self.choices:
            self.kind, self._memory = "enum", ctypes.c_int()
        elif isinstance(default, bool):
            self.kind, self._memory = "bool", ctypes.c_bool()
        elif isinstance(default, numbers.Integral):
            self.kind, self._memory = "int64", ctypes.c_int64()
        elif isinstance(default, numbers.Real):
            self.kind, self._memory = "double", ctypes.c_double()
        elif isinstance(default, str):
            self.kind, self._memory = "string", ctypes.create_string_buffer(capacity + 1)
        elif isinstance(default, (tuple, list)) and len(default) == 3:
            self.kind, self._memory = "vector", (ctypes.c_double * 3)()
        else:
            raise TypeError(
                f"parameter {name!r}: a default is a bool, an int, a float, a text or three numbers (a text with "
                f"choices=… for an enumeration), not {default!r}"
            )
        self.value = default

    @property
    def value(self):
        if self.kind == "vector":
            return tuple(self._memory)
        if self.kind == "string":
            return self._memory.value.decode("utf-8", "replace")
        if self.kind == "enum":
            return self.choices[self._memory.value]
        return self._memory.value

    @value.setter
    def value(self, new):
        new = new.tolist() if hasattr(new, "tolist") else new
        if self.kind == "vector":
            self._memory[:] = [float(number) for number in new]
        elif self.kind == "string":
            encoded = new.encode("utf-8")
            if len(encoded) >= len(self._memory):
                raise ValueError(
                    f"parameter {self.name!r} has room for {len(self._memory) - 1} bytes (capacity=…), "
                    f"not {len(encoded)}"
                )
            self._memory.value = encoded
        elif self.kind == "enum":
            if new not in self.choices:
                raise ValueError(f"parameter {self.name!r} is one of {', '.join(self.choices)}, not {new!r}")
            self._memory.value = self.choices.index(new)
        elif self.kind == "int64" and not -(2**63) <= new < 2**63:
            raise OverflowError(f"parameter {self.name!r} holds a whole number of 64 bits, not {new}")
        else:
            self._memory.value = new

    @property
    def index(self):
        """Of an enumeration: which choice it is, counted from 0."""
        return self._memory.value

    def __float__(self):
        return float(self.value)

    def __int__(self):
        return int(self.value)

    def __bool__(self):
        return bool(self.value)

    def __str__(self):
        return str(self.value)

    def __repr__(self):
        return f"Parameter({self.name!r}, {self.value!r})"

    def _declare(self, library, session):
        """Hands the memory to the library; returns its status."""
        name = self.name.encode("utf-8")
        declare = getattr(library, f"dsm_{self.kind}")
        if self.kind == "enum":
            return declare(session, name, ctypes.byref(self._memory), "|".join(self.choices).encode("utf-8"))
        if self.kind == "string":
            return declare(session, name, self._memory, len(self._memory))
        return declare(session, name, ctypes.byref(self._memory))

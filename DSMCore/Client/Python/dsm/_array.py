# SPDX-License-Identifier: BSD-3-Clause
"""An array that is sent to a running simulation: an HDF5 file with one contiguous dataset, in pieces."""

import concurrent.futures
import ctypes
import hashlib
import io

from ._errors import UNSUPPORTED, USAGE, Error

# The types that a simulation can declare.
TYPES = ("uint8", "int32", "int64", "float32", "float64")


class Piece(ctypes.Structure):
    """dsm_viewer_piece of dsm_viewer.h."""

    _fields_ = [("address", ctypes.c_uint64), ("data", ctypes.c_void_p), ("size", ctypes.c_uint64)]


class _Written(io.RawIOBase):
    """A file that keeps what is written to it, and where: HDF5 writes only what it needs to know of the elements."""

    def __init__(self):
        super().__init__()
        self.parts = []  # address and bytes, in the order of writing
        self._position = 0
        self._size = 0

    def seek(self, offset, whence=io.SEEK_SET):
        self._position = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        return self._position

    def tell(self):
        return self._position

    def write(self, data):
        self.parts.append((self._position, bytes(data)))
        self._position += len(data)
        self._size = max(self._size, self._position)
        return len(data)

    def readinto(self, buffer):
        begin, count = self._position, len(buffer)
        found = bytearray(count)
        for address, data in self.parts:
            low, high = max(begin, address), min(begin + count, address + len(data))
            if low < high:
                found[low - begin:high - begin] = data[low - address:high - address]
        buffer[:] = found
        self._position += count
        return count

    def truncate(self, size=None):
        return self._position if size is None else size

    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True


class SentArray:
    """The file of an array. `pieces` hold its bytes, `size` of them altogether, as long as this object exists."""

    def __init__(self, name, values):
        try:
            import h5py
            import numpy
        except ImportError as error:
            raise Error(f"dsm.Viewer.send: {error}. Install numpy and h5py", UNSUPPORTED) from None
        self._values = numpy.ascontiguousarray(values)
        if self._values.dtype.name not in TYPES:
            raise Error(f'dsm.Viewer.send: "{name}" cannot be set to elements of type {self._values.dtype}: they are '
                        f'{", ".join(TYPES)}', USAGE)
        self._values = self._values.astype(self._values.dtype.newbyteorder("="), copy=False)
        written = _Written()
        with h5py.File(written, "w") as file:
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            space = h5py.h5s.create_simple(self._values.shape)
            kind = h5py.h5t.py_create(self._values.dtype)
            dataset = h5py.h5d.create(file.id, name.replace("/", "_").encode(), kind, space, properties)
            self._elements = dataset.get_offset() or 0
            file.flush()
        self._parts = written.parts
        self.size = max(address + size for address, size in (
            *((address, len(data)) for address, data in self._parts), (self._elements, self._values.nbytes)))
        # It takes as long as the rest together, which goes on meanwhile.
        with_thread = concurrent.futures.ThreadPoolExecutor(1)
        self._hash = with_thread.submit(hashlib.sha256, self._values.reshape(-1).view(numpy.uint8))
        with_thread.shutdown(wait=False)

    @property
    def hash(self):
        """The SHA-256 of the elements."""
        return self._hash.result().hexdigest()

    @property
    def pieces(self):
        parts = [Piece(address, ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
                 for address, data in self._parts]
        parts.append(Piece(self._elements, self._values.ctypes.data, self._values.nbytes))
        return (Piece * len(parts))(*parts)

    def text(self, snapshot):
        """Returns what a parameter is set to if the file is that snapshot (SentArray of DSMCore/Steering)."""
        sizes = "x".join(str(size) for size in self._values.shape)
        return f"{self._values.dtype.name} {sizes} sha256:{self.hash} snapshot:{snapshot} offset:{self._elements}"


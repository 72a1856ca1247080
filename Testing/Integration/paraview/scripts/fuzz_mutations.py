# SPDX-License-Identifier: BSD-3-Clause
"""Makes files that nobody would write: mutations of good ones, each the same whenever it is made."""

import contextlib
import pathlib
import random
import re
import shutil

import h5py
import numpy

HUGE = [0, 1, -1, 2, 7, 255, 2**15, 2**31 - 1, -(2**31), 2**31, 2**32, 2**40, 2**62, -(2**62)]
ODD = [0.0, -1.0, 0.5, 1e300, -1e-300, numpy.nan, numpy.inf, -numpy.inf]
TYPES = ["i1", "u1", "i2", ">i4", "u4", "i8", "u8", "f2", "f4", ">f8", "c8", "S5", "V4", "?", numpy.longdouble,
         [("a", "f8"), ("b", "i4")], ("f8", (3,))]
UNSUITABLE = (KeyError, ValueError, MemoryError, TypeError, OSError, RuntimeError, OverflowError, AttributeError,
              IndexError)
NAMES = ["x", "time", "Points", "u", "Xdmf", "VTKHDF", "Steps", "Assembly", "Level0", "position", "Index", "a/b"]
RECIPE = ('{"name": "R", "when": ["/%s"], "parts": "/%s", "points": "%s[i,c]", "origin": "@/%s",'
          ' "fields": ["*[x,y,c?]", "%s[i]"]}')


class Mutation:
    """Number `number` of a set: what `make` leaves in a folder depends on nothing else."""

    def __init__(self, number, seeds):
        self.random = random.Random(number)
        self.seeds = seeds
        self.seed = self.random.choice(seeds)
        self.kind = self.random.choices(["meaning", "bytes", "text"], [6, 2, 2])[0]
        if self.kind == "text":
            self.seed = self.random.choice([one for one in seeds if self.text_beside(one)] or [self.seed])

    @staticmethod
    def text_beside(file):
        """Where a text lies that describes the file, or a recipe for it."""
        named = [file.with_suffix(".xdmf"), file.with_suffix(".xmf"), file.with_name(file.name + ".xdmf"),
                 file.with_name(file.name + ".recipe")]
        return next((one for one in named if one.exists()), None)

    def make(self, folder):
        """Returns the file's path."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        path = folder / self.seed.name
        shutil.copy(self.seed, path)
        for beside in self.seed.parent.glob(self.seed.stem + "*"):
            if beside != self.seed and beside.suffix in (".raw", ".xdmf", ".xmf", ".recipe"):
                shutil.copy(beside, folder)
        text = self.text_beside(self.seed)
        if self.kind == "text" and text:
            if (self.seed.parent / "mesh.xmf").exists():
                shutil.copy(self.seed.parent / "mesh.xmf", folder)
            self.change_text(folder / text.name)
        elif self.kind == "bytes":
            self.change_bytes(path)
        else:
            for _ in range(self.random.choice([1, 1, 2, 4])):
                self.change_meaning(path)
        return path

    # Bytes

    def change_bytes(self, path):
        data = bytearray(path.read_bytes())
        for _ in range(self.random.choice([1, 1, 2, 8, 32])):
            # What describes the data mostly lies at the beginning.
            place = self.random.randrange(min(len(data), self.random.choice([100, 2048, len(data)])))
            size = min(self.random.choice([1, 1, 2, 4, 8, 64]), len(data) - place)
            how = self.random.randrange(5)
            if how == 0:
                data[place:place + size] = self.random.randbytes(size)
            elif how == 1:
                data[place:place + size] = bytes([self.random.choice([0, 255])]) * size
            elif how == 2:
                data[place] ^= 1 << self.random.randrange(8)
            elif how == 3:
                other = self.random.randrange(len(data) - size + 1)
                data[place:place + size] = data[other:other + size]
            else:
                data[place:place + size] = self.random.choice(HUGE).to_bytes(8, "little", signed=True)[:size]
        if self.random.randrange(10) == 0:
            del data[self.random.randrange(len(data)):]
        path.write_bytes(data)

    # Texts

    def change_text(self, path):
        text = path.read_text(errors="replace")
        words = r"[-+.\w]+|\"[^\"]*\"|<[^>]*>"
        for _ in range(self.random.choice([1, 2, 4])):
            found = list(re.finditer(words, text))
            if not found:
                break
            one, other = self.random.choice(found), self.random.choice(found)
            how = self.random.randrange(7)
            new = one.group()
            if how == 0:
                new = ""
            elif how == 1:
                new = other.group()
            elif how == 2:
                new = re.sub(r"\d+", lambda _: str(self.random.choice(HUGE)), new, count=1)
            elif how == 3:
                new = new * self.random.choice([2, 3, 300])
            elif how == 4:
                new = new[:-1] + self.random.choice("<>&\"'/{}[],:*$|") + new[-1:]
            elif how == 5:
                text = text[: one.start()] + text[min(one.start(), other.start()):]
                continue
            else:
                new = str(self.random.choice(HUGE + ODD))
            text = text[: one.start()] + new + text[one.end():]
        path.write_text(text)

    # Meaning

    def change_meaning(self, path):
        with h5py.File(path, "a", track_order=self.random.random() < 0.5) as file:
            self.groups, self.datasets = ["/"], []

            def visit(name, found):
                (self.datasets if isinstance(found, h5py.Dataset) else self.groups).append("/" + name)

            file.visititems(visit)
            changes = [self.remove, self.reshape, self.reshape, self.retype, self.values, self.values, self.values,
                       self.attribute, self.attribute, self.attribute, self.link, self.link, self.exchange,
                       self.extra, self.outside, self.other_kind]
            change = self.random.choice(changes)
            # Not every change suits every file: what came of it so far is mutated enough.
            with contextlib.suppress(*UNSUITABLE):
                change(file)

    @staticmethod
    def numbers(data):
        # HDF5 ends the process where a virtual dataset is made of itself.
        if data.is_virtual or data.size is None or data.size > 1 << 20:
            raise ValueError("not to be read here")
        return data[()]

    def pick(self, names):
        return self.random.choice(names)

    def replace(self, file, path, **how):
        kept = dict(file[path].attrs)
        del file[path]
        made = file.create_dataset(path, **how)
        for name, value in kept.items():
            try:
                made.attrs[name] = value
            except (TypeError, ValueError, OSError):
                continue

    def remove(self, file):
        del file[self.pick((self.groups[1:] + self.datasets) or ["/"])]

    def reshape(self, file):
        path = self.pick(self.datasets)
        data = file[path]
        shape = data.shape or (1,)
        how = self.random.randrange(9)
        if how == 0:
            shape = shape[::-1]
        elif how == 1:
            shape = (numpy.prod(shape),)
        elif how in (2, 3):
            axis = self.random.randrange(len(shape))
            count = self.random.choice([0, 1, shape[axis] - 1, shape[axis] + 1, shape[axis] * 2, 6])
            shape = (*shape[:axis], max(0, count), *shape[axis + 1:])
        elif how == 4:
            shape = ()
        elif how == 5:
            shape = (*shape, self.random.choice([1, 2, 3, 7]))
        elif how == 6:
            shape = (self.random.choice([1, 2]), *shape)
        elif how == 7:
            # Huge, and nothing of it is there.
            large = [self.random.choice([2**31, 2**33, 2**40, 65536]), *shape[1:]]
            self.replace(file, path, shape=large, dtype=data.dtype, chunks=tuple(min(n, 64) or 1 for n in large))
            return
        else:
            self.replace(file, path, data=h5py.Empty(data.dtype))
            return
        self.replace(file, path, data=numpy.resize(self.numbers(data), shape))

    def retype(self, file):
        path = self.pick(self.datasets)
        data = file[path]
        how = self.random.randrange(len(TYPES) + 5)
        if how < len(TYPES):
            self.replace(file, path, shape=data.shape, dtype=TYPES[how])
        elif how == len(TYPES):
            self.replace(file, path, shape=data.shape, dtype=h5py.string_dtype())
        elif how == len(TYPES) + 1:
            self.replace(file, path, shape=data.shape, dtype=h5py.vlen_dtype("f8"))
        elif how == len(TYPES) + 2:
            self.replace(file, path, shape=data.shape, dtype=h5py.enum_dtype({"A": 0, "B": 1}, "i4"))
        elif how == len(TYPES) + 3:
            self.replace(file, path, shape=data.shape, dtype=h5py.ref_dtype)
        else:
            how = self.random.choice(["gzip", "lzf"])
            self.replace(file, path, data=self.numbers(data), chunks=True, compression=how)

    def values(self, file):
        data = file[self.pick(self.datasets)]
        values = numpy.atleast_1d(self.numbers(data))
        if values.size == 0:
            return
        flat = values.ravel()
        for _ in range(self.random.choice([1, 1, 3, flat.size])):
            place = self.random.randrange(flat.size)
            if flat.dtype.kind == "f":
                flat[place] = self.random.choice(ODD)
            elif flat.dtype.kind in "iu":
                limits = numpy.iinfo(flat.dtype)
                wanted = self.random.choice([*HUGE, int(flat[place]) + 1, int(flat[place]) - 1, flat.size])
                flat[place] = min(max(wanted, limits.min), limits.max)
            elif flat.dtype.kind == "S":
                flat[place] = self.random.randbytes(4)
        data[...] = flat.reshape(data.shape)

    def attribute(self, file):
        having = [path for path in self.groups + self.datasets if len(file[path].attrs)]
        path = self.pick(having if having and self.random.random() < 0.8 else self.groups + self.datasets)
        attributes = file[path].attrs
        name = self.random.choice([*attributes, *attributes, self.random.choice(NAMES)])
        how = self.random.randrange(12)
        before = attributes.get(name)
        if how == 0:
            del attributes[name]
        elif how == 1:
            attributes[name] = self.random.choice(HUGE)
        elif how == 2:
            attributes[name] = self.random.choice(ODD)
        elif how == 3:
            attributes[name] = self.random.choice(["", "x", "ImageData", "PolyData", "UnstructuredGrid", "ü" * 20, "1"])
        elif how == 4:
            attributes.create(name, numpy.bytes_(self.random.choice(
                [b"ImageData", b"PolyData", b"UnstructuredGrid", b"OverlappingAMR", b"MultiBlockDataSet",
                 b"PartitionedDataSetCollection", b"%T", b"a b c", b"z" * 40])))
        elif how == 5:
            attributes[name] = h5py.Empty("f8")
        elif how == 6:
            count, kind = self.random.choice([0, 1, 2, 3, 6, 9, 1000]), self.random.choice(["i4", "f8"])
            attributes[name] = numpy.zeros(count, kind)
        elif how == 7:
            attributes[name] = file[self.pick(self.groups + self.datasets)].ref
        elif how == 8:
            attributes[name] = numpy.array([file[self.pick(self.groups + self.datasets)].ref] * 3, h5py.ref_dtype)
        elif before is not None and not isinstance(before, (str, bytes)):
            values = numpy.atleast_1d(before).copy()
            if how == 9:
                values[self.random.randrange(values.size)] = self.random.choice(
                    ODD if values.dtype.kind == "f" else [0, 1, -1, 7, 10**6, 2**31 - 1])
            elif how == 10:
                values = numpy.resize(values, self.random.choice([0, 1, 2, 5, 30]))
            else:
                values = values.astype(self.random.choice(["i8", "f4", "S3", "u1"]))
            del attributes[name]
            attributes[name] = values

    def link(self, file):
        path, target = self.pick(self.groups + self.datasets), self.pick(self.groups + self.datasets)
        how = self.random.randrange(6)
        if how == 0:
            file[f"{self.pick(self.groups)}/{self.pick(NAMES)}"] = file[target]
            return
        if how == 1:
            file[f"{target if target in self.groups else '/'}/again"] = file[self.pick(self.groups)]
            return
        if path == "/":
            return
        kept = file[target]
        del file[path]
        if how == 2:
            file[path] = h5py.SoftLink(self.random.choice([path, target, "/none", "."]))
        elif how == 3:
            name = self.random.choice([pathlib.Path(file.filename).name, "none.h5"])
            file[path] = h5py.ExternalLink(name, self.random.choice([path, target, "/"]))
        else:
            file[path] = kept

    def exchange(self, file):
        one, other = self.pick(self.datasets + self.groups[1:]), self.pick(self.datasets + self.groups[1:])
        if one in other or other in one:
            return
        file.move(one, "/exchanged")
        file.move(other, one)
        file.move("/exchanged", other)

    def extra(self, file):
        path = f"{self.pick(self.groups)}/{self.pick(NAMES)}"
        how = self.random.randrange(4)
        if how == 0:
            file[path] = numpy.zeros(self.random.choice([(), (0,), (3,), (5, 3), (4, 5, 6), (2, 3, 4, 5)]),
                                     self.random.choice(["i4", "f8", "S4"]))
        elif how == 1:
            file.create_group(path)
        elif how == 2:
            names = [self.pick(self.groups + self.datasets).strip("/") for _ in range(5)]
            file.attrs["Recipe"] = RECIPE % tuple(names)
        else:
            file.copy(self.pick(self.groups[1:] + self.datasets), f"{path} copied")

    def outside(self, file):
        """The numbers are in another file, or put together."""
        path = self.pick(self.datasets)
        data = file[path]
        shape, dtype = data.shape, data.dtype
        size = int(numpy.prod(shape)) * dtype.itemsize
        if self.random.random() < 0.5:
            del file[path]
            kept = self.random.choice([0, size // 2, size])
            raw = pathlib.Path(file.filename).with_name("numbers.raw")
            raw.write_bytes(self.random.randbytes(min(kept, 1 << 20)))
            name = self.random.choice([raw.name, "none.raw", "/dev/null", "numbers.raw"])
            file.create_dataset(path, shape, dtype, external=[(name, self.random.choice([0, 8, 2**40]), max(size, 1))])
            return
        layout = h5py.VirtualLayout(shape, dtype)
        where = self.random.choice([".", "none.h5"])
        source = self.random.choice([path, self.pick(self.datasets)])
        taken = self.random.choice([shape, shape, file[source].shape, (3, 4)])
        if self.random.random() < 0.5:
            layout[...] = h5py.VirtualSource(where, source, taken)
        else:
            count, first = min(shape[0], taken[0]) // 2, self.random.choice([0, 1, 2**20])
            layout[:count] = h5py.VirtualSource(where, source, (first + taken[0], *taken[1:]))[first:first + count]
        del file[path]
        file.create_virtual_dataset(path, layout)

    def other_kind(self, file):
        """A dataset where a group was, a group where a dataset was, or a named type."""
        path = self.pick(self.groups[1:] + self.datasets)
        kind = self.random.randrange(3)
        was_group = path in self.groups
        del file[path]
        if kind == 0:
            file[path] = numpy.dtype("f8")
        elif was_group:
            file[path] = numpy.zeros(3)
        else:
            file.create_group(path)

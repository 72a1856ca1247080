# SPDX-License-Identifier: BSD-3-Clause
"""Files with everything that HDF5 has, and whether two files have the same, by h5py.

hdf5_contents.py write FILE [LIBVER]       also makes source.h5 beside it
hdf5_contents.py compare FILE OTHER        prints one line for each difference; status 1 if there is any
hdf5_contents.py self-test FILE            prints which changes of a file that was written so are not found
"""

import pathlib
import shutil
import sys

import h5py
import numpy

COMPOUND = numpy.dtype([("x", "f8"), ("n", "i4", (2, 3)), ("name", "S5")])
WITH_REFERENCE = numpy.dtype([("to", h5py.ref_dtype), ("n", "i4")])
USER_BLOCK = b"before the file begins".ljust(1024, b"\0")


def datasets(file):
    """Of each kind one or more."""
    numbers = numpy.random.default_rng(1)
    group = file.create_group("z/deep", track_order=True)
    group["contiguous"] = numbers.random((150, 40, 60))
    group["a wide row"] = numpy.arange(30000).reshape(1, 30000)
    group.create_dataset("per%cent", data=numpy.arange(5000, dtype=">i4"))
    group.create_dataset("extendible", data=numpy.arange(1400.0).reshape(70, 20), maxshape=(None, 20), chunks=(8, 20),
                         compression=4, shuffle=True)
    chunked = group.create_dataset("holes", (64, 64), "i2", chunks=(16, 7), maxshape=(100, 64), fletcher32=True,
                                   fillvalue=7)
    chunked[20:30, 10:60] = 3
    group.create_dataset("plain chunks", data=numbers.integers(0, 9, (33, 33)), chunks=(10, 20))
    group.create_dataset("never written", (100, 100), "f4", fillvalue=1.5)
    group.create_dataset("never written chunks", (100, 100), "f4", chunks=(30, 30), compression=1)
    group.create_dataset("no rows", (0, 5), "f8", maxshape=(None, 5), chunks=(4, 5))
    group["no space"] = h5py.Empty("i4")
    group["scalar"] = 42
    group["words"] = ["one", "two", "", "three"] * 50
    group.create_dataset("lists", (60,), h5py.vlen_dtype("i4"), chunks=(7,), compression=2)
    for i in range(60):
        group["lists"][i] = numpy.arange(i % 5)
    group["letters"] = numpy.array([b"ab", b"c"] * 500)
    compound = numpy.zeros(400, COMPOUND)
    compound["x"], compound["name"] = numpy.arange(400), b"who"
    group["compound"] = compound
    group.create_dataset("enumeration", data=numpy.arange(300) % 2, dtype=h5py.enum_dtype({"no": 0, "yes": 1}))
    group.create_dataset("bools", data=numpy.arange(300) % 3 == 0)
    group["opaque"] = numpy.zeros(100, "V3")
    file["type"] = numpy.dtype("f4")
    named = group.create_dataset("of a named type", (900,), file["type"])
    named[:] = numpy.arange(900)
    named.attrs.create("likewise", numpy.float32(2), dtype=file["type"])
    small = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    small.set_layout(h5py.h5d.COMPACT)
    made = h5py.h5d.create(group.id, b"compact", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((20,)), small)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.arange(20, dtype="i4"))
    layout = h5py.VirtualLayout((2, 30), "f8")
    layout[0] = h5py.VirtualSource("source.h5", "row", (30,))
    group.create_virtual_dataset("virtual already", layout, fillvalue=-1)


def links(file):
    file["z/second name"] = file["z/deep/contiguous"]
    file["z/deep/round"] = file["z"]
    file["soft"] = h5py.SoftLink("/z/deep/scalar")
    file["nowhere"] = h5py.SoftLink("/none")
    file["other"] = h5py.ExternalLink("source.h5", "/row")
    file.create_group("a, made later")


def attributes(file):
    deep = file["z/deep"]
    for number in range(30):
        deep.attrs[f"number {30 - number}"] = number
    deep.attrs["words"] = ["one", "two"]
    deep.attrs["nothing"] = h5py.Empty("f4")
    deep.attrs["compound"] = numpy.zeros(2, COMPOUND)
    file.attrs["title"] = "everything"
    file["type"].attrs["of a type"] = 1
    contiguous = deep["contiguous"]
    contiguous.attrs["to"] = deep["extendible"].ref
    contiguous.attrs["region"] = deep["extendible"].regionref[2:4, 5:9]
    contiguous.attrs.create("to nothing", h5py.Reference(), dtype=h5py.ref_dtype)
    deep["axis"] = numpy.arange(150.0)
    deep["axis"].make_scale("x of it")
    contiguous.dims[0].attach_scale(deep["axis"])
    contiguous.dims[0].label = "x"
    deep.create_dataset("references", data=[deep.ref, file.ref, contiguous.ref] * 20, dtype=h5py.ref_dtype)
    deep.create_dataset("regions", data=[contiguous.regionref[1:3, :, 5], deep["words"].regionref[4:6]],
                        dtype=h5py.regionref_dtype)
    mixed = numpy.zeros(3, WITH_REFERENCE)
    mixed["n"] = 1, 2, 3
    for row, name in zip(mixed, ("scalar", "words", "compact"), strict=True):
        row["to"] = deep[name].ref
    deep["mixed"] = mixed
    h5py.h5o.set_comment(file["z"].id, b"a comment")


def write(path, libver):
    with h5py.File(path.with_name("source.h5"), "w") as file:
        file["row"] = numpy.arange(30.0)
    with h5py.File(path, "w", libver=libver, track_order=True, userblock_size=len(USER_BLOCK)) as file:
        datasets(file)
        links(file)
        attributes(file)
    with open(path, "r+b") as file:
        file.write(USER_BLOCK)


class Comparison:
    """Walks two files at the same time."""

    def __init__(self, one, other):
        self.files = one, other
        self.seen = {}
        self.wrong = []

    def same(self, where, what, one, other):
        if one != other:
            self.wrong.append(f"{where}: {what}: {one!r} is {other!r}"[:400])

    def meaning(self, file, value):
        """Of a value, whatever file it is in."""
        if isinstance(value, h5py.RegionReference):
            return (file[value].name, str(h5py.h5r.get_region(value, file.id).get_select_bounds())) if value else None
        if isinstance(value, h5py.Reference):
            return file[value].name if value else None
        if isinstance(value, numpy.void) and value.dtype.names:
            return tuple(self.meaning(file, value[name]) for name in value.dtype.names)
        if isinstance(value, numpy.ndarray):
            return [self.meaning(file, one) for one in value]
        return value.tobytes() if isinstance(value, numpy.generic) else value

    def values(self, where, one, other):
        if isinstance(one, h5py.Empty) or isinstance(other, h5py.Empty):
            self.same(where, "emptiness", type(one), type(other))
        elif one is not None and isinstance(one, numpy.ndarray) and not one.dtype.hasobject:
            self.same(where, "type", one.dtype, other.dtype)
            self.same(where, "values", one.tobytes(), other.tobytes())
        else:
            self.same(where, "values", self.meaning(self.files[0], one), self.meaning(self.files[1], other))

    def attributes(self, where, one, other):
        self.same(where, "attributes", list(one.attrs), list(other.attrs))
        for name in one.attrs:
            at = f"{where} @{name}"
            self.same(at, "named type", *(file.attrs.get_id(name).get_type().committed() for file in (one, other)))
            self.values(at, one.attrs[name], other.attrs[name])

    def datasets(self, where, one, other):
        for what in ("shape", "maxshape", "dtype", "size"):
            self.same(where, what, getattr(one, what), getattr(other, what))
        self.same(where, "named type", *(file.id.get_type().committed() for file in (one, other)))
        if one.dtype.kind in "fiu":
            self.same(where, "fill value", one.fillvalue, other.fillvalue)
        self.values(where, one[()], other[()])

    def objects(self, where, one, other):
        self.same(where, "kind", type(one), type(other))
        self.attributes(where, one, other)
        if isinstance(one, h5py.Dataset):
            self.datasets(where, one, other)
        elif isinstance(one, h5py.Datatype):
            self.same(where, "type", one.dtype, other.dtype)
        else:
            self.groups(where, one, other)

    def groups(self, where, one, other):
        self.same(where, "links", list(one), list(other))
        for name in one:
            at = f"{where}{name}"
            links = [group.get(name, getlink=True) for group in (one, other)]
            self.same(at, "link", *((type(link), getattr(link, "path", 0), getattr(link, "filename", 0))
                                    for link in links))
            if not isinstance(links[0], h5py.HardLink):
                continue
            tokens = [h5py.h5o.get_info(group[name].id).addr for group in (one, other)]
            known = self.seen.get(tokens[0])
            if known is None:
                self.seen[tokens[0]] = tokens[1]
                self.objects(at + "/", one[name], other[name])
            else:
                self.same(at, "object", known, tokens[1])

    def run(self):
        one, other = self.files
        self.same("file", "user block", one.userblock_size, other.userblock_size)
        blocks = []
        for file in self.files:
            with open(file.filename, "rb") as bytes_of:
                blocks.append(bytes_of.read(file.userblock_size))
        self.same("file", "user block's bytes", *blocks)
        self.seen[h5py.h5o.get_info(one.id).addr] = h5py.h5o.get_info(other.id).addr
        self.objects("/", one["/"], other["/"])
        return self.wrong


def another_value(file):
    file["z/deep/words"][7] = "another"


def another_attribute(file):
    file.attrs["title"] = "another"


def another_reference(file):
    file["z/deep/references"][3] = file["soft"].ref


def another_object(file):
    del file["z/second name"]
    file["z/second name"] = file["z/deep/scalar"]


def another_order(file):
    file.move("soft", "gone")
    file.move("gone", "soft")


def another_target(file):
    del file["other"]
    file["other"] = h5py.ExternalLink("source.h5", "/other")


CHANGES = {another_value: "values", another_attribute: "@title", another_reference: "references",
           another_object: "object", another_order: "links", another_target: "/other: link"}


def self_test(path):
    other = path.with_name("other.h5")
    for change, expected in CHANGES.items():
        shutil.copy(path, other)
        with h5py.File(other, "r+") as file:
            change(file)
        if not any(expected in line for line in compare(path, other)):
            print(change.__name__)


def compare(path, other):
    with h5py.File(path) as one, h5py.File(other) as two:
        return Comparison(one, two).run()


def main():
    if sys.argv[1] == "write":
        write(pathlib.Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "earliest")
        return 0
    if sys.argv[1] == "self-test":
        self_test(pathlib.Path(sys.argv[2]))
        return 0
    wrong = compare(sys.argv[2], sys.argv[3])
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

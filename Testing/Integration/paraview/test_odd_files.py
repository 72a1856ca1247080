# SPDX-License-Identifier: BSD-3-Clause
"""Odd HDF5 files: each is shown for what it is, or refused with one clear message; in one process, and by the ranks of
a pvserver together."""

import json
import math
import os

import h5py
import numpy
import pytest

from conftest import HERE

GRID = numpy.arange(24.0).reshape(4, 6)
WAITS = ["there is nothing in it yet"]
U = {"u": [1, 0, 23]}
# How each is taken, and its arrays: components, least and greatest value; or what is said.
EXPECTED = {
    "array elements": {"a": [3, 0, 0]}, "big endian": {"u": [1, 0, 23], "i": [1, -2, 21]},
    "broken chunk": "dataset /u cannot be read: " + (
        "filter returned failure" if h5py.version.hdf5_version_tuple < (2,) else "data error detected by Fletcher32"),
    "bool": {"b": [1, 0, 1]}, "complex": {"u": [2, 0, 23]}, "compound": {"c.a": [1, 0, 0], "c.b": [1, 0, 0]},
    "compressed": {"u": [1, 0, 335]},
    "empty": WAITS, "enumeration": {"e": [1, 0, 2]},
    "external": {name: [1, 0, 23] for name in ("deep/group/u", "deep/u", "u")}, "external broken": U,
    "five dimensions": "/u (float64, 2 x 3 x 4 x 5 x 6)", "four dimensions": {"u": [5, 0, 115]},
    "groups": WAITS, "half": U,
    "hard links in a ring": U, "huge": "MiB does not fit in the",
    "hyper tree grid": "/VTKHDF is a HyperTreeGrid, which VTKHDF has since version 2.4: use ParaView 6.0 or newer",
    "infinite": {"u": [1, None, None]}, "integers": {"u": [1, -1, 2**62]},
    "lists": "/v (lists, 5)", "long double": U,
    "lzf": "it is compressed by lzf (filter 32000), which this HDF5 does not have",
    "lzf beside": U, "lzf vtkhdf": {"e": [1, 0, 59]},
    "names": {"größe/a b#c": [1, 0, 23]},
    "no shape": WAITS, "no signature": "file signature not found", "no type": WAITS,
    "no numbers": "/s (text, 2)",
    "openpmd nowhere": "where its grid lies is not finite", "not a number": {"u": [1, None, None]},
    "not written": {"u": [1, 0, 0]}, "nothing": "file signature not found", "odd time": U,
    "scalars": "/x (float64, single value)", "soft links": {"a/u": [1, 0, 23]},
    "teapot": "/VTKHDF is a Teapot of version 2.0 of VTKHDF, which is not known here: use a newer ParaView",
    "truncated": "truncated file",
    "vectors": {"u": [3, 0, 357], "w": [1, 0, 119]},
    "virtual of another shape": "takes u for a dataset of another shape than it has",
    "virtual of itself": "the virtual dataset v is put together of itself",
    "virtual": {"u": [1, 0, 23], "v": [1, 0, 23]}, "vtkhdf cells": "a cell has point 99, and there are 4 points",
    "vtkhdf boxes": "Level1 has a block from 4 to 7 along an axis, outside of those of",
    "vtkhdf dataset": {"VTKHDF": [1, 0, 4]},
    "vtkhdf index": "has the same Index as another",
    "vtkhdf order": "does not keep the order in which its members were made",
    "vtkhdf ring": "the groups in /VTKHDF/Assembly have no end", "vtkhdf times": "Steps/Values must have 3 numbers",
    "vtkhdf polyhedra": "/VTKHDF has polyhedra, which VTKHDF has since version 2.5: use ParaView 6.1 or newer",
    "vtkhdf without parts": WAITS, "vtkhdf without rows": WAITS, "vtkhdf without steps": WAITS,
    "wrong size": "cannot be read",
    "xdmf broken": "describes itself in /Xdmf, and the XDMF description is no XML",
    "xdmf elsewhere": "names /none: there is no dataset /none in", "zero size": WAITS, "zero size beside": U,
}


def write(folder):
    def new(name):
        return h5py.File(folder / f"{name}.h5", "w")

    def vtkhdf(name, kind):
        file = new(name)
        group = file.create_group("VTKHDF")
        group.attrs["Version"] = (2, 0)
        if kind:
            group.attrs["Type"] = numpy.bytes_(kind)
        return file, group

    datasets = {
        "big endian": {"u": GRID.astype(">f8"), "i": (GRID - 2).astype(">i4")}, "half": {"u": GRID.astype("f2")},
        "long double": {"u": GRID.astype(numpy.longdouble)},
        "complex": {"u": GRID.astype("c16")}, "compound": {"c": numpy.zeros(5, [("a", "f8"), ("b", "i4")])},
        "bool": {"b": GRID % 2 == 0}, "scalars": {"x": 1.0},
        "integers": {"u": numpy.array([[2**62, 1], [-1, 5]])}, "zero size": {"z": numpy.zeros((0, 3))},
        "zero size beside": {"z": numpy.zeros((0, 3)), "u": GRID},
        "four dimensions": {"u": numpy.arange(120.0).reshape(2, 3, 4, 5)},
        "five dimensions": {"u": numpy.zeros((2, 3, 4, 5, 6))},
        "vectors": {"u": numpy.arange(360.0).reshape(4, 5, 6, 3), "w": numpy.arange(120.0).reshape(4, 5, 6),
                    "small": GRID},
        "names": {"größe/a b#c": GRID},
        "infinite": {"u": numpy.array([[numpy.inf, 1, 2], [numpy.nan, -numpy.inf, 1]])},
        "not a number": {"u": numpy.full((4, 6), numpy.nan)}, "no shape": {"n": h5py.Empty("f8")},
        "no numbers": {"s": ["a", "b"], "v": numpy.array(["abc", "d"], h5py.string_dtype())}, "odd time": {"u": GRID},
        "vtkhdf dataset": {"VTKHDF": numpy.arange(5.0)},
        "xdmf broken": {"Xdmf": "<no", "u": GRID}, "external target": {"u": GRID, "group/u": GRID}, "external": {},
        "external broken": {"u": GRID}, "groups": {}, "empty": {},
        "soft links": {"a/u": GRID}, "hard links in a ring": {"u": GRID}, "lists": {}, "enumeration": {},
        "compressed": {}, "lzf": {}, "lzf beside": {"u": GRID}, "not written": {}, "array elements": {},
    }
    for name, content in datasets.items():
        with new(name) as file:
            for path, data in content.items():
                file[path] = data
    with h5py.File(folder / "odd time.h5", "a") as file:
        file.attrs["time"], file.attrs["Time"], file.attrs["TimeValue"] = "now", [1.0, 2.0], numpy.nan
    with h5py.File(folder / "soft links.h5", "a") as file:
        file["b"], file["nowhere"], file["self"], file["a/above"] = map(h5py.SoftLink, ("/a/u", "/none", "/self", "/a"))
    with h5py.File(folder / "hard links in a ring.h5", "a") as file:
        file["g/me"] = file.create_group("g")
        file["g/root"] = file["/"]
    with h5py.File(folder / "external.h5", "a") as file:
        file["u"], file["deep"] = (
            h5py.ExternalLink("external target.h5", "/u"),
            h5py.ExternalLink("external target.h5", "/"),
        )
    with h5py.File(folder / "external broken.h5", "a") as file:
        file["w"], file["v"] = h5py.ExternalLink("none.h5", "/u"), h5py.ExternalLink("external target.h5", "/none")
    with h5py.File(folder / "groups.h5", "a") as file:
        file.create_group("a/b/c")
    with h5py.File(folder / "lists.h5", "a") as file:
        file.create_dataset("v", (5,), h5py.vlen_dtype("f8"))[2] = [1.0, 2.0]
    with h5py.File(folder / "enumeration.h5", "a") as file:
        file.create_dataset(
            "e", data=numpy.arange(24).reshape(4, 6) % 3, dtype=h5py.enum_dtype({"A": 0, "B": 1, "C": 2}, "i4")
        )
    with h5py.File(folder / "array elements.h5", "a") as file:
        file.create_dataset("a", (5,), numpy.dtype(("f8", (3,))))
    with h5py.File(folder / "not written.h5", "a") as file:
        file.create_dataset("u", (40, 6), "f8", chunks=(4, 6), maxshape=(None, None))
    for name, how in {
        "compressed": {"compression": "gzip", "shuffle": True, "fletcher32": True},
        "lzf": {"compression": "lzf"}, "lzf beside": {"compression": "lzf"},
    }.items():
        with h5py.File(folder / f"{name}.h5", "a") as file:
            file.create_dataset("u" if "beside" not in name else "packed", data=numpy.arange(336.0).reshape(6, 7, 8),
                                chunks=(3, 4, 4), **how)
    kinds = {"no type": None, "teapot": "Teapot", "hyper tree grid": "HyperTreeGrid",
             "vtkhdf without parts": "ImageData"}
    for name, kind in kinds.items():
        vtkhdf(name, kind)[0].close()
    for name in "vtkhdf without rows", "vtkhdf without steps", "vtkhdf polyhedra":
        file, group = vtkhdf(name, "UnstructuredGrid")
        with file:
            parts = 0 if "rows" in name else 1
            for counts, count in ("Points", 4), ("Cells", 1), ("ConnectivityIds", 4):
                group[f"NumberOf{counts}"] = numpy.full(parts, count)
            group["Points"], group["Connectivity"] = numpy.zeros((4 * parts, 3)), numpy.arange(4 * parts)
            group["Offsets"], group["Types"] = numpy.array([0, 4][:2 * parts], "i8"), numpy.full(parts, 42, "u1")
            if "steps" in name:
                group.create_group("Steps").attrs["NSteps"] = 0
            if "polyhedra" in name:
                group["NumberOfFaces"] = [4]
    file, group = vtkhdf("lzf vtkhdf", "ImageData")
    with file:
        group.attrs.update({"WholeExtent": (0, 4, 0, 3, 0, 2), "Origin": (0.0, 0, 0), "Spacing": (1.0, 1, 1),
                            "Direction": (1.0, 0, 0, 0, 1, 0, 0, 0, 1)})
        group["PointData/e"] = numpy.arange(60.0).reshape(3, 4, 5)
        group.create_dataset("PointData/d", data=group["PointData/e"][()], compression="lzf")
    file, group = vtkhdf("wrong size", "ImageData")
    with file:
        group.attrs.update({"WholeExtent": (0, 8, 0, 4, 0, 6), "Origin": (0.0, 0, 0), "Spacing": (1.0, 1, 1),
                            "Direction": (1.0, 0, 0, 0, 1, 0, 0, 0, 1)})
        group["PointData/u"] = numpy.arange(10.0)
    with new("xdmf elsewhere") as file:
        file["Xdmf"] = (
            '<?xml version="1.0"?><Xdmf Version="2.0"><Domain><Grid Name="g">'
            '<Topology TopologyType="3DCoRectMesh" Dimensions="7 5 9"/>'
            '<Geometry GeometryType="Origin_DxDyDz"><DataItem Dimensions="3" Format="XML">0 0 0</DataItem>'
            '<DataItem Dimensions="3" Format="XML">1 1 1</DataItem></Geometry>'
            '<Attribute Name="u" Center="Node">'
            '<DataItem Dimensions="7 5 9" NumberType="Float" Precision="8" Format="HDF">xdmf elsewhere.h5:/none'
            "</DataItem></Attribute></Grid></Domain></Xdmf>"
        )
    write_trusted(folder, vtkhdf)
    with new("openpmd nowhere") as file:
        file.attrs.update({"openPMD": numpy.bytes_("1.1.0"), "basePath": numpy.bytes_("/data/%T/"),
                           "meshesPath": numpy.bytes_("fields/")})
        file["data/1/fields/B"] = GRID
        file["data/1/fields/B"].attrs.update({"axisLabels": numpy.array([b"y", b"x"]), "gridSpacing": [1.0, 1.0],
                                              "gridGlobalOffset": [0.0, numpy.nan], "position": [0.0, 0.0]})
    with new("huge") as file:
        file.create_dataset("u", (1 << 20, 1 << 20), "f8", chunks=(64, 64))
    for name, source in {"virtual": "u", "virtual of itself": "v", "virtual of another shape": "u"}.items():
        shape = (2, 4, 6) if "another" in name else (4, 6)
        with new(name) as file:
            if source == "u":
                file["u"] = GRID
            layout = h5py.VirtualLayout(shape, "f8")
            layout[...] = h5py.VirtualSource(".", source, shape)
            file.create_virtual_dataset("v", layout)
    (folder / "nothing.h5").touch()
    (folder / "no signature.h5").write_text("this is no HDF5\n" * 100)
    whole = (folder / "vectors.h5").read_bytes()
    (folder / "truncated.h5").write_bytes(whole[: len(whole) // 2])
    chunks = bytearray((folder / "compressed.h5").read_bytes())
    with h5py.File(folder / "compressed.h5") as file:
        place = file["u"].id.get_chunk_info(3)
    for index in range(place.byte_offset, place.byte_offset + place.size):
        chunks[index] ^= 0x5A
    (folder / "broken chunk.h5").write_bytes(chunks)


def write_trusted(folder, vtkhdf):
    """What ParaView's reader trusts, and what ended the process there or in the filters behind it."""
    file, group = vtkhdf("vtkhdf cells", "UnstructuredGrid")
    with file:
        for name, values in {"NumberOfPoints": [4, 4], "NumberOfCells": [1, 1], "NumberOfConnectivityIds": [4, 4],
                             "Points": numpy.zeros((8, 3)), "Connectivity": [0, 1, 2, 3, 0, 99, 2, 3],
                             "Offsets": [0, 4, 0, 4], "Types": numpy.array([10, 10], "u1")}.items():
            group[name] = values
    file, group = vtkhdf("vtkhdf boxes", "OverlappingAMR")
    with file:
        group.attrs["Origin"] = (0.0, 0, 0)
        for number, box in enumerate(([0, 1, 0, 1, 0, 1], [4, 7, 0, 3, 0, 3])):
            level = group.create_group(f"Level{number}")
            level.attrs["Spacing"], level["AMRBox"] = (0.5**number,) * 3, numpy.array([box], "i4")
            level["CellData/u"] = numpy.zeros(8**(number + 1))
    file, group = vtkhdf("vtkhdf times", "ImageData")
    with file:
        group.attrs.update({"WholeExtent": (0, 1, 0, 1, 0, 1), "Origin": (0.0, 0, 0), "Spacing": (1.0, 1, 1),
                            "Direction": (1.0, 0, 0, 0, 1, 0, 0, 0, 1)})
        group.create_group("Steps").attrs["NSteps"] = 3
        group["Steps/Values"], group["PointData/u"] = numpy.arange(5.0), numpy.zeros((5, 2, 2, 2))
    for name in "vtkhdf index", "vtkhdf order", "vtkhdf ring":
        with h5py.File(folder / f"{name}.h5", "w") as file:
            ordered = name != "vtkhdf order"
            root = file.create_group("VTKHDF", track_order=ordered)
            assembly = root.create_group("Assembly", track_order=ordered)
            root.attrs["Version"] = (2, 1)
            root.attrs.create("Type", numpy.bytes_("PartitionedDataSetCollection"))
            if name == "vtkhdf ring":
                assembly["again"] = assembly
            for member in "one", "two":
                made = root.create_group(member)
                made.attrs.update({"Version": (2, 1), "Index": 0 if name == "vtkhdf index" else int(member == "two"),
                                   "WholeExtent": (0, 1, 0, 1, 0, 1), "Origin": (0.0, 0, 0), "Spacing": (1.0, 1, 1),
                                   "Direction": (1.0, 0, 0, 0, 1, 0, 0, 0, 1)})
                made.attrs.create("Type", numpy.bytes_("ImageData"))


def is_as_expected(found, expected):
    recognised, error, arrays, because = found
    if isinstance(expected, str):
        # What a rank's part of the file is not concerned by, that rank shows.
        return expected in error and not recognised and (not arrays or "chunk" in error)
    if isinstance(expected, list):
        return not error and recognised and not arrays and because.startswith(expected[0])
    same = {
        name: [None if math.isnan(value) or abs(value) > 1e200 else value for value in values]
        for name, values in arrays.items()
    }
    return not error and recognised and same == expected


@pytest.mark.parametrize("ranks", [0, 2], ids=["built-in", "pvserver"])
def test_odd_files(bench, ranks):
    folder = bench.folder / "files"
    folder.mkdir()
    write(folder)
    server, port = bench.pvserver(ranks) if ranks else (None, 0)
    program = bench.start(
        [os.environ["DSM_TEST_PVPYTHON"], HERE / "scripts" / "odd_files.py"],
        "pvpython",
        DSM_TEST_FOLDER=bench.folder,
        DSM_TEST_PORT=port,
    )
    # Six updates of each file, by ranks that may have little of a busy machine.
    output = program.wait(limit=300) + (server.wait() if server else "")
    found = json.loads((bench.folder / "found.json").read_text())
    (folder / "external target.h5").unlink()
    assert set(EXPECTED) == set(found) - {"external target"}
    wrong = {
        name: (found[name]["automatic"], expected)
        for name, expected in EXPECTED.items()
        if not is_as_expected(found[name]["automatic"], expected)
    }
    assert not wrong, json.dumps(wrong, indent=1, ensure_ascii=False)
    for name, ways in found.items():
        for kind, (recognised, error, arrays, _) in ways.items():
            # What is asked for is done, or said why not: of the file, in one line, and with no word of addresses.
            assert (recognised == kind or kind == "automatic") if not error else (not arrays or "chunk" in name), (
                name,
                kind,
                ways[kind],
            )
            assert "\n" not in error and "0x" not in error, (name, kind, error)
            assert not error or name in error, (name, kind, error)
    # Each is said once: no list of HDF5's calls beside it.
    assert "HDF5-DIAG" not in output

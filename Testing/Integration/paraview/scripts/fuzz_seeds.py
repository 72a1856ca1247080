# SPDX-License-Identifier: BSD-3-Clause
"""Writes small files of every kind that is read, to be mutated: fuzz_seeds.py FOLDER. Those of other tests, and some of
its own."""

import pathlib
import runpy
import sys

from mpi4py import MPI  # noqa: F401 - first: it makes h5py use the HDF5 that VTK uses

import h5py
import numpy

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]


def numbers(*shape):
    return numpy.arange(float(numpy.prod(shape))).reshape(shape)


def climate(file):
    """netCDF-4 with conventions: packed numbers, bounds, a coordinate in two dimensions."""
    for axis, count in zip(("time", "lat", "lon"), (2, 5, 6), strict=True):
        file[axis] = numpy.arange(float(count)) * 3
        file[axis].make_scale(axis)
    file["time"].attrs["units"] = numpy.bytes_("days since 2000-01-01")
    file["lat"].attrs["units"], file["lon"].attrs["units"] = numpy.bytes_("degrees_north"), numpy.bytes_("degrees_east")
    file["lat"].attrs["bounds"] = numpy.bytes_("lat_bnds")
    file["lat_bnds"], file["xc"] = numbers(5, 2), numbers(5, 6)
    made = file.create_dataset("tas", data=numbers(2, 5, 6).astype("i2"), chunks=(1, 5, 3), compression="gzip")
    made.attrs.update({"scale_factor": 0.1, "add_offset": 273.0, "_FillValue": numpy.int16(7),
                       "coordinates": numpy.bytes_("xc"), "units": numpy.bytes_("K")})
    for place, axis in enumerate(("time", "lat", "lon")):
        made.dims[place].attach_scale(file[axis])


def elsewhere(file):
    """Numbers in chunks, in other files, and put together of others."""
    file.create_dataset("u", data=numbers(6, 7, 8), chunks=(2, 7, 4), compression="gzip", shuffle=True, fletcher32=True)
    raw = pathlib.Path(file.filename).with_suffix(".raw")
    raw.write_bytes(numbers(6, 7, 8).tobytes())
    file.create_dataset("e", (6, 7, 8), "f8", external=[(raw.name, 0, 6 * 7 * 8 * 8)])
    layout = h5py.VirtualLayout((6, 7, 8), "f8")
    layout[:3] = h5py.VirtualSource(".", "u", (6, 7, 8))[3:]
    layout[3:] = h5py.VirtualSource(".", "e", (6, 7, 8))[:3]
    file.create_virtual_dataset("v", layout)


def links(file):
    file["a/b/u"], file["a/w"] = numbers(4, 5), numbers(4, 5, 3)
    file["soft"], file["hard"] = h5py.SoftLink("/a/b/u"), file["a/w"]
    file["far"] = h5py.ExternalLink("links.h5", "/a/b")


def steps_of_refinement(file):
    """VTKHDF: blocks of refinement that change from step to step."""
    group = file.create_group("VTKHDF")
    group.attrs["Version"], group.attrs["Origin"] = (2, 2), (0.0, 0, 0)
    group.attrs.create("Type", numpy.bytes_("OverlappingAMR"))
    group.attrs.create("GridDescription", numpy.bytes_("XYZ"))
    told = group.create_group("Steps")
    told.attrs["NSteps"], told["Values"] = 2, [0.5, 1.0]
    for number, boxes in enumerate(([[0, 3, 0, 3, 0, 3]] * 2, [[0, 3, 0, 3, 0, 1], [4, 7, 0, 3, 0, 1]])):
        level, step = group.create_group(f"Level{number}"), told.create_group(f"Level{number}")
        level.attrs["Spacing"] = (0.5**number,) * 3
        level["AMRBox"] = numpy.array(boxes, "i4")
        cells = sum((b - a + 1) * (d - c + 1) * (f - e + 1) for a, b, c, d, e, f in boxes)
        level["CellData/density"] = numbers(cells)
        step["NumberOfAMRBox"], step["AMRBoxOffset"], step["CellDataOffset/density"] = [1, 1], [0, 1], [0, cells // 2]


def parts_of_all_kinds(file):
    """VTKHDF: a collection with an image, triangles and lines, and texts beside them."""
    root = file.create_group("VTKHDF", track_order=True)
    root.attrs["Version"] = (2, 1)
    root.attrs.create("Type", numpy.bytes_("PartitionedDataSetCollection"))
    assembly = root.create_group("Assembly", track_order=True)
    for index, kind in enumerate(("ImageData", "UnstructuredGrid", "PolyData")):
        group = root.create_group(kind)
        group.attrs.update({"Version": (2, 1), "Index": index, "WholeExtent": (0, 2, 0, 1, 0, 1),
                            "Origin": (0.0, 0, 0), "Spacing": (1.0, 1, 1), "Direction": numpy.eye(3).ravel()})
        group.attrs.create("Type", numpy.bytes_(kind))
        group["PointData/u"], group["CellData/c"] = (numbers(2, 2, 3), numbers(1, 1, 2)) if index == 0 else (
            numbers(8), numbers(2))
        group.create_dataset("FieldData/name", data=["one"], dtype=h5py.string_dtype())
        assembly.create_group(f"of {kind}", track_order=True)[kind] = h5py.SoftLink(f"/VTKHDF/{kind}")
        if index == 0:
            continue
        group["NumberOfPoints"], group["Points"] = [4, 4], numbers(8, 3)
        for name in [""] if index == 1 else ["Vertices/", "Lines/", "Polygons/", "Strips/"]:
            some = int(name in ("", "Polygons/"))
            group[f"{name}NumberOfCells"], group[f"{name}NumberOfConnectivityIds"] = [some] * 2, [4 * some] * 2
            group[f"{name}Connectivity"] = [0, 1, 2, 3, 3, 2, 1, 0] if some else numpy.zeros(0, "i8")
            group[f"{name}Offsets"] = [0, 4, 0, 4] if some else [0, 0]
        if index == 1:
            group["Types"] = numpy.array([10, 9], "u1")


def main(folder):
    import test_xdmf

    import format_files
    import openpmd_files
    import test_describe

    for script in "vtkhdf_files.py", "described_files.py":
        sys.argv[1:] = [folder]
        runpy.run_path(str(HERE / script))
    openpmd_files.main(folder, None)
    for name, write in format_files.FILES.items():
        write(f"{folder}/{name}")
    for name, (write, _, _) in test_xdmf.FILES.items():
        write(pathlib.Path(folder) / f"xdmf_{name}")
    for write in [*test_describe.EXPECTED, test_describe.waves, climate, elsewhere, links, steps_of_refinement,
                  parts_of_all_kinds]:
        path = f"{folder}/{write.__name__}.h5"
        if write is test_describe.waves:
            write(path)
            pathlib.Path(path + ".recipe").write_text(test_describe.RECIPE)
            continue
        with h5py.File(path, "w") as file:
            write(file)


if __name__ == "__main__":
    main(sys.argv[1])

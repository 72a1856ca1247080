# SPDX-License-Identifier: BSD-3-Clause
"""Each of N ranks reads 1/N of a file, of whatever kind: counted in bytes."""

import h5py
import numpy
from test_xdmf import HEAD, item

MIB = 1 << 20
# VTK 9.6, which Debian has with HDF5 2, reads more of a collection to find a part.
MORE = 1.1 if h5py.version.hdf5_version_tuple < (2,) else 1.6

# Each writes a file, and returns how many bytes of it are shown where that is not all of it.


def image(file):
    file["u"] = numpy.zeros((128, 128, 128))


def turned(file):
    """x is the slowest, so numbers come by way of a buffer; from right to left. It is the longest, too, and cut."""
    file["u"] = numpy.zeros((512, 64, 64))
    for axis, count in zip("xyz", (512, 64, 64), strict=True):
        file[axis] = numpy.arange(float(count))[::-1]


def chunked(file):
    file.create_dataset("u", data=numpy.zeros(2 * MIB), chunks=(MIB // 64,))


def table(file):
    for name in "ab":
        file[name] = numpy.zeros(MIB)


def particles(file):
    """One kind with many particles, others with few."""
    for kind, count in {"a": 1000, "b": 600000, "c": 10}.items():
        file[f"{kind}/position"] = numpy.zeros((count, 3))


def blocks(file):
    file["unknown names"], file["dens"] = numpy.array([["dens"]], "S4"), numpy.zeros((61, 32, 32, 32))
    file["bounding box"] = numpy.broadcast_to([0, 1.0], (61, 3, 2))
    file["refine level"], file["node type"] = numpy.ones((2, 61), "i4")


def attach(file, name, axes):
    for place, axis in enumerate(axes):
        file[axis].make_scale(axis)
        file[name].dims[place].attach_scale(file[axis])


def rectilinear(file):
    """As netCDF-4 has it: each dimension has its scale."""
    for axis, count in zip("zyx", (128, 128, 128), strict=True):
        file[axis] = numpy.arange(float(count)) ** 2
        file[axis].attrs["axis"] = numpy.bytes_(axis.upper())
    file["u"] = numpy.zeros((128, 128, 128))
    attach(file, "u", "zyx")


def curvilinear(file):
    """Coordinates in two dimensions, as ocean models have them."""
    y, x = numpy.mgrid[0:1024, 0:512] * 0.01
    file["lat"], file["lon"], file["u"] = y + 0.1 * x, x + 0.1 * y, numpy.zeros((1024, 512))
    file["eta"], file["xi"] = numpy.arange(1024), numpy.arange(512)
    file["lat"].attrs["units"], file["lon"].attrs["units"] = numpy.bytes_("degrees_north"), numpy.bytes_("degrees_east")
    file["u"].attrs["coordinates"] = numpy.bytes_("lon lat")
    for name in "lat", "lon", "u":
        attach(file, name, ("eta", "xi"))


def grid(name, topology, points, arrays):
    values = "".join(
        f'<Attribute Name="{path[-1]}" Center="{centre}">{item(count, f"{name}:{path}")}</Attribute>'
        for path, (centre, count) in arrays.items())
    return (f'<Grid Name="g">{topology}<Geometry GeometryType="XYZ">{item(f"{points} 3", f"{name}:/points")}'
            f"</Geometry>{values}</Grid>")


def describe(file, grids, kind="Spatial"):
    file["Xdmf"] = (f'{HEAD}<Xdmf Version="3.0"><Domain><Grid GridType="Collection" CollectionType="{kind}">{grids}'
                    "</Grid></Domain></Xdmf>")


def name_of(file):
    return file.filename.rsplit("/", 1)[-1]


def tetrahedra(file):
    """A mesh whose numbers follow its cells, as most have it."""
    count = 150000
    file["points"] = numpy.zeros((count, 3))
    file["cells"] = (numpy.arange(count - 4)[:, None] + [0, 1, 2, 3]).astype("i8")
    file["/p"], file["/c"] = numpy.zeros(count), numpy.zeros(count - 4)
    topology = (f'<Topology TopologyType="Tetrahedron" NumberOfElements="{count - 4}">'
                f'{item(f"{count - 4} 4", f"{name_of(file)}:/cells")}</Topology>')
    describe(file, grid(name_of(file), topology, count, {"/p": ("Node", count), "/c": ("Cell", count - 4)}))


def mixed_cells(file):
    """The list alone is read by each rank: only from its beginning on it says where a cell lies."""
    count = 60000
    file["points"], file["/p"] = numpy.zeros((count * 4, 3)), numpy.zeros(count * 4)
    file["/c"] = numpy.zeros((count, 64))
    file["list"] = numpy.concatenate(
        [numpy.full((count, 1), 6), numpy.arange(count * 4).reshape(count, 4)], 1).astype("i4").ravel()
    topology = (f'<Topology TopologyType="Mixed" NumberOfElements="{count}">'
                f'{item(5 * count, f"{name_of(file)}:/list")}</Topology>')
    text = grid(name_of(file), topology, count * 4, {"/p": ("Node", count * 4), "/c": ("Cell", f"{count} 64")})
    describe(file, text)


def several_grids(file):
    """Images of different sizes."""
    text = ""
    for index, layers in enumerate((40, 7, 33, 2, 18)):
        file[f"u{index}"] = numpy.zeros((layers, 128, 128))
        text += (f'<Grid Name="{index}"><Topology TopologyType="3DCoRectMesh" Dimensions="{layers} 128 128"/>'
                 f'<Geometry GeometryType="ORIGIN_DXDYDZ">{item(3, "0 0 0", "XML")}{item(3, "1 1 1", "XML")}</Geometry>'
                 f'<Attribute Name="u">{item(f"{layers} 128 128", f"{name_of(file)}:/u{index}")}</Attribute></Grid>')
    describe(file, text)


def series(file):
    """Steps, of which one is read: of a mesh that stays and values that change."""
    count = 200000
    file["points"] = numpy.zeros((count, 3))
    file["cells"] = (numpy.arange(count - 3)[:, None] + [0, 1, 2]).astype("i8")
    topology = (f'<Topology TopologyType="Triangle" NumberOfElements="{count - 3}">'
                f'{item(f"{count - 3} 3", f"{name_of(file)}:/cells")}</Topology>')
    text = ""
    for step in range(4):
        file[f"{step}/u"] = numpy.zeros(count)
        text += grid(name_of(file), f'<Time Value="{step}"/>{topology}', count, {f"/{step}/u": ("Node", count)})
    describe(file, text, "Temporal")
    return count * (3 + 3 + 1) * 8


def open_pmd(file):
    file.attrs["openPMD"], file.attrs["basePath"] = numpy.bytes_("1.1.0"), numpy.bytes_("/data/%T/")
    file.attrs["meshesPath"], file.attrs["particlesPath"] = numpy.bytes_("fields/"), numpy.bytes_("particles/")
    step = file.create_group("data/100")
    step.attrs["time"], step.attrs["timeUnitSI"] = 1.0, 1.0
    return step


def fields(file):
    """openPMD: two components of a vector that lie in other places than a scalar, so two grids."""
    step = open_pmd(file)
    how = {"axisLabels": numpy.array([b"z", b"y", b"x"]), "gridSpacing": [1.0, 1.0, 1.0], "gridUnitSI": 1.0,
           "gridGlobalOffset": [0.0, 0.0, 0.0], "geometry": numpy.bytes_("cartesian"), "dataOrder": numpy.bytes_("C")}
    for record, shift in {"fields/E/x": 0.0, "fields/E/y": 0.0, "fields/rho": 0.5}.items():
        made = step.create_dataset(record, data=numpy.zeros((64, 96, 96)))
        made.attrs["position"], made.attrs["unitSI"] = [shift] * 3, 1.0
    for record in "fields/E", "fields/rho":
        step[record].attrs.update(how)


def species(file):
    """openPMD: positions, their offsets, and a momentum."""
    step = open_pmd(file)
    for record in "position", "positionOffset", "momentum":
        for axis in "xyz":
            step[f"particles/e/{record}/{axis}"] = numpy.zeros(300000)
            step[f"particles/e/{record}/{axis}"].attrs["unitSI"] = 1.0


def athena(file):
    blocks, edge = 45, 32
    file.attrs.update({"DatasetNames": numpy.array(["prim"], "S21"), "NumVariables": [2], "Time": 1.5,
                       "VariableNames": numpy.array(["rho", "press"], "S21"),
                       "Coordinates": numpy.bytes_("cartesian")})
    for axis in "123":
        file[f"x{axis}f"] = numpy.broadcast_to(numpy.arange(edge + 1.0), (blocks, edge + 1))
    file["prim"], file["Levels"] = numpy.zeros((2, blocks, edge, edge, edge)), numpy.zeros(blocks, "i4")


def md(file):
    """H5MD, three steps of which one is read."""
    count = 300000
    file.create_group("h5md").attrs["version"] = [1, 1]
    group = file.create_group("particles/atoms")
    group["position/value"], group["position/time"] = numpy.zeros((3, count, 3)), [0.0, 0.5, 1.0]
    group["velocity/value"], group["mass"] = numpy.zeros((3, count, 3)), numpy.zeros(count)
    return count * 7 * 8


def vtkhdf(file, kind, **attributes):
    group = file.create_group("VTKHDF", track_order=True)
    return vtkhdf_group(group, kind, **attributes)


def vtkhdf_group(group, kind, **attributes):
    group.attrs["Version"] = (2, 1)
    group.attrs.create("Type", numpy.bytes_(kind))
    group.attrs.update(attributes)
    return group


IMAGE = {"Origin": (0.0, 0, 0), "Spacing": (1.0, 1, 1), "Direction": (1.0, 0, 0, 0, 1, 0, 0, 0, 1)}


def vtkhdf_image(file):
    vtkhdf(file, "ImageData", WholeExtent=(0, 127, 0, 127, 0, 127), **IMAGE)["PointData/u"] = numpy.zeros((128,) * 3)


def fill_mesh(group, parts, points):
    """Triangles, in parts of so many points each."""
    cells = points - 3
    group["NumberOfPoints"], group["NumberOfCells"] = [points] * parts, [cells] * parts
    group["NumberOfConnectivityIds"] = [3 * cells] * parts
    group["Points"] = numpy.zeros((parts * points, 3))
    group["Connectivity"] = numpy.tile((numpy.arange(cells)[:, None] + [0, 1, 2]).ravel(), parts)
    group["Offsets"] = numpy.tile(3 * numpy.arange(cells + 1), parts)
    group["Types"] = numpy.full(parts * cells, 5, "u1")
    group["PointData/u"] = numpy.zeros(parts * points)


def vtkhdf_parts(file):
    fill_mesh(vtkhdf(file, "UnstructuredGrid"), 8, 20000)


def compose(file, kind, names):
    root = vtkhdf(file, kind)
    assembly = root.create_group("Assembly", track_order=True)
    for index, name in enumerate(names):
        group = root.create_group(name)
        yield vtkhdf_group(group, "UnstructuredGrid", Index=index) if name[0] == "m" else vtkhdf_group(
            group, "ImageData", Index=index, WholeExtent=(0, 63, 0, 63, 0, 31), **IMAGE)
        where = assembly if kind[0] == "M" else assembly.create_group(f"at {name}", track_order=True)
        where[name] = h5py.SoftLink(f"/VTKHDF/{name}")


def fill_members(file, kind, parts, points):
    for group in compose(file, kind, ["m0", "i0", "m1", "i1", "m2", "m3", "m4", "m5"]):
        if "m" in group.name:
            fill_mesh(group, parts, points)
        else:
            group["PointData/u"] = numpy.zeros((32, 64, 64))


def vtkhdf_collection(file):
    fill_members(file, "PartitionedDataSetCollection", 3, 5000)


def vtkhdf_multiblock(file):
    fill_members(file, "MultiBlockDataSet", 1, 15000)


def vtkhdf_amr(file):
    root = vtkhdf(file, "OverlappingAMR", Origin=(0.0, 0, 0))
    root.attrs.create("GridDescription", numpy.bytes_("XYZ"))
    for number, blocks in enumerate((1, 40)):
        level = root.create_group(f"Level{number}")
        level.attrs["Spacing"] = (0.5**number,) * 3
        at = [(16 * (index % 4), 16 * (index // 4 % 4), 16 * (index // 16)) for index in range(blocks)]
        level["AMRBox"] = numpy.array([[x, x + 31, y, y + 31, z, z + 31] if number == 0 else
                                       [x, x + 15, y, y + 15, z, z + 15] for x, y, z in at], "i4")
        level["CellData/u"] = numpy.zeros(sum(32**3 if number == 0 else 16**3 for _ in at))
        level["CellData/v"] = numpy.zeros((len(level["CellData/u"]), 3))


WRITERS = [
    image, turned, chunked, table, particles, blocks, rectilinear, curvilinear, tetrahedra, mixed_cells, several_grids,
    series, fields, species, athena, md, vtkhdf_image, vtkhdf_parts, vtkhdf_collection, vtkhdf_multiblock, vtkhdf_amr,
]


def test_shares(bench):
    ranks, files = 4, bench.folder / "files"
    files.mkdir()
    shown = {}
    for write in WRITERS:
        with h5py.File(files / write.__name__, "w") as file:
            shown[write.__name__] = write(file)
    with h5py.File(bench.folder / "small.h5", "w") as file:
        file["u"] = numpy.zeros((4, 4, 4))
    bench.pvbatch("read_shares.py", ranks).wait()
    reports = bench.reports()
    for file in files.iterdir():
        assert reports[0][f"error {file.name}"] in ("", []), reports[0]
        size = shown[file.name] or file.stat().st_size
        read = [report[file.name] for report in reports]
        assert sum(read) >= size, (file.name, read)
        # Layers and blocks are not cut, and neighbours share a layer of points.
        assert max(read) <= MORE * size / ranks + MIB / 2, (file.name, size, read)

# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions in XDMF 2 and 3 as codes write them beside their files: points, cells and values on 1 and on 3 ranks,
against what numpy makes of the same files."""

import h5py
import numpy
import pytest

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>\n'
RANDOM = numpy.random.default_rng(5)


def item(dimensions, text, kind="HDF"):
    return f'<DataItem Dimensions="{dimensions}" Format="{kind}">{text}</DataItem>'


def slab(dimensions, rank, selection, of):
    chosen = f'<DataItem Dimensions="3 {rank}" NumberType="Int">{selection}</DataItem>'
    return f'<DataItem ItemType="HyperSlab" Dimensions="{dimensions}">{chosen}{of}</DataItem>'


def unstructured(points, kinds, lists):
    """Rows of cells: the type, and the coordinates of each point."""
    rows = numpy.full((len(lists), 61), numpy.nan)
    for row, kind, one in zip(rows, kinds, lists, strict=True):
        row[0] = kind
        row[1:1 + 3 * len(one)] = points[one].ravel()
    return rows


def structured(points, voxels):
    """The same of a grid whose points lie as [z, y, x, 3]."""
    z, y, x, _ = points.shape
    number = numpy.arange(z * y * x).reshape(z, y, x)
    steps = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]
    steps = steps if z > 1 else steps[:4]
    ends = [max(n - 1, 1) for n in (z, y, x)]
    corners = [number[c:c + ends[0], b:b + ends[1], a:a + ends[2]].ravel() for c, b, a in steps]
    if not voxels:
        corners = [corners[i] for i in (0, 1, 3, 2, 4, 5, 7, 6)[:len(corners)]]
    kind = {(8, True): 11, (4, True): 8, (8, False): 12, (4, False): 9}[len(corners), voxels]
    return unstructured(points.reshape(-1, 3), [kind] * len(corners[0]), numpy.stack(corners, 1))


def mesh():
    """26 tetrahedra on 30 points."""
    points = numpy.random.default_rng(1).random((30, 3))
    cells = numpy.stack([numpy.arange(26) + step for step in (0, 1, 2, 4)], 1)
    return points, cells


def write_fenics(path):
    """A mesh, and for each function a temporal collection that includes it; the last step is not in the file yet."""
    points, cells = mesh()
    grids = ""
    with h5py.File(path, "w") as file:
        file["Mesh/mesh/geometry"], file["Mesh/mesh/topology"] = points, cells.astype("i8")
        for name, width in ("f", 1), ("v", 3):
            steps = ""
            for step, time in enumerate(("0", "0.5", "1", "1.5")):
                if step < 3:
                    file[f"Function/{name}/{time}"] = numpy.arange(30.0 * width).reshape(30, width) + step
                data = item(f"30 {width}", f"{path.name}:/Function/{name}/{time}")
                kind = "Vector" if width > 1 else "Scalar"
                steps += (
                    f'<Grid Name="{name}" GridType="Uniform"><xi:include xpointer="xpointer(/Xdmf/Domain/'
                    "Grid[@GridType='Uniform'][1]/*[self::Topology or self::Geometry])\" />"
                    f'<Time Value="{time}" /><Attribute Name="{name}" AttributeType="{kind}"'
                    f' Center="Node">{data}</Attribute></Grid>')
            grids += f'<Grid Name="{name}" GridType="Collection" CollectionType="Temporal">{steps}</Grid>'
    topology = item("26 4", f"{path.name}:/Mesh/mesh/topology")
    geometry = item("30 3", f"{path.name}:/Mesh/mesh/geometry")
    path.with_suffix(".xdmf").write_text(
        f'{HEAD}<Xdmf Version="3.0" xmlns:xi="https://www.w3.org/2001/XInclude"><Domain><Grid Name="mesh" '
        f'GridType="Uniform"><Topology TopologyType="Tetrahedron" NumberOfElements="26" NodesPerElement="4">{topology}'
        f'</Topology><Geometry GeometryType="XYZ">{geometry}</Geometry></Grid>{grids}</Domain></Xdmf>')


def fenics(path, step):
    points, cells = mesh()
    with h5py.File(path) as file:
        arrays = {name: file[f"Function/{name}/{('0', '0.5', '1')[step]}"][:] for name in "fv"}
    return [(points, arrays, unstructured(points, [10] * 26, cells), {})]


def write_blocks(path):
    """Blocks of a mesh as slabs of one dataset, and axes likewise; y descends."""
    blocks = ""
    with h5py.File(path, "w") as file:
        file["x1f"] = numpy.arange(5.0) + 4 * numpy.arange(3)[:, None]
        file["x2f"] = numpy.array([[3.0, 2.0, 1.0, 0.0]] * 3)
        file["x3f"] = numpy.array([[0.0, 2.0, 5.0]] * 3)
        file["prim"] = RANDOM.random((2, 3, 2, 3, 4))
    for block in range(3):
        axes = "".join(slab(n, 2, f"{block} 0 1 1 1 {n}", item(f"3 {n}", f"{path.name}:/{name}"))
                       for name, n in {"x1f": 5, "x2f": 4, "x3f": 3}.items())
        values = slab("2 3 4", 5, f"1 {block} 0 0 0 1 1 1 1 1 1 1 2 3 4",
                      item("2 3 2 3 4", f"{path.name}:/prim"))
        blocks += (f'<Grid Name="MeshBlock{block}" GridType="Uniform"><Topology TopologyType="3DRectMesh" '
                   f'NumberOfElements="3 4 5"/><Geometry GeometryType="VXVYVZ">{axes}</Geometry>'
                   f'<Attribute Name="press" Center="Cell">{values}</Attribute></Grid>')
    path.with_name(path.name + ".xdmf").write_text(
        f'{HEAD}<Xdmf Version="2.0"><Domain><Grid Name="Mesh" GridType="Collection"><Time Value="0.25"/>{blocks}</Grid>'
        "</Domain></Xdmf>")


def blocks(path, _):
    points, cells, values = [], [], []
    with h5py.File(path) as file:
        for block in range(3):
            x, y, z = (file[name][block] for name in ("x1f", "x2f", "x3f"))
            at = numpy.stack(numpy.meshgrid(z, y[::-1], x, indexing="ij")[::-1], -1)
            points.append(at.reshape(-1, 3))
            cells.append(structured(at, True))
            values.append(file["prim"][1, block][:, ::-1].ravel())
    return [(numpy.concatenate(points), {}, numpy.concatenate(cells), {"press": numpy.concatenate(values)})]


def write_grids(path):
    """A curvilinear grid with a vector of joined fields and a sum, an image in a plane, and particles; entities."""
    with h5py.File(path, "w") as file:
        y, x = numpy.mgrid[0:4, 0:5]
        file["xy"] = numpy.stack([x + 0.1 * y, y + 0.2 * x], -1)
        file["a"], file["b"] = RANDOM.random((4, 5)), RANDOM.random(20)
        file["cells"] = RANDOM.random((3, 4)).astype("f4")
        file["image"] = numpy.arange(24).reshape(6, 4)
        file["p"] = RANDOM.random((11, 3))
        file["id"] = numpy.arange(11)
    function = '<DataItem ItemType="Function" Function="{}" Dimensions="{}">{}</DataItem>'
    a, b = item("&n;", "&f;:/a"), item("&n;", "&f;:b")
    path.with_suffix(".xmf").write_text(f"""<?xml version="1.0"?><!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" [
<!ENTITY n "4 5"> <!ENTITY f "{path.name}">]><Xdmf Version="2.0"><Domain>
<DataItem Name="a" Dimensions="&n;" Format="HDF">&f;:/a</DataItem>
<Grid Name="all" GridType="Tree"><Grid Name="curved"><Topology TopologyType="2DSMesh" Dimensions="&n;"/>
<Geometry GeometryType="XY">{item("&n; 2", "&f;:/xy")}</Geometry>
<Attribute Name="v" AttributeType="Vector">{function.format("JOIN($0, $1, $0)", "&n; 3", a + b)}</Attribute>
<Attribute Name="s">{function.format("2 * ($0 - $1) + 1", "&n;",
                                     '<DataItem Reference="/Xdmf/Domain/DataItem[1]"/>' + b)}</Attribute>
<Attribute Name="c" Center="Cell">{item("3 4", "&f;:/cells")}</Attribute>
<Attribute Name="e" Center="Edge">{item("3 4", "&f;:/cells")}</Attribute></Grid>
<Grid Name="image"><Topology TopologyType="2DCoRectMesh" Dimensions="6 4"/><Geometry GeometryType="ORIGIN_DXDY">
{item(2, "1 2", "XML")}{item(2, "0.5 3", "XML")}</Geometry>
<Attribute Name="i">{item("6 4", "&f;:/image")}</Attribute></Grid>
<Grid Name="particles"><Topology TopologyType="Polyvertex" Dimensions="11"/><Geometry GeometryType="XYZ">
{item("11 3", "&f;:/p")}</Geometry><Attribute Name="id">{item(11, "&f;:/id")}</Attribute></Grid></Grid></Domain></Xdmf>
""")


def grids(path, _):
    with h5py.File(path) as file:
        a, b = file["a"][:], file["b"][:].reshape(4, 5)
        curved = numpy.pad(file["xy"][:], ((0, 0), (0, 0), (0, 1)))[None]
        y, x = numpy.mgrid[0:6, 0:4]
        image = numpy.stack([2 + 3.0 * x, 1 + 0.5 * y, 0 * x], -1)[None]
        return [
            (curved.reshape(-1, 3), {"v": numpy.stack([a, b, a], -1).reshape(20, 3), "s": 2 * (a - b) + 1},
             structured(curved, False), {"c": file["cells"][:]}),
            (image.reshape(-1, 3), {"i": file["image"][:]}, structured(image, True), {}),
            (file["p"][:], {"id": file["id"][:]}, None, {}),
        ]


def write_mixed(path):
    """Cells of several types in one list, counted from 1; a description that includes another file."""
    with h5py.File(path, "w") as file:
        file["points"] = RANDOM.random(60)
        cells = [[6, 1, 2, 3, 4], [9, *range(5, 13)], [2, 2, 13, 14], [8, *range(15, 21)], [3, 5, 1, 3, 5, 7, 9]]
        file["list"] = numpy.concatenate(cells)
        file["age"] = numpy.arange(5.0)
    name = path.name
    path.with_name("mesh.xmf").write_text(
        f'<Xdmf><Domain><Grid Name="m"><Topology TopologyType="Mixed" NumberOfElements="5" BaseOffset="1">'
        f'{item(32, f"{name}:/list")}</Topology><Geometry GeometryType="XYZ">'
        f'{item("20 3", f"{name}:/points")}</Geometry></Grid></Domain></Xdmf>')
    path.with_suffix(".xmf").write_text(
        '<Xdmf xmlns:xi="http://www.w3.org/2001/XInclude"><Domain><Grid Name="g"><xi:include href="mesh.xmf" '
        'xpointer="xpointer(//Grid/*)"/><Attribute Name="age" Center="Cell">'
        f'{item(5, f"{name}:/age")}</Attribute></Grid></Domain></Xdmf>')


def mixed(path, _):
    with h5py.File(path) as file:
        points = file["points"][:].reshape(20, 3)
    lists = [[0, 1, 2, 3], list(range(4, 12)), [12, 13], list(range(14, 20)), [0, 2, 4, 6, 8]]
    return [(points, {}, unstructured(points, [10, 12, 3, 13, 7], lists), {"age": numpy.arange(5.0)})]


# Of each file: who writes it, what numpy makes of it, its steps.
FILES = {
    "fenics.h5": (write_fenics, fenics, [0, 0.5, 1]),
    "blocks.athdf": (write_blocks, blocks, []),
    "grids.h5": (write_grids, grids, []),
    "mixed.h5": (write_mixed, mixed, []),
}


def rows(parts):
    """Columns beside each other, in an order of their own; each row once."""
    columns = [numpy.reshape(part, (len(parts[0]), -1)).astype("f8") for part in parts]
    return numpy.unique(numpy.nan_to_num(numpy.round(numpy.hstack(columns), 5), nan=-99), axis=0)


def found(folder, file, step):
    """The parts of a file, by the names of their arrays: points and cells of all ranks, each once."""
    parts = {}
    for path in sorted(folder.glob(f"{file}.{step}.*.npz")):
        with numpy.load(path) as data:
            names = tuple(sorted(name.replace("cell array ", "c ").replace("array ", "p ")
                                 for name in data.files if "array " in name))
            if len(data["points"]):
                parts.setdefault(names, []).append({name: data[name] for name in data.files})
    return {names: {name: numpy.concatenate([one[name] for one in pieces]) for name in pieces[0]}
            for names, pieces in parts.items()}


@pytest.mark.parametrize("ranks", [1, 3])
def test_xdmf(bench, ranks):
    files = bench.folder / "files"
    files.mkdir()
    (bench.folder / "found").mkdir()
    for name, (write, *_) in FILES.items():
        write(files / name)
    bench.pvbatch("read_cells.py", ranks).wait()
    reports = bench.reports()
    for name, (_, read, steps) in FILES.items():
        told, times = reports[0][name]
        assert told["ErrorText"] in ("", []) and told["RecognisedAs"] == "XDMF", (name, told)
        assert times == steps or (not steps and len(times) < 2), (name, times)
        for step, index in {"last": len(steps) - 1, "first": 0}.items() if steps else [("last", 0)]:
            parts = found(bench.folder / "found", name, step)
            expected = read(files / name, index)
            assert len(parts) == len(expected), (name, step, parts.keys())
            for points, arrays, cells, values in expected:
                part = parts[tuple(sorted([*(f"p {one}" for one in arrays), *(f"c {one}" for one in values)]))]
                theirs = [part[f"array {one}"] for one in sorted(arrays)]
                assert numpy.array_equal(rows([part["points"], *theirs]),
                                         rows([points, *(arrays[one] for one in sorted(arrays))])), (name, step)
                if cells is not None:
                    theirs = [part[f"cell array {one}"] for one in sorted(values)]
                    assert len(part["cells"]) == len(cells), (name, step)
                    assert numpy.array_equal(rows([part["cells"], *theirs]),
                                             rows([cells, *(values[one] for one in sorted(values))])), (name, step)

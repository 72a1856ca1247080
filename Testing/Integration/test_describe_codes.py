# SPDX-License-Identifier: BSD-3-Clause
"""What dsm-describe says of the files of simulation codes, written in their layout: whole ones, and wrong ones."""

import pathlib
import sys

import h5py
import numpy
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "paraview" / "scripts"))

from code_files import CODES, values, write_amrex, write_carpet, write_chombo, write_h5hut, write_parthenon
from test_describe import described

EXPECTED = {
    "chombo.h5": """
Chombo: the file has levels of boxes, as Chombo and AMReX write them
time 1.25
part level 0: uniform, 9 x 7 x 5 points, origin 0 0 0, spacing 0.5 0.5 0.5
  block 0: level 0, origin 0 0 0, spacing 0.5 0.5 0.5, 9 x 7 x 5 points, from element 0, 24 cells of it covered
  block 1: level 0, origin 4 0 0, spacing 0.5 0.5 0.5, 5 x 7 x 5 points, from element 800, 8 cells of it covered
  cell array chi: /level_0/data:datatype=0 from its element 0[z:4, y:6 from 2 of 10, x:8 from 1 of 10]
  cell array phi: /level_0/data:datatype=0 from its element 0 after 1 others[z:4, y:6 from 2 of 10, x:8 from 1 of 10]
part level 1: uniform, 9 x 7 x 5 points, origin 1 0.5 0.5, spacing 0.25 0.25 0.25
  block 0: level 1, origin 1 0.5 0.5, spacing 0.25 0.25 0.25, 9 x 7 x 5 points, from element 0, 4 cells of it covered
  block 1: level 1, origin 4 1 0, spacing 0.25 0.25 0.25, 5 x 5 x 5 points, from element 800
  cell array chi: /level_1/data:datatype=0 from its element 0[z:4, y:6 from 2 of 10, x:8 from 1 of 10]
  cell array phi: /level_1/data:datatype=0 from its element 0 after 1 others[z:4, y:6 from 2 of 10, x:8 from 1 of 10]
part level 2: uniform, 9 x 9 x 5 points, origin 1.5 0.75 0.75, spacing 0.0625 0.0625 0.0625
  block 0: level 2, origin 1.5 0.75 0.75, spacing 0.0625 0.0625 0.0625, 9 x 9 x 5 points, from element 0
  cell array chi: /level_2/data:datatype=0 from its element 0[z:4, y:8 from 2 of 12, x:8 from 1 of 10]
  cell array phi: /level_2/data:datatype=0 from its element 0 after 1 others[z:4, y:8 from 2 of 12, x:8 from 1 of 10]
""",
    "amrex.h5": """
AMReX: the file has levels of boxes, as Chombo and AMReX write them
time 0.75
part level 0: uniform, 9 x 9 x 1 points, origin -1 2 0, spacing 0.25 0.5 1
  block 0: level 0, origin -1 2 0, spacing 0.25 0.5 1, 9 x 9 x 1 points, from element 0, 12 cells of it covered
  block 1: level 0, origin 1 2 0, spacing 0.25 0.5 1, 9 x 5 x 1 points, from element 64, 9 cells of it covered
  block 2: level 0, origin 1 4 0, spacing 0.25 0.5 1, 9 x 5 x 1 points, from element 96, 3 cells of it covered
  cell array density: /level_0/data:datatype=0 from its element 0[y:8, x:8]
  cell array x_velocity: /level_0/data:datatype=1 from its element 0[y:8, x:8]
part level 1: uniform, 13 x 9 x 1 points, origin 0.25 2.5 0, spacing 0.125 0.25 1
  block 0: level 1, origin 0.25 2.5 0, spacing 0.125 0.25 1, 13 x 9 x 1 points, from element 0
  cell array density: /level_1/data:datatype=0 from its element 0[y:8, x:12]
  cell array x_velocity: /level_1/data:datatype=1 from its element 0[y:8, x:12]""",
    "parthenon.phdf": """
Parthenon: the file has /Info and /Locations, as Parthenon writes them
time 2.5
part mesh: rectilinear, 5 x 4 x 2 points, at /Locations/x[b:2, x:5 from 2]; /Locations/y[b:2, y:4 from 2]; """
    """/Locations/z[b:2, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 0, origin 0 0 0, spacing 1 1 1
  cell array b: /b[b:2, c:3, z:1, y:3 from 2, x:4 from 2]
  point array phi: /phi[b:2, 0, y:4 from 2, x:5 from 2]
  cell array prim_rho: /prim[b:2, 0, z:1, y:3 from 2, x:4 from 2]
  cell array prim_u: /prim[b:2, 1, z:1, y:3 from 2, x:4 from 2]
  cell array psi: /psi[b:2, z:1, y:3 from 2, x:4 from 2]
part tracers: 31 points without cells, at /tracers/SwarmVars/swarm.x[i:31], /tracers/SwarmVars/swarm.y[i:31], """
    """/tracers/SwarmVars/swarm.z[i:31]
  point array id: /tracers/SwarmVars/id[i:31]
  point array v: /tracers/SwarmVars/v[c:3, i:31]
left out: /face: it is on faces, and is not of cells or points""",
    "carpet.h5": """
Carpet: the names of the file's datasets are those of Cactus with Carpet
time 2
step 1 of 2, times 0 to 2
part level 0 component 0: uniform, 7 x 6 x 5 points, origin 0 0 0, spacing 1 1 1
  16 cells of it covered
  point array alp: /ADMBASE::alp it=8 tl=0 rl=0 c=0[z:5, y:6, x:7]
  point array gxx: /ADMBASE::gxx it=8 tl=0 rl=0 c=0[z:5, y:6, x:7]
part level 0 component 1: uniform, 6 x 6 x 5 points, origin 4 0 0, spacing 1 1 1
  48 cells of it covered
  point array alp: /ADMBASE::alp it=8 tl=0 rl=0 c=1[z:5, y:6, x:6]
  point array gxx: /ADMBASE::gxx it=8 tl=0 rl=0 c=1[z:5, y:6, x:6]
part level 1 component 0: uniform, 9 x 5 x 5 points, origin 2 1 1, spacing 0.5 0.5 0.5
  level 1
  point array alp: /ADMBASE::alp it=8 tl=0 rl=1[z:5, y:5, x:9]
  point array gxx: /ADMBASE::gxx it=8 tl=0 rl=1[z:5, y:5, x:9]
left out: /Parameters and Global Attributes: it is no variable of an iteration""",
    "osiris.h5": """
OSIRIS: the recipe for OSIRIS
time 12.5
part OSIRIS: uniform, 9 x 6 x 1 points, origin -1 10 0, spacing 0.5 0.5 1
  cell array e1: /e1[y:5, x:8]""",
    "raw.h5": """
OSIRIS: the recipe for OSIRIS
time 12.5
part OSIRIS: 40 points without cells, at /x1[i:40], /x2[i:40]
  point array ene: /ene[i:40]
  point array p1: /p1[i:40]
  point array p2: /p2[i:40]
  point array p3: /p3[i:40]
  point array q: /q[i:40]
  point array tag: /tag[i:40, c:2]""",
    "pluto.h5": """
PLUTO: the recipe for PLUTO
time 1.5
part PLUTO: curvilinear, 5 x 5 x 1 points, at /node_coords/X[y:5, x:5], /node_coords/Y[y:5, x:5], """
    """/node_coords/Z[y:5, x:5]
  cell array rho: /Timestep_3/vars/rho[y:4, x:4]
  cell array vx1: /Timestep_3/vars/vx1[y:4, x:4]
left out: /Timestep_3/stag_vars/bx1s: the recipe does not name it
left out: /cell_coords/X: the recipe does not name it
left out: /cell_coords/Y: the recipe does not name it
left out: /cell_coords/Z: the recipe does not name it""",
    "pflotran.h5": """
PFLOTRAN: the recipe for PFLOTRAN
time 10
step 2 of 3, times 0 to 10
part PFLOTRAN: rectilinear, 4 x 4 x 4 points, at /Coordinates/X [m][x:4]; /Coordinates/Y [m][y:4]; """
    """/Coordinates/Z [m][z:4]
  cell array Liquid_Pressure [Pa]: /Time:  1.00000E+01 y/Liquid_Pressure [Pa][x:3, y:3, z:3]
  cell array Material_ID: /Time:  1.00000E+01 y/Material_ID[x:3, y:3, z:3]
left out: /Provenance/PFLOTRAN/pflotran_status: the recipe does not name it""",
    "wave-ez-000009.00.h5": """
Meep: its datasets are named and lie as those of Meep
time 9
part Meep: uniform, 4 x 4 x 4 points, origin 0 0 0, spacing 1 1 1
  point array ez: /ez[x:4, y:4, z:4]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: First dimension = x""",
    "wave-h.h5": """
Meep: its datasets are named and lie as those of Meep
time 2
step 2 of 3, times 0 to 2
part Meep: uniform, 5 x 5 x 1 points, origin 0 0 0, spacing 1 1 1
  point array hz (real, imaginary): /hz.r[x:5, y:5, t=2], /hz.i[x:5, y:5, t=2]
guessed: Last dimension = time, in steps of 1
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: First dimension = x""",
    "h5hut.h5": """
H5hut: the file has steps /Step#n, as H5hut writes them
time 2.5
step 2 of 3, times 0 to 2.5
part particles: 50 points without cells, at /Step#10/x[i:50], /Step#10/y[i:50], /Step#10/z[i:50]
  point array id: /Step#10/id[i:50]
  point array p: /Step#10/px[i:50], /Step#10/py[i:50], /Step#10/pz[i:50]
  point array q: /Step#10/q[i:50]
part fields: uniform, 3 x 3 x 3 points, origin 1 2 3, spacing 0.5 0.25 2
  point array E: /Step#10/Block/E/0[z:3, y:3, x:3], /Step#10/Block/E/1[z:3, y:3, x:3], /Step#10/Block/E/2[z:3, y:3, x:3]
  point array phi: /Step#10/Block/phi/0[z:3, y:3, x:3]""",
}


@pytest.mark.parametrize("name", CODES)
def test_codes(tmp_path, name):
    CODES[name][0](tmp_path / name)
    assert described(tmp_path / name) == EXPECTED[name].strip().splitlines()


@pytest.mark.parametrize(("name", "time", "says"), [
    ("carpet.h5", "time 0", "/ADMBASE::alp it=0 tl=0 rl=1[z:5, y:5, x:9]"),
    ("pflotran.h5", "time 0", "/Time:  0.00000E+00 y/Material_ID[x:3, y:3, z:3]"),
    ("h5hut.h5", "time 0", "/Step#0/q[i:50]"),
])
def test_a_step(tmp_path, name, time, says):
    CODES[name][0](tmp_path / name)
    told = described(tmp_path / name, "--step", 0)
    assert time in told and any(line.endswith(says) for line in told), told


def smilei(file):
    """openPMD 1.0, one group for each time: the fields of a simulation in two dimensions, x slowest."""
    file.attrs.update({"openPMD": numpy.bytes_("1.0.0"), "openPMDextension": numpy.uint32(1),
                       "basePath": numpy.bytes_("/data/%T/"), "meshesPath": numpy.bytes_("."),
                       "particlesPath": numpy.bytes_("no_particles"), "software": numpy.bytes_("Smilei"),
                       "iterationEncoding": numpy.bytes_("groupBased"), "iterationFormat": numpy.bytes_("/data/%T/")})
    for step in (0, 40):
        group = file.create_group(f"data/{step:010d}")
        group.attrs.update({"time": step / 20, "dt": 0.05, "timeUnitSI": 1.0})
        group["Ex"] = values(step, 5, 4)
        group["Ex"].attrs.update({
            "geometry": numpy.bytes_("cartesian"), "dataOrder": numpy.bytes_("C"), "gridUnitSI": 1.0, "unitSI": 1.0,
            "axisLabels": numpy.array(["x", "y"], "S2"), "gridSpacing": [0.25, 0.5], "gridGlobalOffset": [0.0, 0.0],
            "position": [0.5, 0.0], "timeOffset": 0.0, "unitDimension": numpy.zeros(7)})


def dedalus(file):
    """The tasks of a run have the scales that are in labels; x is the slowest."""
    file["scales/sim_time"], file["scales/x"], file["scales/z"] = [0.5, 0.75], [0.0, 1, 2], [0.0, 0.1, 0.4, 0.9]
    task = file.create_dataset("tasks/b", data=values(1, 2, 3, 4))
    for axis, name in enumerate(("sim_time", "x", "z")):
        file[f"scales/{name}"].make_scale(name)
        task.dims[axis].label = "t" if axis == 0 else name
        task.dims[axis].attach_scale(file[f"scales/{name}"])


def old_parthenon(file):
    """Components after x, as format versions before 3 have them."""
    write_parthenon_like(file, values(1, 2, 1, 2, 4, 3))


def write_parthenon_like(file, data):
    file.create_group("Info").attrs.update({"Time": 0.5, "NumMeshBlocks": 2, "OutputDatasetNames": ["u"],
                                            "NumComponents": [3], "ComponentNames": ["rho", "px", "E"]})
    for axis, count in zip("xyz", (4, 2, 1), strict=True):
        file[f"Locations/{axis}"] = [numpy.arange(count + 1.0)] * 2
    file["u"] = data


def no_meep(file):
    """Somebody else's field of this name: nothing says that it is Meep's."""
    file["ez"] = values(1, 4, 5)


OTHERS = {
    no_meep: ["image", "/ez[y:4, x:5]"],
    smilei: ["openPMD", "time 2", "part meshes: uniform, 5 x 4 x 1 points, origin 0.125 0 0, spacing 0.25 0.5 1",
             "Ex[x:5, y:4]"],
    dedalus: ["dimension scales", "time 0.75", "/tasks/b[t=1, x:3, z:4]"],
    old_parthenon: ["Parthenon", "cell array px: /u[b:2, z:1, y:2, x:4, 1]"],
}


@pytest.mark.parametrize("write", OTHERS, ids=lambda write: write.__name__)
def test_others(tmp_path, write):
    """What other rules know of, or versions that differ."""
    with h5py.File(tmp_path / "file.h5", "w") as file:
        write(file)
    told = "\n".join(described(tmp_path / "file.h5"))
    assert all(text in told for text in OTHERS[write]), told


@pytest.mark.parametrize("rows", [0, 1])
def test_no_step_yet(tmp_path, rows):
    """As Dedalus makes its files: with nothing in them, or room for one step, and no time."""
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file.create_dataset("scales/sim_time", (0,), maxshape=(None,), dtype="f8").make_scale("sim_time")
        file["scales/kx"] = values(1, 3, 4)
        file["scales/kx"].make_scale("kx")
        task = file.create_dataset("tasks/b", (rows, 3, 4), maxshape=(None, 3, 4))
        task.dims[0].attach_scale(file["scales/sim_time"])
        task.dims[1].attach_scale(file["scales/kx"])
    told = "\n".join(described(tmp_path / "file.h5"))
    assert told.startswith("dimension scales: there is nothing in it yet: ")


def parthenon_xdmf(path):
    """As Parthenon writes it beside its file."""
    def item(name, block, length, whole):
        return (f'<DataItem ItemType="HyperSlab" Dimensions="{length}"><DataItem Dimensions="3 2" NumberType="Int" '
                f'Format="XML">{block} 0 1 1 1 {length}</DataItem><DataItem Format="HDF" Dimensions="2 {whole}" '
                f'Name="{name}" NumberType="Float" Precision="8">{path.name}:/Locations/{name}</DataItem></DataItem>')
    grids = "".join(
        f'<Grid GridType="Uniform" Name="{b}"><Topology TopologyType="3DRectMesh" NumberOfElements="2 8 9"/>'
        f'<Geometry GeometryType="VXVYVZ">{item("x", b, 9, 9)}{item("y", b, 8, 8)}{item("z", b, 2, 2)}</Geometry>'
        f'<Attribute Name="psi" Center="Cell"><DataItem ItemType="HyperSlab" Dimensions="1 7 8"><DataItem '
        f'Dimensions="3 4" NumberType="Int" Format="XML">{b} 0 0 0 1 1 1 1 1 1 7 8</DataItem><DataItem Format="HDF" '
        f'Dimensions="2 1 7 8" Name="psi" NumberType="Float" Precision="8">{path.name}:/psi</DataItem></DataItem>'
        f'</Attribute></Grid>' for b in range(2))
    return ('<?xml version="1.0" ?><Xdmf Version="3.0"><Domain><Grid Name="Mesh" GridType="Collection">'
            f'<Time Value="2.5"/>{grids}</Grid></Domain></Xdmf>')


def test_parthenon_with_xdmf(tmp_path):
    """Its own description wins."""
    path = tmp_path / "run.out0.00001.phdf"
    write_parthenon(path)
    (tmp_path / f"{path.name}.xdmf").write_text(parthenon_xdmf(path))
    told = described(path)
    assert told[0].startswith("XDMF") and "time 2.5" in told, told
    assert any("/psi" in line for line in told), told


def change(name, **fields):
    """Other numbers in the first box of a level."""
    def make(file):
        boxes = file[name][:]
        for field, value in fields.items():
            boxes[field][0] = value
        file[name][:] = boxes
    return make


def replace(name, data, **attributes):
    def make(file):
        if data is None:
            for key, value in attributes.items():
                file[name].attrs[key] = value
            return
        del file[name]
        file[name] = data
    return make


WRONG = [
    # Chombo: who changes what, and what is said of it
    (write_chombo, change("level_1/boxes", hi_j=-3), "box 0 of /level_1 goes from 2 to -3 along j"),
    (write_chombo, change("level_0/boxes", hi_i=2000000), "numbers by its size and ghost cells, and 800 by"),
    (write_chombo, change("level_0/boxes", lo_i=-2147483647, hi_i=2147483647, hi_j=2147483647, hi_k=2147483647),
     "a box of /level_0 has too many cells"),
    (write_chombo, replace("level_0/boxes", numpy.arange(12)), "the elements of /level_0/boxes have no member lo_i"),
    (write_chombo, replace("level_0/boxes", numpy.zeros((2, 2), "f8")), "/level_0 has no list of boxes"),
    (write_chombo, lambda file: file["level_0"].pop("boxes"), "/level_0 has no list of boxes"),
    (write_chombo, replace("level_1/data:offsets=0", [0, 800, 10**12]), "box 1 of /level_1 has 384 numbers by"),
    (write_chombo, replace("level_1/data:offsets=0", [-800, 0, 576]), "element 0 of /level_1/data:offsets=0 is -800"),
    (write_chombo, replace("level_1/data:offsets=0", [0, numpy.nan, 1]), "data:offsets=0 is nan"),
    (write_chombo, replace("level_1/data:offsets=0", [0]), "has 1 elements, and there are 2 boxes"),
    (write_chombo, replace("level_2/data:datatype=0", values(1, 100)), "from element 0 on, and"),
    (write_chombo, replace("level_2/data:datatype=0", ["a", "b"]), "/level_2 has no list of numbers"),
    (write_chombo, replace("level_2/data:datatype=0", values(1, 10, 10)), "/level_2 has no list of numbers"),
    (write_chombo, replace("level_1", None, dx=0.0), "dx of /level_1 is no distance"),
    (write_chombo, replace("level_1", None, dx="text"), "dx of /level_1 is no distance"),
    (write_chombo, replace("level_1", None, ref_ratio=numpy.int32(0)), "ref_ratio of /level_1 is 0"),
    (write_chombo, replace("Chombo_global", None, SpaceDim=numpy.int32(7)), "SpaceDim of /Chombo_global is 7"),
    (write_chombo, replace("/", None, num_components=-1), "num_components is no number of arrays"),
    (write_chombo, replace("/", None, num_components=90000), "numbers by its size and ghost cells"),
    (write_chombo, replace("level_0/data_attributes", None, objectType=numpy.bytes_("NodeFArrayBox")),
     "its values are of NodeFArrayBox"),
    (write_chombo, replace("level_0/data_attributes", None,
                           outputGhost=numpy.array((-1, 0, 0), [(f"intvect{one}", "i4") for one in "ijk"])),
     "outputGhost of /level_0 is -1"),
    (write_amrex, replace("level_0/data:datatype=1", values(1, 100)), "has 32 numbers from element 96"),
    # Parthenon
    (write_parthenon, replace("Locations/y", values(1, 2, 5)), "has 4 cells in a block, and 2 ghost cells"),
    (write_parthenon, replace("Locations/y", values(1, 3, 8)), "/Locations/y is of 3 blocks, and /Locations/x of 2"),
    (write_parthenon, replace("Locations/x", ["text"]), "/Locations/x is no list of coordinates"),
    (write_parthenon, replace("Info", None, NGhost=-4), "NGhost of /Info is -4"),
    # Carpet, H5hut
    (write_carpet, lambda file: [file[name].attrs.pop("origin") for name in file if "::" in name],
     "its attributes origin and delta have 0 and 3 numbers"),
    (write_h5hut, replace("Step#10/y", values(1, 49)), "/Step#10/y has 49 elements, x 50"),
]


def broken(path, write, make, status=0):
    """What is said of a file in which something is made wrong."""
    write(path)
    with h5py.File(path, "a") as file:
        make(file)
    return described(path, status=status)


@pytest.mark.parametrize(("write", "make", "says"), WRONG, ids=[says for _, _, says in WRONG])
def test_wrong(tmp_path, write, make, says):
    """An error in words, and no crash."""
    told = broken(tmp_path / "file.h5", write, make, status=1)
    assert len(told) == 1 and says in told[0], told


LEFT = [
    (write_parthenon, replace("psi", values(1, 2, 1, 7, 9)), "left out: /psi: size 2 x 1 x 7 x 9 does not match"),
    (write_parthenon, replace("psi", ["text"]), "left out: /psi: size 1 does not match"),
    (write_parthenon, lambda file: file.pop("psi"), "left out: /psi: /Info names it, and it is not there"),
    (write_parthenon, replace("tracers/SwarmVars/swarm.z", values(1, 9)), "left out: /tracers: its particles have no"),
    (write_carpet, lambda file: file["ADMBASE::gxx it=8 tl=0 rl=1"].attrs.update({"delta": [0.5, -1, 0.5]}),
     "left out: /ADMBASE::gxx it=8 tl=0 rl=1: its origin 1 and delta -1 are no place"),
    (write_h5hut, replace("Step#10/Block/phi/0", values(1, 9)), "left out: /Step#10/Block/phi: it has no field"),
]


@pytest.mark.parametrize(("write", "make", "says"), LEFT, ids=[says for _, _, says in LEFT])
def test_left_out(tmp_path, write, make, says):
    """What is wrong in a part of a file is left out, with the reason."""
    told = broken(tmp_path / "file.h5", write, make)
    assert any(line.startswith(says) for line in told), told

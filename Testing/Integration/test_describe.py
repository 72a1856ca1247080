# SPDX-License-Identifier: BSD-3-Clause
"""What dsm-describe says of files that h5py writes: what they are taken for, what was guessed, what is left out."""

import os
import pathlib
import re
import subprocess

import h5py
import numpy
import pytest

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])


def described(file, *options, status=0):
    done = subprocess.run(
        [BIN / "dsm-describe", file, *map(str, options)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == status, done.stderr
    return (done.stdout + done.stderr).splitlines()


def numbers(*shape):
    return numpy.arange(float(numpy.prod(shape))).reshape(shape)


def numbered_groups(file):
    for step in (0, 9, 10):
        group = file.create_group(f"Step#{step}")
        group.attrs["TimeValue"] = step / 10
        group["rho"] = numbers(4, 6)
    # Coordinates of edges: one more than values.
    file["grid/x"], file["grid/y"] = numpy.linspace(0, 1, 7), [0, 1, 3, 4, 9.0]


def reversed_axes(file):
    for time in (1, 2):
        file[f"Time:  {time}.00000E+00 y/P [Pa]"] = numbers(2, 3, 4)
    for axis, count in zip("XYZ", (3, 4, 5), strict=True):
        file[f"grid/{axis} [m]"] = 10 * numpy.arange(count)


def descending(file):
    file["u"], file["x"], file["y"] = numbers(3, 4), [0, 1, 2, 3], [30, 20, 10]


def attributes(file):
    file["u"] = numbers(2, 3, 4)
    file["u"].attrs["dx"] = 0.5
    file.attrs["origin"], file.attrs["time"] = [1.0, 2, 3], 3.0


def two_shapes(file):
    file["e"], file["b"], file["small"], file["name"] = numbers(9, 6, 5), numbers(8, 6, 5), [1, 2, 3], "text"


def particles(file):
    for kind, count in ("ions", 7), ("electrons", 9):
        file[f"{kind}/position"], file[f"{kind}/charge"] = numbers(count, 3), numbers(count)
    file["box"] = numbers(3)


def table(file):
    file["a"], file["c"] = numbers(10), numbers(4)


def compounds(file):
    file["psi"] = numbers(4, 6).astype("c16")
    file["cell"] = numpy.zeros((4, 6), [("mass", "f8"), ("name", "S4"), ("kind", "i4")])


def components(file):
    file["v"], file["p"] = numbers(4, 5, 6, 3), numbers(4, 5, 6)


def h5md(file):
    file.create_group("h5md").attrs["version"] = [1, 1]
    for name, count in ("atoms", 5), ("ghosts", 3):
        group = file.create_group(f"particles/{name}")
        group["position/value"], group["position/time"] = numbers(4, count, 3), [0.0, 0.5, 1.0, 1.5]
        group["velocity/value"], group["mass"] = numbers(4, count, 3), numbers(count)
        group["box/edges"] = [9.0, 9, 9]


def gadget(file):
    header = file.create_group("Header")
    header.attrs.update({"NumPart_ThisFile": [5, 7, 0], "MassTable": [0.0, 0.25, 0], "Time": 0.125})
    for kind, count in (0, 5), (1, 7):
        group = file.create_group(f"PartType{kind}")
        group["Coordinates"], group["Velocities"] = numbers(count, 3), numbers(count, 3)
        group["ParticleIDs"] = numpy.arange(count)
    file["PartType0/Masses"], file["PartType0/Density"] = numbers(5), numbers(5)


def athena(file):
    blocks, nx, ny, nz = 3, 4, 2, 1
    file.attrs.update({"DatasetNames": numpy.array(["prim", "B"], "S21"), "NumVariables": [2, 3], "Time": 1.5,
                       "VariableNames": numpy.array(["rho", "press", "Bcc1", "Bcc2", "Bcc3"], "S21"),
                       "Coordinates": numpy.bytes_("spherical_polar")})
    for axis, count in enumerate((nx, ny, nz)):
        file[f"x{axis + 1}f"], file[f"x{axis + 1}v"] = numbers(blocks, count + 1), numbers(blocks, count)
    file["prim"], file["B"] = numbers(2, blocks, nz, ny, nx), numbers(3, blocks, nz, ny, nx)
    file["Levels"] = [2, 3, 3]


def flash(file):
    file["unknown names"] = numpy.array([["dens"], ["pres"]], "S4")
    file["bounding box"] = [[[0, 8], [0, 4], [0, 0]], [[0, 4.0], [0, 2], [0, 0]], [[4, 8], [0, 2], [0, 0]]]
    file["refine level"], file["node type"] = [1, 2, 2], [2, 1, 1]
    file["real scalars"] = numpy.array([(b"dt".ljust(80), 0.1), (b"time".ljust(80), 2.5)],
                                       [("name", "S80"), ("value", "f8")])
    file["dens"], file["pres"] = numbers(3, 1, 4, 8), numbers(3, 1, 4, 8)


EXPECTED = {
    h5md: """
H5MD: the recipe for H5MD
time 1.5
step 3 of 4, times 0 to 1.5
part atoms: 5 points without cells, at /particles/atoms/position/value[t=3, i:5, c:3]
  point array velocity: /particles/atoms/velocity/value[t=3, i:5, c:3]
  point array mass: /particles/atoms/mass[i:5]
part ghosts: 3 points without cells, at /particles/ghosts/position/value[t=3, i:3, c:3]
  point array velocity: /particles/ghosts/velocity/value[t=3, i:3, c:3]
  point array mass: /particles/ghosts/mass[i:3]
left out: /particles/atoms/box/edges: the recipe does not name it
left out: /particles/ghosts/box/edges: the recipe does not name it""",
    gadget: """
Gadget: the recipe for Gadget
time 0.125
part PartType0: 5 points without cells, at /PartType0/Coordinates[i:5, c:3]
  point array Density: /PartType0/Density[i:5]
  point array Masses: /PartType0/Masses[i:5]
  point array ParticleIDs: /PartType0/ParticleIDs[i:5]
  point array Velocities: /PartType0/Velocities[i:5, c:3]
part PartType1: 7 points without cells, at /PartType1/Coordinates[i:7, c:3]
  point array ParticleIDs: /PartType1/ParticleIDs[i:7]
  point array Velocities: /PartType1/Velocities[i:7, c:3]
  point array Masses: 0.25""",
    athena: """
Athena++: the recipe for Athena++
time 1.5
part Athena++: rectilinear, 5 x 3 x 2 points, at /x1f[b:3, x:5]; /x2f[b:3, y:3]; /x3f[b:3, z:2]
  block 0: level 0, origin 0 0 0, spacing 1 1 1
  block 1: level 1, origin 0 0 0, spacing 1 1 1
  block 2: level 1, origin 0 0 0, spacing 1 1 1
  cell array Bcc1: /B[0, b:3, z:1, y:2, x:4]
  cell array Bcc2: /B[1, b:3, z:1, y:2, x:4]
  cell array Bcc3: /B[2, b:3, z:1, y:2, x:4]
  cell array rho: /prim[0, b:3, z:1, y:2, x:4]
  cell array press: /prim[1, b:3, z:1, y:2, x:4]
guessed: Coordinates are shown as if they were Cartesian
left out: /x1v: the recipe does not name it
left out: /x2v: the recipe does not name it
left out: /x3v: the recipe does not name it""",
    flash: """
FLASH: the recipe for FLASH
time 2.5
part FLASH: uniform, 9 x 5 x 1 points, origin 0 0 0, spacing 1 1 1
  block 1: level 1, origin 0 0 0, spacing 0.5 0.5 1
  block 2: level 1, origin 4 0 0, spacing 0.5 0.5 1
  cell array dens: /dens[b:3, z:1, y:4, x:8]
  cell array pres: /pres[b:3, z:1, y:4, x:8]
left out: /real scalars: the recipe does not name it
left out: /unknown names: the recipe does not name it""",
    numbered_groups: """
image: its largest dataset is a 4 x 6 grid
time 1
step 2 of 3, times 0 to 1
part image: rectilinear, 7 x 5 x 1 points, at /grid/x[x:7]; /grid/y[y:5]; 0
  cell array rho: /Step#10/rho[y:4, x:6]
guessed: Steps = /Step#10 and the groups beside it
guessed: Cell edges = /grid/x, /grid/y""",
    reversed_axes: """
image: its largest dataset is a 2 x 3 x 4 grid
time 2
step 1 of 2, times 1 to 2
part image: uniform, 3 x 4 x 5 points, origin 0 0 0, spacing 10 10 10
  cell array P [Pa]: /Time:  2.00000E+00 y/P [Pa][x:2, y:3, z:4]
guessed: Steps = /Time:  2.00000E+00 y and the groups beside it
guessed: Cell edges = /grid/X [m], /grid/Y [m], /grid/Z [m]""",
    descending: """
image: its largest dataset is a 3 x 4 grid
part image: uniform, 4 x 3 x 1 points, origin 0 10 0, spacing 1 10 1
  point array u: /u[-y:3, x:4]
guessed: Point coordinates = /x, /y""",
    attributes: """
image: its largest dataset is a 2 x 3 x 4 grid
time 3
part image: uniform, 4 x 3 x 2 points, origin 3 2 1, spacing 0.5 0.5 0.5
  point array u: /u[z:2, y:3, x:4]
guessed: Origin 3 2 1 (/@origin read as z, y, x)
guessed: Spacing 0.5 along all axes (/u@dx)
guessed: Last dimension = x
guessed: Point data""",
    two_shapes: """
image: its largest dataset is a 9 x 6 x 5 grid
part 9 x 6 x 5: uniform, 5 x 6 x 9 points, origin 0 0 0, spacing 1 1 1
  point array e: /e[z:9, y:6, x:5]
part 8 x 6 x 5: uniform, 5 x 6 x 8 points, origin 0 0 0, spacing 1 1 1
  point array b: /b[z:8, y:6, x:5]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data
left out: /name: its type is not numeric (text)
left out: /small: size 3 does not match the grid (9 x 6 x 5)""",
    particles: """
points: its largest dataset has 9 x 3 values, and /electrons/position gives coordinates
part electrons: 9 points without cells, at /electrons/position[i:9, c:3]
  point array charge: /electrons/charge[i:9]
  point array position: /electrons/position[i:9, c:3]
part ions: 7 points without cells, at /ions/position[i:7, c:3]
  point array charge: /ions/charge[i:7]
  point array position: /ions/position[i:7, c:3]
guessed: Point coordinates = /electrons/position
guessed: Point coordinates = /ions/position
left out: /box: size 3 does not match the points""",
    table: """
table: its largest dataset has 10 values in one dimension
part table: table of 10 rows
  point array a: /a[i:10]
guessed: Table (datasets with one dimension)
left out: /c: size 4 does not match the columns (10 rows)""",
    compounds: """
image: its largest dataset is a 4 x 6 grid
part image: uniform, 6 x 4 x 1 points, origin 0 0 0, spacing 1 1 1
  point array cell.mass: /cell.mass[y:4, x:6]
  point array cell.kind: /cell.kind[y:4, x:6]
  point array psi (real, imaginary): /psi.r[y:4, x:6], /psi.i[y:4, x:6]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data""",
    components: """
image: its largest dataset is a 4 x 5 x 6 grid
part image: uniform, 6 x 5 x 4 points, origin 0 0 0, spacing 1 1 1
  point array p: /p[z:4, y:5, x:6]
  point array v: /v[z:4, y:5, x:6, c:3]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: Last dimension = x
guessed: Point data
guessed: Last dimension = vector components""",
}


@pytest.mark.parametrize("write", EXPECTED, ids=lambda write: write.__name__)
def test_plain(tmp_path, write):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        write(file)
    assert described(tmp_path / "file.h5") == EXPECTED[write].strip().splitlines()


def shown(lines):
    """What is told of the parts and of time, whatever it is said to be and by whom."""
    told = [line for line in lines[1:] if line.startswith(("part", "  ", "time", "step"))]
    parts = "\n".join(told).split("\npart")
    return [[part.splitlines()[0], sorted(part.splitlines()[1:])] for part in parts]


def index_as_time(file):
    """Groups with numbers, which have no times."""
    for step in range(3):
        file[f"data/{step:04d}/e"] = numbers(3, 4)


def disordered(file):
    """Coordinates that go forth and back: points of their own."""
    file["u"], file["x"], file["y"] = numbers(3, 4), [0, 1, 5, 2.0], [0, 1, 3.0]


def beside_it(file):
    file["u"], file["time"] = numbers(2, 3, 4), [1.0, 2.0, 4.0]
    file["run"] = numbers(5)


WRITERS = [*EXPECTED, index_as_time, disordered, beside_it]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_recipe_to_start_from(tmp_path, write):
    """It shows the file just as without it, whichever step is asked for."""
    name = tmp_path / "file.h5"
    with h5py.File(name, "w") as file:
        write(file)
    steps = [["--step", "0"], []]
    before = [shown(described(name, *step)) for step in steps]
    recipe = "\n".join(described(name, "--recipe"))
    # By it, and by no other.
    recipe = re.sub('^{"name": "', '{"name": "My ', recipe)
    (tmp_path / "file.h5.recipe").write_text(recipe)
    after = [described(name, *step) for step in steps]
    assert after[1][0].startswith("My "), recipe
    text = "\n".join(after[1])
    text = text.replace("part My ", "part ")
    assert shown(text.splitlines()) == before[1], recipe
    assert shown("\n".join(after[0]).replace("part My ", "part ").splitlines()) == before[0], recipe


def test_no_recipe_can_say(tmp_path):
    name = tmp_path / "file.h5"
    with h5py.File(name, "w") as file:
        file["u"], file["x"] = numbers(4), [0, 1, 3, 4.0]
        file["x"].make_scale("x")
        file["u"].dims[0].attach_scale(file["x"])
        file["u"].attrs["scale_factor"] = 2.0
    (told,) = described(name, "--recipe", status=1)
    assert "a recipe cannot say what is shown of this file: /u is scaled" in told


# The guide's, of a code that nobody knows.
GUIDE = pathlib.Path(__file__).parents[2] / "Documentation" / "Coupling.md"
(RECIPE,) = re.findall(r"^```json\n(.*?)```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
WAVES = """
Waves: the recipe for Waves{by}
time 7
part tile 1: uniform, 4 x 6 x 1 points, origin 1 2 0, spacing 0.5 0.5 0.5
  cell array q_h: /tile 1/q_h[x:3, y:5]
  cell array q_v: /tile 1/q_v[x:3, y:5, c:2]
part tile 2: uniform, 4 x 6 x 1 points, origin 4 2 0, spacing 0.5 0.5 0.5
  cell array q_h: /tile 2/q_h[x:3, y:5]
  cell array q_v: /tile 2/q_v[x:3, y:5, c:2]"""


def waves(path):
    with h5py.File(path, "w") as file:
        file.create_group("wave").attrs.update({"version": 1, "clock": 7.0, "h": 0.5})
        for tile in 1, 2:
            group = file.create_group(f"tile {tile}")
            group.attrs["corner"] = [3.0 * tile - 2, 2.0]
            group["q_h"], group["q_v"] = numbers(3, 5), numbers(3, 5, 2)


@pytest.mark.parametrize("place", ["out.h5.recipe", "dsm.recipe", "in the file"])
def test_own_recipe(tmp_path, place):
    """In the file, beside it, or for all files in the folder; of 20 lines at most."""
    assert len(RECIPE.splitlines()) <= 20
    waves(tmp_path / "out.h5")
    by = ""
    if place == "in the file":
        with h5py.File(tmp_path / "out.h5", "a") as file:
            file.attrs["Recipe"] = RECIPE
    else:
        (tmp_path / place).write_text(RECIPE)
        by = f", {tmp_path / place}"
    assert described(tmp_path / "out.h5") == WAVES.format(by=by).strip().splitlines()


@pytest.mark.parametrize(("change", "says"), [
    (('"when"', '"whan"'), '"when"'),
    (("{", ""), "no JSON"),
    (("\"/tile {n}\"", "\"/tile {n}\", \"more\": [{\"nam\": 1}]"), 'its "more.0.name" is missing'),
    (("[x,y,c?]", "[x,q]"), '"q" in "q_*[x,q]" is no dimension'),
    (("q_*", "p_*"), "the recipe for that finds nothing to show in it: /tile 1/: it has none of the recipe's fields"),
])
def test_wrong_recipe(tmp_path, change, says):
    waves(tmp_path / "out.h5")
    (tmp_path / "dsm.recipe").write_text(RECIPE.replace(*change, 1))
    (told,) = described(tmp_path / "out.h5", status=1)
    assert says in told


def test_recipe_of_another_format(tmp_path):
    """It is no recipe for this file, which is taken for what it is."""
    with h5py.File(tmp_path / "out.h5", "w") as file:
        gadget(file)
    (tmp_path / "dsm.recipe").write_text(RECIPE)
    assert described(tmp_path / "out.h5")[0] == "Gadget: the recipe for Gadget"


def test_a_step(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        numbered_groups(file)
    told = described(tmp_path / "file.h5", "--step", 1)
    assert "time 0.9" in told and "  cell array rho: /Step#9/rho[y:4, x:6]" in told


def test_what_cannot_be(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file["name"] = "only text"
    (told,) = described(tmp_path / "file.h5", status=1)
    assert "there is nothing to show" in told
    (told,) = described(tmp_path / "none.h5", status=1)
    assert "none.h5 cannot be opened" in told


def test_broken_group(tmp_path, monkeypatch):
    """HDF5 crashes where it is to sort the names of a group whose list is broken, if memory is not empty."""
    with h5py.File(tmp_path / "file.h5", "w", libver="latest") as file:
        file.attrs["openPMD"], file.attrs["basePath"] = numpy.bytes_("1.1.0"), numpy.bytes_("/data/%T/")
        for step in range(20):
            file.create_group(f"data/{step}")
    broken = bytearray((tmp_path / "file.h5").read_bytes())
    broken[broken.index(b"BTLF\0\5") + 8] ^= 255
    (tmp_path / "file.h5").write_bytes(broken)
    monkeypatch.setenv("MALLOC_PERTURB_", "165")
    (told,) = described(tmp_path / "file.h5")
    assert told == "openPMD: there is nothing in it yet: it has no iteration in /data"


def nothing(file):
    file.create_group("a/b").attrs["version"] = 1


def no_rows(file):
    file.create_dataset("u", (0, 4), "f8", maxshape=(None, 4))


def no_steps(file):
    file.create_group("h5md").attrs["version"] = [1, 1]
    file.create_dataset("particles/atoms/position/value", (0, 5, 3), "f8", maxshape=(None, 5, 3))


def no_parts(file):
    group = file.create_group("VTKHDF")
    group.attrs["Version"], group.attrs["Type"] = [2, 0], numpy.bytes_("UnstructuredGrid")
    for name in "NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds", "Connectivity", "Offsets", "Types":
        group.create_dataset(name, (0,), "i8", maxshape=(None,))
    group["Points"] = numpy.zeros((0, 3))


def no_iteration(file):
    file.attrs.update({"fields": numpy.bytes_("Ex"), "time_integral": 0})
    file["p0"], file["number"] = [0.0, 1.0], [5]


NOTHING = {nothing: "empty: there is nothing in it yet: it has no datasets",
           no_rows: "empty: there is nothing in it yet: its datasets are empty",
           no_steps: "H5MD: there is nothing in it yet: its datasets that the recipe names are empty",
           no_parts: "VTKHDF: there is nothing in it yet: it has no parts",
           no_iteration: "Smilei probes: there is nothing in it yet: it has no step"}


@pytest.mark.parametrize("write", NOTHING, ids=lambda write: write.__name__)
def test_nothing_in_it_yet(tmp_path, write):
    """To wait for a simulation is no error."""
    with h5py.File(tmp_path / "file.h5", "w") as file:
        write(file)
    assert described(tmp_path / "file.h5") == [NOTHING[write]]
    (told,) = described(tmp_path / "file.h5", "--recipe", status=1)
    assert "a recipe cannot describe" in told


def test_missing_filter(tmp_path):
    """A dataset is left out whose filter HDF5 lacks, the others are shown; alone, it is the error's reason."""
    name = tmp_path / "file.h5"
    with h5py.File(name, "w") as file:
        file.create_dataset("packed", data=numbers(4, 6), compression="lzf")
        file["u"] = numbers(4, 6)
    told = described(name)
    why = "it is compressed by lzf (filter 32000), which this HDF5 does not have: name the folder of the filter's " \
        "plugin in HDF5_PLUGIN_PATH, or write without the filter"
    assert "  point array u: /u[y:4, x:6]" in told and f"left out: /packed: {why}" in told
    assert not any("point array packed" in line for line in told)
    with h5py.File(name, "a") as file:
        del file["u"]
    (told,) = described(name, status=1)
    assert f"/packed (float64; {why})" in told


def test_type_of_hdf5_2(tmp_path):
    """As HDF5 2 writes complex numbers: with a version of types that HDF5 1.14 does not read."""
    name = tmp_path / "file.h5"
    with h5py.File(name, "w") as file:
        file["u"] = numbers(4, 6)
        file["z"] = numbers(4, 6).astype("f4")
    raw = name.read_bytes()
    float32 = bytes.fromhex("11201f000400000000002000170800177f000000")
    assert raw.count(float32) == 1
    name.write_bytes(raw.replace(float32, b"\x5b" + float32[1:]))
    told = described(name)
    assert "  point array u: /u[y:4, x:6]" in told
    (left,) = (line for line in told if line.startswith("left out"))
    assert left.startswith("left out: /z: its type is one of HDF5 2, such as complex numbers, and this is HDF5 1.")


def test_arrays_as_elements(tmp_path):
    """They become arrays with components."""
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file.create_dataset("v", (40,), numpy.dtype(("f8", (3,))))
        file["t"] = numpy.zeros(40, [("m", "f4", (2,)), ("k", "i4")])
    told = described(tmp_path / "file.h5")
    assert "  point array t.m: /t.m[i:40, c:2]" in told and "  point array t.k: /t.k[i:40]" in told
    assert "  point array v: /v[i:40, c:3]" in told


def test_index_of_pytables(tmp_path):
    """It is larger than its table, and hidden by its name."""
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file.attrs["PYTABLES_FORMAT_VERSION"] = numpy.bytes_("2.1")
        file["particles"] = numpy.zeros(5, [("x", "f8"), ("mass", "f8")])
        file["_i_particles/x/sortedLR"] = numbers(1000)
    told = described(tmp_path / "file.h5")
    assert told[1:] == ["part table: table of 5 rows", "  point array particles.x: /particles.x[i:5]",
                        "  point array particles.mass: /particles.mass[i:5]",
                        "guessed: Table (datasets with one dimension)"]

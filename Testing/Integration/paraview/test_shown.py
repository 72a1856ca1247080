# SPDX-License-Identifier: BSD-3-Clause
"""ParaView shows files in memory as libraries and codes write them, on 1 and on 3 ranks, or says why not."""

import dataclasses
import pathlib
import re
import subprocess
import sys

import numpy
import pytest
from generated import File, Part, compare_shown, grid, shown
from scripts.shown_files import CORNERS, HDF5_2, TETRAHEDRA

from conftest import HERE, Bench, built
from processes import on_disk

WHEEL = HERE.parents[1] / "Environment/h5py-wheel.sh"


def table(count, **columns):
    """Returns a table, whose rows count as points at 0."""
    return Part(numpy.zeros((count, 3)), columns)


def particles(level, count):
    reals = numpy.arange(5.0 * count).reshape(count, 5) / 2 + 100 * level
    whole = numpy.arange(3 * count).reshape(count, 3) + 100 * level
    return Part(reals[:, :3], {"mass": reals[:, 3], "real_4": reals[:, 4],
                               **dict(zip(("id", "cpu", "kind"), whole.T, strict=True))})


def plex(_, step):
    points = numpy.array([(0, 0, 0), (1, 0, 0), (3, 0, 0), (0, 2, 0), (1, 2, 0), (3, 2, 0)])
    cells = [(9, points[[0, 1, 4, 3]]), (9, points[[1, 2, 5, 4]])]
    return [Part(points, {"temp": 100 * step + numpy.arange(6)}, {"rank": 100 * step + numpy.arange(2)}, cells)]


def vectors(_, step):
    y, x = (axis.ravel() for axis in numpy.mgrid[0:4, 0:5])
    return [Part(numpy.stack([x + 0.25 * y, y * y, 0 * x], 1),
                 {"u": numpy.arange(40).reshape(2, 20)[step], "w": numpy.arange(80).reshape(2, 20, 2)[step]})]


def probes(_, step):
    ex, ey, rho = 100 * step + numpy.arange(15).reshape(3, 5)
    x = numpy.arange(5) + 1.5 * step
    return [Part(numpy.stack([x, x * 0 + 1, x * 0], 1), {"E": numpy.stack([ex, ey], 1), "Rho": rho})]


def unattached(_, step):
    return [Part(grid([0], range(5), [0, 2, 4, 6])[:, ::-1], {"T": 100 * step + numpy.arange(20)})]


def series(*names):
    def parts(_, step):
        values = {"u": 100 * step + numpy.arange(24), "mass": numpy.arange(24)}
        return [Part(grid(range(2), range(3), range(4))[:, ::-1], {name: values[name] for name in names})]
    return parts


def mesh(*cell_arrays):
    values = {"c": numpy.array([7, 8])}
    return lambda *_: [Part(CORNERS, {"u": numpy.arange(5)}, {name: values[name] for name in cell_arrays},
                            [(10, CORNERS[corners]) for corners in TETRAHEDRA])]


def image(name, *shape):
    values = {name: numpy.arange(numpy.prod(shape))}
    return lambda *_: [Part(grid(*map(range, (1, *shape)[-3:]))[:, ::-1], values)]


SHOWN = [
    File("pytables.h5", "table", lambda *_: [table(7, **{
        "detector/hits.energy": numpy.arange(7) / 2, "detector/hits.n": numpy.arange(7),
        "detector/hits.place": numpy.arange(21).reshape(7, 3)})]),
    File("pandas.h5", "pandas", lambda *_: [table(11, index=100 + numpy.arange(11), a=3 * numpy.arange(11),
                                                  b=numpy.arange(11) / 2, c=numpy.arange(11) / 4)]),
    File("particles.h5", "AMReX particles", lambda *_: [particles(0, 4), particles(1, 3)]),
    File("plex.h5", "PETSc", plex, [0, 0.5, 1.5]), File("vec.h5", "PETSc", vectors, [0, 1]),
    File("unattached.nc", "netCDF-4", unattached, [10, 11, 12]),
    File("probes.h5", "Smilei probes", probes, [0, 40]), File("series.h5", "XDMF", series("u", "mass"), [1, 2, 3]),
    File("mesh28.vtkhdf", "VTKHDF", mesh("c")), File("mesh30.vtkhdf", "VTKHDF", mesh("c")),
    File("lzf_image.vtkhdf", "VTKHDF", image("e", 3, 4, 5)), File("lzf_cells.vtkhdf", "VTKHDF", mesh()),
    File("lzf_beside.h5", "image", image("u", 4, 6)), File("lzf_series.h5", "XDMF", series("u"), [1, 2, 3]),
    File("member_without_parts.vtkhdf", "VTKHDF", mesh("c")),
    File("complex.h5", "image", image("e", 3, 4, 5)), File("complex.vtkhdf", "VTKHDF", image("e", 3, 4, 5)),
]
LZF = "it is compressed by lzf (filter 32000), which this HDF5 does not have: name the folder of the filter's plugin " \
    "in HDF5_PLUGIN_PATH, or write without the filter"
COMPLEX = re.compile(r"its type is one of HDF5 2, such as complex numbers, and this is HDF5 1\.[\d.]+: write a "
                     "compound of real and imaginary parts, or use a ParaView with HDF5 2")
# This names the first thing that is left out, and why.
LEFT_OUT = {
    "pandas.h5": ("/short", "it is another frame, with 3 rows, and one is shown: /run"),
    "lzf_image.vtkhdf": ("/VTKHDF/PointData/d", LZF), "lzf_cells.vtkhdf": ("/VTKHDF/CellData/c", LZF),
    "lzf_beside.h5": ("/packed", LZF),
    "complex.h5": ("/z", COMPLEX), "complex.vtkhdf": ("/VTKHDF/PointData/z", COMPLEX),
}
NEWER = "{} cannot be read as VTKHDF: {}, which VTKHDF has since version {}: use ParaView {} or newer"
# These files cannot be shown, and the message says why.
ERRORS = {
    name: NEWER.format("{}", *words) for name, words in {
        "rectilinear.vtkhdf": ("/VTKHDF is a RectilinearGrid", "2.7", "6.2"),
        "structured.vtkhdf": ("/VTKHDF is a StructuredGrid", "2.7", "6.2"),
        "newer_member.vtkhdf": ("/VTKHDF/member1 is a StructuredGrid", "2.7", "6.2"),
        "hyper_tree.vtkhdf": ("/VTKHDF is a HyperTreeGrid", "2.4", "6.0"),
        "polyhedra.vtkhdf": ("/VTKHDF has polyhedra", "2.5", "6.1")}.items()
} | {
    "hologram.vtkhdf": "{} cannot be read as VTKHDF: /VTKHDF is a Hologram of version 3.0 of VTKHDF, which is not "
                       "known here: use a newer ParaView",
    "lzf_points.vtkhdf": f"{{}} cannot be read as VTKHDF: /VTKHDF/Points: {LZF}",
    "lzf_alone.h5": "{} holds neither a VTKHDF group nor a dataset of numbers with one to three dimensions (or four, "
                    f"the last with at most 9 components): it has /packed (float64; {LZF}), so there is nothing to "
                    "show",
}
# These files of known formats have numbers whose filter is missing.
PACKED = {
    "lzf_pandas.h5": "/run/table", "lzf_particles.h5": "/level_0/data:datatype=",
    "lzf_chombo.h5": "/level_0/data:datatype=0", "lzf_probes.h5": "/00000000",
    "lzf_openpmd.h5": "/data/1/fields/B", "lzf_h5md.h5": "/particles/atoms/position/value",
}
NOTHING_YET = {
    "nothing.h5": "it has no datasets", "waiting.h5": "it has no datasets", "no_rows.h5": "its datasets are empty",
    "no_steps.h5": "it has no step", "type_only.vtkhdf": "its VTKHDF group is empty",
    "no_parts.vtkhdf": "it has no parts", "no_surface.vtkhdf": "it has no parts",
    "no_members.vtkhdf": "its collection has no members",
}


@dataclasses.dataclass
class Seen:
    """Holds all that a ParaView has said and shown."""

    ranks: int
    live: pathlib.Path
    reports: pathlib.Path
    told: dict
    output: str

    def about(self, name):
        """Returns what the reader has said of a file."""
        if name in HDF5_2 and name not in self.told:
            pytest.skip("h5py-wheel.sh finds no h5py with HDF5 2")
        return self.told[name][0]


@pytest.fixture(scope="module", params=[1, 3], ids=["1 rank", "3 ranks"])
def seen(request, tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("shown"))
    try:
        yield look(bench, request.param)
    finally:
        bench.close()


def look(bench, ranks):
    """Has all files written into the memory of a ParaView that opens them."""
    folder, live = bench.folder, bench.folder / "live"
    live.mkdir()
    # Debian's libraries are for Open MPI, or no MPI, whichever ParaView uses.
    build, _ = built("openmpi")
    script = HERE / "scripts/shown_files.py"
    write = [build / "bin/dsm-run", "--contact", folder / "run.dsm", sys.executable, script, live]
    wheel = subprocess.run([WHEEL, "find"], capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    viewer = bench.pvbatch("shown.py", ranks)
    viewer.wait_for_file(folder / "run.dsm")
    bench.start([*write, "files"], "writer").wait()
    if wheel:
        bench.start([*write, "HDF5 2"], "writer", PYTHONPATH=wheel).wait()
    assert not any(on_disk(file) for file in live.iterdir() if file.suffix != ".xdmf")
    (folder / "written").touch()
    viewer.wait_for_file(folder / "seen")
    bench.start([*write, "later"], "writer").wait()
    (folder / "filled").touch()
    return Seen(ranks, live, bench.reportFolder, output=viewer.wait(), told=bench.reports()[0])


@pytest.mark.parametrize("file", SHOWN, ids=lambda file: file.name)
def test_shows_values(seen, file):
    seen.about(file.name)
    compare_shown(seen.reports, seen.told, file, seen.live / file.name, seen.ranks)


@pytest.mark.parametrize("name", ["pytables.h5", "pandas.h5"])
def test_shows_tables(seen, name):
    assert seen.about(name)["Data"] == "vtkTable"


@pytest.mark.parametrize("name", LEFT_OUT)
def test_says_what_is_left_out(seen, name):
    path, why = seen.about(name)["LeftOut"][:2]
    wanted, reason = LEFT_OUT[name]
    assert path == wanted and (why == reason if isinstance(reason, str) else reason.fullmatch(why)), (path, why)


def test_says_what_is_left_out_of_xdmf(seen):
    attribute, why = seen.about("lzf_series.h5")["LeftOut"][:2]
    assert attribute.startswith('the Attribute "mass" ') and "/mass" in why and why.endswith(LZF), (attribute, why)


@pytest.mark.parametrize("name", ERRORS)
def test_says_once_why_not(seen, name):
    error = seen.about(name)["ErrorText"]
    assert error == ERRORS[name].format(seen.live / name)
    assert seen.output.count(error) == 1


@pytest.mark.parametrize("name", PACKED)
def test_names_missing_filter_in_known_formats(seen, name):
    error = seen.about(name)["ErrorText"]
    assert PACKED[name] in error and LZF in error, (error, seen.about(name)["RecognisedBecause"])


@pytest.mark.parametrize("name", NOTHING_YET)
def test_waits_without_error(seen, name):
    about = seen.about(name)
    assert about["ErrorText"] == "" and about["RecognisedBecause"] == f"there is nothing in it yet: {NOTHING_YET[name]}"
    assert shown(seen.reports, name, 0)[0] == []
    assert f"/{name}" not in seen.output


def test_stream_shows_first_values(seen):
    """The file's stream is empty, and shows what an append has put into it."""
    assert seen.told["stream"] == [["", {}], ["", {"u": [0, 23]}]]


def test_names_version_that_is_newer(seen):
    """ParaView's reader does for another major version; the file is shown, since its layout is known."""
    assert re.search(r"File version: 3\.0 is higher than this reader supports 2\.\d", seen.output), seen.output

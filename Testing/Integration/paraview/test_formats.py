# SPDX-License-Identifier: BSD-3-Clause
"""Formats that others write, on 1 and on 3 ranks: points, or the middles of cells, and values against what an
independent reader says."""

import sys

import h5py
import netCDF4
import numpy
import pytest
from scripts import overrides
from scripts.code_files import CODES
from scripts.format_files import FILES

from conftest import HERE
from processes import on_disk


def write_cf(path):
    """Longitudes, latitudes from north to south, depths downwards; packed, with missing values, three steps."""
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"time": None, "lev": 4, "lat": 5, "lon": 6, "lon_bounds": 2}.items():
            file.createDimension(name, length)

        def coordinate(name, kind, values, **attributes):
            made = file.createVariable(name, kind, (name,))
            made.setncatts(attributes)
            if values is not None:
                made[:] = values

        coordinate("time", "f8", None, units="hours since 2000-01-01")
        coordinate("lat", "f4", numpy.linspace(60, -60, 5), units="degrees_north")
        coordinate("lon", "f4", numpy.arange(6) * 60.0, units="degrees_east", bounds="lon_bnds")
        coordinate("lev", "f8", [0, 10, 30, 70], units="m", positive="down")
        file.createVariable("lon_bnds", "f8", ("lon", "lon_bounds"))[:] = 0
        packed = file.createVariable("T", "i2", ("time", "lev", "lat", "lon"), fill_value=-999)
        packed.setncatts({"scale_factor": 0.01, "add_offset": 273.0, "units": "K"})
        surface = file.createVariable("ps", "f4", ("time", "lat", "lon"))
        for step in range(3):
            file["time"][step] = 6 * step
            packed[step] = 280 + numpy.arange(120).reshape(4, 5, 6) / 10 + step
            surface[step] = 1000 + step + numpy.arange(30).reshape(5, 6)
        packed[2, 0, 0, 0] = numpy.ma.masked
        file.createVariable("runs", "f8", ("time",))[:] = 1


def cf(path, step):
    with netCDF4.Dataset(path) as file:
        lon, lat, lev = (numpy.asarray(file[name][:], "f8") for name in ("lon", "lat", "lev"))
        volume = numpy.meshgrid(-lev, lat, lon, indexing="ij")[::-1]
        plane = [*numpy.meshgrid(lat, lon, indexing="ij")[::-1], numpy.zeros((5, 6))]
        # Each part: points, arrays.
        return [
            (volume, {"T": numpy.ma.filled(file["T"][step].astype("f8"), numpy.nan)}),
            (plane, {"ps": file["ps"][step].filled()}),
        ]


def write_curvilinear(path):
    """Two-dimensional longitudes and latitudes, as WRF, ROMS and NEMO have them; an axis without coordinates."""
    with netCDF4.Dataset(path, "w") as file:
        for name, length in {"Time": None, "level": 2, "south_north": 4, "west_east": 5}.items():
            file.createDimension(name, length)
        y, x = numpy.mgrid[0:4, 0:5].astype("f4")
        for name, units, values in ("XLONG", "degree_east", x + 0.1 * y), ("XLAT", "degree_north", y * y - 0.2 * x):
            made = file.createVariable(name, "f4", ("Time", "south_north", "west_east"))
            made.units = units
            made[0:2] = [values, values]
        wind = file.createVariable("U", "f8", ("Time", "level", "south_north", "west_east"))
        wind.coordinates = "XLONG XLAT"
        wind[0:2] = numpy.arange(80).reshape(2, 2, 4, 5)


def curvilinear(path, step):
    with netCDF4.Dataset(path) as file:
        lon, lat = (numpy.broadcast_to(file[name][step], (2, 4, 5)) for name in ("XLONG", "XLAT"))
        level = numpy.broadcast_to(numpy.arange(2.0)[:, None, None], (2, 4, 5))
        return [([lon, lat, level], {"U": file["U"][step].filled()})]


def write_cells(path):
    """Values at places that are listed: triangles of ICON, stations."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("cell", 101)
        for name, units, factor in ("clon", "degrees_east", 3.0), ("clat", "degrees_north", -0.5):
            made = file.createVariable(name, "f8", ("cell",))
            made.units = units
            made[:] = factor * numpy.arange(101) ** 0.5
        heat = file.createVariable("heat", "f4", ("cell",))
        heat.coordinates = "clat clon"
        heat[:] = numpy.arange(101)


def cells(path, _):
    with netCDF4.Dataset(path) as file:
        return [([file["clon"][:], file["clat"][:], numpy.zeros(101)], {"heat": file["heat"][:]})]


def labelled(path, step):
    with h5py.File(path) as file:
        x, y = numpy.meshgrid(file["scales/x"], file["scales/y"], indexing="ij")
        values = numpy.moveaxis(file["tasks/velocity"][step], 0, -1)
        return [([x, y, 0 * x], {"velocity": values.reshape(-1, 2)})]


def species(path, _):
    with h5py.File(path) as file:
        return [([group[letter][:] for letter in "xyz"], {name: group[name][:] for name in group})
                for group in (file["electrons"], file["ions"])]


def grids(path, _):
    with h5py.File(path) as file:
        return [(numpy.mgrid[0:8, 0:7, 0:5][::-1], {"b/x": file["b/x"][:]}),
                (numpy.mgrid[0:9, 0:6, 0:5][::-1], {"e/x": file["e/x"][:], "e/y": file["e/y"][:]})]


def md(path, step):
    with h5py.File(path) as file:
        group = file["particles/atoms"]
        return [(group["position/value"][step].T, {"force": group["force/value"][step], "mass": group["mass"][:]})]


def blocks(path, _):
    with h5py.File(path) as file:
        z, y, x = (numpy.concatenate(one) for one in zip(*(
            numpy.mgrid[0.5:2, 0.5:4, 4 * n + 0.25 : 4 * n + 4 : 0.5] for n in range(2)), strict=True))
        return [([x, y, z], {"cell dens": file["dens"][1:]})]


# Of each file: who writes it, who else reads it, what it is recognised as, its steps.
FORMATS = {
    "cf.nc": (write_cf, cf, "netCDF-4", [0, 6, 12]),
    "curvilinear.nc": (write_curvilinear, curvilinear, "netCDF-4", [0, 1]),
    "cells.nc": (write_cells, cells, "netCDF-4", []),
    "labelled.h5": (FILES["labelled.h5"], labelled, "dimension scales", [0.5, 0.75]),
    "md.h5": (FILES["md.h5"], md, "H5MD", [0.5, 2]),
    "blocks.h5": (FILES["blocks.h5"], blocks, "FLASH", []),
    "species.h5": (FILES["species.h5"], species, "points", []),
    "grids.h5": (FILES["grids.h5"], grids, "image", []),
    **CODES,
}


def rows(points, arrays):
    """A row for each point, in an order of their own; those that several ranks have, once."""
    columns = [numpy.stack([numpy.ravel(one) for one in points], 1)]
    names = sorted(arrays)
    columns += [numpy.reshape(arrays[name], (len(columns[0]), -1)) for name in names]
    return names, numpy.unique(numpy.round(numpy.hstack(columns).astype("f8"), 5), axis=0, equal_nan=False)


def same(one, other):
    return one.shape == other.shape and numpy.allclose(one, other, atol=2e-5, equal_nan=True)


def found(folder, file, step):
    """The parts of a file, by the names of their arrays: the rows of all ranks together."""
    parts = {}
    for path in sorted(folder.glob(f"{file}.{step}.*.npz")):
        with numpy.load(path) as data:
            arrays = {name[6:]: data[name] for name in data.files if name.startswith("array ")}
            if len(data["points"]):
                parts.setdefault(tuple(sorted(arrays)), []).append((data["points"], arrays))
    return {
        names: rows(numpy.concatenate([points for points, _ in pieces]).T,
                    {name: numpy.concatenate([arrays[name] for _, arrays in pieces]) for name in names})[1]
        for names, pieces in parts.items()
    }


def compare_values(folder, name, step, expected):
    """All ranks together have these parts of a file's step, of points and arrays."""
    parts = found(folder / "found", name, step)
    assert len(parts) == len(expected), (name, step, parts.keys())
    for points, arrays in expected:
        names, values = rows(points, arrays)
        assert same(parts[tuple(names)], values), (name, step, names, parts[tuple(names)], values)


def compare(folder, reports, names):
    """What all ranks have of these files, at their last and first steps, is what somebody else reads in them."""
    for name in names:
        _, read, recognised, steps = FORMATS[name]
        told, times = reports[0][name]
        assert told["ErrorText"] in ("", []) and told["RecognisedAs"] == recognised, (name, told)
        assert times == steps, name
        for step, index in {"last": len(steps) - 1, "first": 0}.items() if len(steps) > 1 else [("last", 0)]:
            compare_values(folder, name, step, read(folder / "files" / name, index))


def grid(values, spacing=(1, 1, 1), origin=(0, 0, 0)):
    """Points of values whose axes are x, y and z, and components, if there are any."""
    at = numpy.meshgrid(*[o + d * numpy.arange(n) for o, d, n in zip(origin, spacing, values.shape, strict=False)],
                        indexing="ij")
    return at, values.reshape(*at[0].shape, -1)


U = numpy.arange(24.0).reshape(2, 3, 4)
W = numpy.arange(720.0).reshape(3, 4, 5, 12)
F = numpy.arange(60.0).reshape(3, 4, 5)
FRAMES = {step: ("u", grid(F[index].transpose().reshape(5, 4, 1))) for step, index in (("last", 2), ("first", 0))}
# What is to be seen with each, at the last step and at the first.
OVERRIDDEN = {
    "order": {"last": ("u", grid(U, (0.5, 1, 2), (1, 2, 3)))},
    "cells": {"last": ("cell u", grid(U.transpose(), (2, 2, 2), (1, 1, 1)))},
    "components": {"last": ("rgb", grid(numpy.arange(90.0).reshape(5, 6, 1, 3).transpose(1, 0, 2, 3)))},
    "steps": {"last": ("w", grid(W[2].transpose())), "first": ("w", grid(W[0].transpose()))},
    "frames": FRAMES,
    "frames by order": FRAMES,
    "block": {"last": ("u", grid(F.transpose()))},
    "indices": {"last": ("u", grid(numpy.arange(20.0).reshape(4, 5).transpose().reshape(5, 4, 1)))},
    "recipe": {"last": ("wave", grid(U, (2, 2, 2), (1, 1, 1)))},
    "recipe file": {"last": ("wave", grid(U, (2, 2, 2), (1, 1, 1)))},
    "recipe and more": {"last": ("wave", grid(U, (3, 3, 3), (1, 1, 1)))},
}
ERRORS = {
    "zero": "plain.h5 cannot be shown as is set: the spacing \"0 1 1\" cannot be",
    "two": "the origin \"1 2\" has 2 numbers, and image needs 3",
    "twice": "the axis order \"zzx\" names z twice",
    "four": "no dataset of numbers with the 4 dimensions that the axis order names",
    "no time": "there is no number at \"@/Header/Time\" for the time",
    "no JSON": "the recipe that is set is no JSON",
    "no file": "none.recipe cannot be read",
    "another recipe": "the recipe for Mine is not for",
    "VTKHDF": "image.vtkhdf is VTKHDF, which defines its own geometry",
}


def check_overrides(folder, reports):
    """What is set is shown, on all ranks, and is no more guessed; what cannot be is an error, and no picture."""
    assert OVERRIDDEN.keys() == overrides.SHOWN.keys() and ERRORS.keys() == overrides.REFUSED.keys()
    for name, steps in OVERRIDDEN.items():
        told, times = reports[0][f"set {name}"]
        assert told["ErrorText"] in ("", []), (name, told)
        in_steps = {one: [0.5, 1, 2] for one in ("steps", "frames", "frames by order")}
        assert times == {**in_steps, "cells": [7.5], "block": [2]}.get(name, []), (name, times)
        for step, (array, (at, values)) in steps.items():
            names, expected = rows(at, {array: values})
            assert same(found(folder / "found", f"set {name}", step)[tuple(names)], expected), (name, step)
    (before, wide), (set_, narrow), (after, again) = reports[0]["lists"]
    assert wide == again == [0, 3, 0, 2, 0, 1] and narrow == [0, 1.5, 0, 1, 0, 0.5]
    assert before["Guesses"] == after["Guesses"] and before["SetByUser"] in ("", [])
    assert before["Guesses"][1::2] == ["Origin", "Spacing", "AxisOrder", "ValuesOf"], before
    assert set_["Guesses"][1::2] == ["Origin", "AxisOrder", "ValuesOf"], set_
    assert set_["SetByUser"] == ["Spacing 0.5", "Spacing"]
    assert before["LeftOut"] == ["/rest", "size 3 does not match the grid (2 x 3 x 4)"]
    assert before["RecognisedBecause"] == "its largest dataset is a 2 x 3 x 4 grid"
    for name, says in ERRORS.items():
        error, points = reports[0]["errors"][name]
        assert says in error and points == 0, (name, error, points)


@pytest.mark.parametrize("ranks", [1, 3])
def test_formats(bench, ranks):
    files = bench.folder / "files"
    files.mkdir()
    (bench.folder / "found").mkdir()
    for name, (write, *_) in FORMATS.items():
        write(files / name)
    (bench.folder / "overrides").mkdir()
    overrides.write(bench.folder / "overrides")
    bench.pvbatch("read_formats.py", ranks).wait()
    reports = bench.reports()
    # What was guessed, and what is left out, is said.
    told = {name: reports[0][name][0] for name in FORMATS}
    assert told["md.h5"]["RecognisedBecause"] == "the recipe for H5MD", told
    assert told["grids.h5"]["Guesses"][:4] == [
        "Origin 0 0 0", "Origin", "Spacing 1 1 1", "Spacing"], told
    assert told["species.h5"]["Guesses"][1::2] == ["ColumnX", "ColumnX"], told
    assert told["cf.nc"]["LeftOut"][:2] == ["/lon_bnds", "/lon names it in its bounds"], told
    assert len(told["cf.nc"]["LeftOut"]) == 6, told
    compare(bench.folder, reports, FORMATS)
    # Coarse cells are not drawn below fine ones: the plane has as many faces as cells are visible, 8 x 8 + 2 * 8 x 4
    # - 6 x 4 + 12 x 8 of them, and the domain the size that it has.
    assert reports[0]["amrex.h5 drawn"] == [200, [pytest.approx(16 * 0.25 * 8 * 0.5)]], reports[0]["amrex.h5 drawn"]
    assert reports[0]["chombo.h5 drawn"][1] == [pytest.approx(12 * 6 * 4 * 0.5**3)], reports[0]["chombo.h5 drawn"]
    check_overrides(bench.folder, reports)


@pytest.mark.parametrize("ranks", [1, 3])
def test_live(bench, ranks):
    """The same from the hosts' memory: nothing of it is on disk."""
    for folder in "files", "found", "live":
        (bench.folder / folder).mkdir()
    viewer = bench.pvbatch("read_formats.py", ranks, DSM_TEST_LIVE=1)
    viewer.wait_for_file(bench.folder / "run.dsm")
    program = [sys.executable, HERE / "scripts" / "format_files.py"]
    bench.simulation(bench.folder / "run.dsm", 1, None, program=[*program, bench.folder / "live"]).wait()
    viewer.wait()
    assert not any(map(on_disk, (bench.folder / "live").iterdir()))
    for name, write in FILES.items():
        write(bench.folder / "files" / name)
    compare(bench.folder, bench.reports(), FILES)

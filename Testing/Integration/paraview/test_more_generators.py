# SPDX-License-Identifier: BSD-3-Clause
"""Files that the formats' own libraries and simulations write, live, on 1 and 3 ranks, against what somebody else reads
on disk: what takes long to install or to run."""

import subprocess
import sys
import warnings

import h5py
import netCDF4
import numpy
from generated import GENERATORS as SCRIPTS
from generated import File, Generator, Part, grid, python, show

from conftest import HERE

ENVIRONMENT = HERE.parents[1] / "Environment"


def folder_of(script):
    found = subprocess.run([ENVIRONMENT / script, "find"], check=True, capture_output=True, text=True, timeout=20)
    return found.stdout.strip()


OPENPMD, PYPI, DEDALUS = folder_of("openpmd.sh"), folder_of("generators.sh"), folder_of("dedalus.sh")


def weather(path, step):
    """By netCDF4."""
    with netCDF4.Dataset(path) as file:
        lon, lat = file["lon"][:].ravel(), file["lat"][:].ravel()
        flat = numpy.stack([lon, lat, 0 * lon], 1)
        high = numpy.concatenate([flat + numpy.array([0, 0, height]) for height in file["height"][:]])
        return [Part(high, {"wind": file["wind"][step]}), Part(flat, {"rain": file["rain"][step]})]


def section(path, _):
    with netCDF4.Dataset(path) as file:
        z, x = file["z"][:], file["x"][:]
        return [Part(grid(z, [0], x)[:, ::-1], {"u": file["u"][:]})]


def opened(path):
    """Of a folder with one file for each iteration, or of one file with all of them."""
    from openpmd_viewer import OpenPMDTimeSeries

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return OpenPMDTimeSeries(str(path.parent), check_all_files=False, backend="h5py")


def on_axes(axes):
    """Points for axes by name, in their order."""
    made = dict(zip(axes, numpy.meshgrid(*axes.values(), indexing="ij"), strict=True))
    return numpy.stack([made[axis].ravel() if axis in axes else numpy.zeros(made[next(iter(made))].size)
                        for axis in "xyz"], 1)


def volume(seen, iteration, name, component=None):
    """A component of a mesh, and where it lies."""
    values, about = seen.get_field(name, component, iteration=iteration)
    return on_axes({axis: getattr(about, axis) for axis in about.axes.values()}), values.ravel()


def mode(seen, iteration, name, component=None):
    """The average around the axis, which is shown over x and z."""
    values, about = seen.get_field(name, component, iteration=iteration, m=0, theta=0.0)
    outside = about.r > 0
    return on_axes({"x": about.r[outside], "z": about.z}), values[outside].ravel()


def electrons(seen, path, iteration):
    """Places by openPMD-viewer; other records as the standard says: each number times unitSI."""
    with h5py.File(path) as file:
        group = file[f"data/{iteration}/particles/electrons"]

        def record(at):
            at = group[at]
            return (at[:] if isinstance(at, h5py.Dataset) else at.attrs["value"]) * at.attrs["unitSI"]

        places = seen.get_particle(["x", "y", "z"], species="electrons", iteration=iteration)
        values = {"momentum": numpy.stack([record(f"momentum/{axis}") for axis in "xyz"], 1)}
        for name in set(group) - {"momentum", "position", "positionOffset", "particlePatches"}:
            values[name] = numpy.broadcast_to(record(name), len(places[0]))
        return Part(numpy.stack(places, 1), values)


def beam(path, step):
    seen, iteration = opened(path), 10 * step
    parts = [electrons(seen, path, iteration)]
    for name, component in ("E", "x"), ("E", "y"), ("E", "z"), ("rho", None):
        points, values = volume(seen, iteration, name, component)
        parts.append(Part(points, {f"{name}_{component}" if component else name: values}))
    return parts


def modes(path, _):
    seen = opened(path)
    points, _ = mode(seen, 7, "B", "r")
    return [Part(points, {"B": numpy.stack([mode(seen, 7, "B", one)[1] for one in "rtz"], 1)})]


def wakefield(path, _):
    seen, iteration = opened(path), 2
    points, rho = mode(seen, iteration, "rho")
    vectors = {name: numpy.stack([mode(seen, iteration, name, one)[1] for one in "rtz"], 1) for name in "EBJ"}
    return [electrons(seen, path, iteration), Part(points, {"rho": rho, **vectors})]


def md_by_mdanalysis(path, step):
    """Positions of a frame, by MDAnalysis' own reader."""
    import MDAnalysis

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        atoms = h5py.File(path)["particles/trajectory/position/value"].shape[1]
        universe = MDAnalysis.Universe.empty(atoms)
        universe.load_new(str(path), format="H5MD", convert_units=False)
        frame = universe.trajectory[step]
        made = Part(frame.positions.copy(), {"velocity": frame.velocities.copy(), "force": frame.forces.copy()})
        universe.trajectory.close()
    return [made]


def walkers(path, step):
    import pyh5md

    with pyh5md.File(str(path), "r") as file:
        atoms = file.particles_group("atoms")
        return [Part(pyh5md.element(atoms, "position").value[step],
                     {"velocity": pyh5md.element(atoms, "velocity").value[step],
                      "mass": pyh5md.element(atoms, "mass").value[:]})]


def melt(path, step):
    with h5py.File(path) as file:
        group = file["particles/all"]
        names = ("image", "velocity", "force", "species")
        return [Part(group["position/value"][step], {name: group[name]["value"][step] for name in names})]


def galaxy(path, _):
    with h5py.File(path) as file:
        kinds = (file[f"PartType{number}"] for number in (0, 1, 4))
        # It gives some a second name, by a link.
        names = {kind: [name for name in kind if name != "Coordinates"
                        and isinstance(kind.get(name, getlink=True), h5py.HardLink)] for kind in kinds}
        return [Part(kind["Coordinates"][:], {name: kind[name][:] for name in some}) for kind, some in names.items()]


def meep(path, step):
    """Its first dimension is x, its last, where it is appended to, time."""
    with h5py.File(path) as file:
        ((name, dataset),) = file.items()
        values = dataset[..., step] if dataset.maxshape[-1] is None else dataset[:]
        return [Part(grid(*map(numpy.arange, values.shape), [0]), {name: values})]


def convection(path, step):
    """By h5py, as Dedalus' own scripts for pictures do: coordinates are the scales of a task's dimensions."""
    with h5py.File(path) as file:
        tasks = file["tasks"]

        def places(name):
            task = tasks[name]
            along = {dimension.label: dimension[0][:] for dimension in list(task.dims)[-2:]}
            return grid(along.get("x", [0]), [0], along["z"])

        velocity = tasks["velocity"][step].reshape(2, -1)
        # Along y there is nothing: the third direction of a flow in the plane of x and z.
        velocity = numpy.stack([velocity[0], 0 * velocity[0], velocity[1]], 1)
        parts = [Part(places("buoyancy"), {"buoyancy": tasks["buoyancy"][step].ravel(), "velocity": velocity})]
        parts += [Part(places(name), {name: tasks[name][step].ravel()}) for name in ("vorticity", "profile")]
        waves = tasks["waves"][step]
        return [*parts, Part(grid(numpy.arange(waves.shape[0]), [0], numpy.arange(waves.shape[1])),
                             {"waves": waves.ravel()})]


sys.path += [OPENPMD, PYPI]
SEARCHED = {"PYTHONPATH": f"{OPENPMD}:{PYPI}"}
GENERATORS = {
    "xarray": Generator(
        python("xarray_weather"),
        [File("weather.nc", "netCDF-4", weather, [0, 6]), File("section.h5", "netCDF-4", section, time=2.5)],
        needs="import xarray",
    ),
    # Each in a folder of its own: the viewer takes all files of a folder for one run's.
    "openPMD": Generator(
        python("openpmd_beam"),
        [File("beam.h5", "openPMD", beam, [0, 5e-15]), File("modes.h5", "openPMD", modes, time=3.5)],
        needs="import openpmd_api", environment=SEARCHED,
    ),
    "FBPIC": Generator(
        python("fbpic_wakefield"), [File("data00000002.h5", "openPMD", wakefield, time=3.2e-15)],
        needs="import fbpic, numba", environment=SEARCHED,
    ),
    "Dedalus": Generator(
        python("dedalus_convection"),
        [File(f"{way}_s1.h5", "dimension scales", convection, [0, 0.1, 0.2]) for way in ("virtual", "mpio", "gather")],
        needs="import numexpr, importlib.util; assert importlib.util.find_spec('dedalus')",
        ranks=2, environment={"PYTHONPATH": DEDALUS, "OMP_NUM_THREADS": "1"},
    ),
    "MDAnalysis": Generator(
        python("mdanalysis_h5md"), [File("trajectory.h5md", "H5MD", md_by_mdanalysis, [0, 0.5, 1])],
        needs="import MDAnalysis",
    ),
    "pyh5md": Generator(
        python("pyh5md_walkers"), [File("walkers.h5", "H5MD", walkers, [0, 0.25, 0.5, 0.75])],
        needs="import pyh5md", environment=SEARCHED,
    ),
    "meep": Generator(
        python("meep_waveguide"),
        [File("wg-eps-000000.00.h5", "Meep", meep),
         File("wg-ex-000002.00.h5", "Meep", meep),
         File("wg-ey-000004.00.h5", "Meep", meep),
         File("wg-ez.h5", "Meep", meep, [0, 1, 2, 3])],
        ranks=2,
    ),
    "LAMMPS": Generator(
        ["lmp", "-in", SCRIPTS / "lammps_melt.in", "-log", "none", "-var", "folder"],
        [File("melt.h5", "H5MD", melt, [0, 0.1, 0.2, 0.3])],
        needs="import shutil; assert shutil.which('lmp')", ranks=1,
    ),
    "swiftsimio": Generator(
        python("swift_galaxy"), [File("galaxy_0012.hdf5", "Gadget", galaxy, time=2.5)],
        needs="import swiftsimio", environment=SEARCHED,
    ),
}


def test_more_generators(bench):
    show(bench, GENERATORS)

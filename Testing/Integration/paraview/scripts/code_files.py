# SPDX-License-Identifier: BSD-3-Clause
"""Files of simulation codes, written by h5py in the layout that each code's writer has, and what is to be seen of them,
by numpy alone. CODES has of each: who writes it, who reads it, what it is recognised as, its times."""

import h5py
import numpy


def values(seed, *shape):
    return numpy.random.default_rng(seed).random(shape)


def middles(*edges):
    """The middles of cells between edges along x, y, z: x fastest."""
    x, y, z = ((numpy.asarray(one)[1:] + numpy.asarray(one)[:-1]) / 2 if len(one) > 1 else one for one in edges)
    return [numpy.broadcast_to(one, (len(z), len(y), len(x)))
            for one in (x, numpy.reshape(y, (-1, 1)), numpy.reshape(z, (-1, 1, 1)))]


def joined(parts):
    """Several of (x, y, z), arrays as one."""
    points = [numpy.concatenate([numpy.ravel(part[0][axis]) for part in parts]) for axis in range(3)]
    return points, {name: numpy.concatenate([numpy.ravel(part[1][name]) for part in parts]) for name in parts[0][1]}


# Chombo, GRChombo, AMReX

BOX = {axes: numpy.dtype([(f"{end}_{letter}", "i4") for end in ("lo", "hi") for letter in "ijk"[:axes]])
       for axes in (2, 3)}
CHOMBO = [  # the boxes of each level: low, high; and how much finer the next level is
    ([((0, 0, 0), (7, 5, 3)), ((8, 0, 0), (11, 5, 3))], 2),
    ([((4, 2, 2), (11, 7, 5)), ((16, 4, 0), (19, 7, 3))], 4),
    ([((24, 12, 12), (31, 19, 15))], 1),
]
AMREX = [([((0, 0), (7, 7)), ((8, 0), (15, 3)), ((8, 4), (15, 7))], 2), ([((10, 2), (21, 9))], 1)]
GHOSTS = (1, 2, 0)


def box_values(level, number, low, high, ghosts, components):
    """x fastest: the array's dimensions are components, z, y, x."""
    shape = [b - a + 1 + 2 * g for a, b, g in zip(low, high, ghosts, strict=False)][::-1]
    return values(100 * level + number, components, *shape)


def write_levels(file, levels, ghosts, names, spacing, apart):
    """apart: a dataset for each component, as AMReX writes unless it is told otherwise."""
    for number, (boxes, ratio) in enumerate(levels):
        group = file.create_group(f"level_{number}")
        axes = len(boxes[0][0])
        group.attrs["ref_ratio"], group.attrs["dx"] = numpy.int32(ratio), spacing[0]
        if axes == 2:
            group.attrs["Vec_dx"], group.attrs["prob_lo"] = spacing[:2], [-1.0, 2.0]
        group["boxes"] = numpy.array([(*low, *high) for low, high in boxes], BOX[axes])
        blocks = [box_values(number, index, *box, ghosts, len(names)) for index, box in enumerate(boxes)]
        share = len(names) if apart else 1
        group["data:offsets=0"] = numpy.cumsum([0, *(block.size // share for block in blocks)])
        lists = zip(*blocks, strict=True) if apart else [blocks]
        for index, one in enumerate(lists):
            group[f"data:datatype={index}"] = numpy.concatenate([numpy.ravel(block) for block in one])
        if any(ghosts):
            attributes = group.create_group("data_attributes").attrs
            attributes["outputGhost"] = numpy.array(ghosts, [(f"intvect{letter}", "i4") for letter in "ijk"])
            attributes["objectType"] = numpy.bytes_("FArrayBox")
        spacing = [one / ratio for one in spacing]


def read_levels(levels, ghosts, names, spacing, low):
    """All cells that no finer level has."""
    parts = []
    for number, (boxes, ratio) in enumerate(levels):
        finer = levels[number + 1][0] if number + 1 < len(levels) else []
        for index, (first, last) in enumerate(boxes):
            axes = len(first)
            block = box_values(number, index, first, last, ghosts, len(names))
            inner = tuple(slice(g, size - g) for g, size in zip(ghosts[:axes][::-1], block.shape[1:], strict=True))
            edges = [low[axis] + spacing[axis] * numpy.arange(first[axis], last[axis] + 2) for axis in range(axes)]
            points = middles(*edges, *[[0.0]] * (3 - axes))
            shown = numpy.ones([b - a + 1 for a, b in zip(first, last, strict=True)][::-1], bool)
            for fine_first, fine_last in finer:
                begin = [max(0, fine_first[axis] // ratio - first[axis]) for axis in range(axes)][::-1]
                end = [max(0, fine_last[axis] // ratio + 1 - first[axis]) for axis in range(axes)][::-1]
                shown[tuple(map(slice, begin, end))] = False
            keep = shown.reshape(points[0].shape)
            arrays = {f"cell {name}": block[(component, *inner)].reshape(keep.shape)[keep]
                      for component, name in enumerate(names)}
            parts.append(([one[keep] for one in points], arrays))
        spacing = [one / ratio for one in spacing]
    return [joined(parts)]


def write_chombo(path):
    """Three dimensions, three levels, ghost cells in the file, all components in one list."""
    with h5py.File(path, "w") as file:
        file.create_group("Chombo_global").attrs["SpaceDim"] = numpy.int32(3)
        file.attrs.update({"num_components": numpy.int32(2), "num_levels": numpy.int32(3), "time": 1.25,
                           "component_0": numpy.bytes_("chi"), "component_1": numpy.bytes_("phi")})
        write_levels(file, CHOMBO, GHOSTS, ["chi", "phi"], [0.5] * 3, False)


def chombo(_path, _step):
    return read_levels(CHOMBO, GHOSTS, ["chi", "phi"], [0.5] * 3, [0.0] * 3)


def write_amrex(path):
    """Two dimensions, a dataset for each component, cells that are not square, a domain that begins elsewhere."""
    with h5py.File(path, "w") as file:
        file.create_group("Chombo_global").attrs["SpaceDim"] = numpy.array([2], "i4")
        file.attrs.update({"num_components": numpy.array([2], "i4"), "time": numpy.array([0.75]),
                           "plotfile_type": numpy.bytes_("VanillaHDF5"),
                           "component_0": numpy.bytes_("density"), "component_1": numpy.bytes_("x_velocity")})
        write_levels(file, AMREX, (0, 0), ["density", "x_velocity"], [0.25, 0.5], True)


def amrex(_path, _step):
    return read_levels(AMREX, (0, 0), ["density", "x_velocity"], [0.25, 0.5], [-1.0, 2.0])


# Parthenon

def parthenon_edges(blocks, counts, ghosts):
    """Of block b along x, y, z, with ghost cells."""
    return [[b * n * 0.5 + 0.5 * numpy.arange(-g, n + g + 1) if axis == 0 else 0.25 * numpy.arange(-g, n + g + 1)
             for axis, (n, g) in enumerate(zip(counts, ghosts, strict=True))] for b in range(blocks)]


def write_parthenon(path):
    """Two blocks with ghost cells in the plane; a vector, named components, values of points and of faces, a swarm."""
    blocks, counts, ghosts = 2, (4, 3, 1), (2, 2, 0)
    edges = parthenon_edges(blocks, counts, ghosts)
    nx, ny, nz = (n + 2 * g for n, g in zip(counts, ghosts, strict=True))
    with h5py.File(path, "w") as file:
        text = h5py.string_dtype()
        names = ["prim_rho", "prim_u", "b_0", "b_1", "b_2", "phi", "psi", "face"]
        file.create_group("Info").attrs.update({
            "OutputFormatVersion": numpy.int32(4), "Time": 2.5, "NumMeshBlocks": numpy.int32(blocks),
            "IncludesGhost": numpy.int32(1), "NGhost": numpy.int32(2), "Coordinates": "UniformCartesian",
            "NumComponents": numpy.array([3, 1, 1, 2, 1], "u8"),
            "OutputDatasetNames": numpy.array(["b", "face", "phi", "prim", "psi"], text),
            "ComponentNames": numpy.array([*names[2:5], "face", "phi", *names[:2], "psi"], text)})
        for axis, letter in enumerate("xyz"):
            file[f"Locations/{letter}"] = [edges[b][axis] for b in range(blocks)]
            file[f"VolumeLocations/{letter}"] = [edges[b][axis][1:] for b in range(blocks)]
        file["Levels"] = numpy.array([1, 1], "i8")
        for name, shape, where in (("b", (3, nz, ny, nx), "Cell"), ("prim", (2, nz, ny, nx), "Cell"),
                                   ("psi", (nz, ny, nx), "Cell"), ("phi", (1, ny + 1, nx + 1), "Node"),
                                   ("face", (3, nz, ny + 1, nx + 1), "Face")):
            file[name] = values(len(name) + len(shape), blocks, *shape)
            file[name].attrs["TopologicalLocation"] = numpy.bytes_(where)
        for axis, letter in enumerate("xyz"):
            file[f"tracers/SwarmVars/swarm.{letter}"] = values(axis, 31)
        file["tracers/SwarmVars/v"], file["tracers/SwarmVars/id"] = values(9, 3, 31), numpy.arange(31)
        file["tracers/counts"], file["tracers/offsets"] = [20, 11], [0, 20]


def parthenon(path, _):
    parts = []
    with h5py.File(path) as file:
        for b, edges in enumerate(parthenon_edges(2, (4, 3, 1), (2, 2, 0))):
            at = middles(edges[0][2:-2], edges[1][2:-2], edges[2])
            arrays = {"cell psi": file["psi"][b, :, 2:-2, 2:-2]}
            arrays |= {f"cell prim_{name}": file["prim"][b, n, :, 2:-2, 2:-2] for n, name in enumerate(("rho", "u"))}
            arrays |= {f"b{n}": file["b"][b, n, :, 2:-2, 2:-2] for n in range(3)}
            parts.append((at, arrays))
        points, arrays = joined(parts)
        arrays["cell b"] = numpy.stack([arrays.pop(f"b{n}") for n in range(3)], 1)
        swarm = file["tracers/SwarmVars"]
        return [(points, arrays), ([swarm[f"swarm.{letter}"][:] for letter in "xyz"],
                                   {"v": swarm["v"][:].T, "id": swarm["id"][:]})]


# Cactus with Carpet: of each level, where its components begin and how many points they have; they overlap.

CARPET = [(1.0, [((0, 0, 0), (7, 6, 5)), ((4, 0, 0), (6, 6, 5))]), (0.5, [((2.0, 1.0, 1.0), (9, 5, 5))])]


def carpet_pieces(iteration):
    for level, (delta, components) in enumerate(CARPET):
        for number, (origin, counts) in enumerate(components):
            x, y, z = (numpy.float64(origin[axis]) + delta * numpy.arange(counts[axis]) for axis in range(3))
            at = [numpy.broadcast_to(one, counts[::-1]) for one in
                  (x, y.reshape(-1, 1), z.reshape(-1, 1, 1))]
            # The same where components overlap.
            alp = numpy.sin(at[0] + iteration) + at[1] * at[2] + level
            yield level, number, delta, origin, at, {"alp": alp, "gxx": 2 * alp}


def write_carpet(path):
    with h5py.File(path, "w") as file:
        file.create_group("Parameters and Global Attributes")["All Parameters"] = "text"
        for iteration in (0, 8):
            for level, number, delta, origin, _, arrays in carpet_pieces(iteration):
                component = f" c={number}" if level == 0 else ""
                for name, data in arrays.items():
                    made = file.create_dataset(f"ADMBASE::{name} it={iteration} tl=0 rl={level}{component}", data=data)
                    made.attrs.update({"level": numpy.int32(level), "timestep": numpy.int32(iteration),
                                       "time": iteration / 4, "origin": numpy.array(origin, "f8"),
                                       "delta": [delta] * 3, "cctk_nghostzones": numpy.array([1, 1, 1], "i4"),
                                       "name": numpy.bytes_("ADMBASE::" + name)})


def carpet(_path, step):
    """The points of cells that are shown: not those of the coarse level's which the fine level has."""
    parts = []
    for level, number, _, _, at, arrays in carpet_pieces((0, 8)[step]):
        nz, ny, nx = at[0].shape
        shown = numpy.ones((nz - 1, ny - 1, nx - 1), bool)
        if level == 0:
            x = slice(2, 6) if number == 0 else slice(0, 2)
            shown[1:3, 1:3, x] = False  # the fine level is at 2 to 6, 1 to 3, 1 to 3
        if (level, number) == (0, 1):
            shown[:, :, :2] = False  # component 0 has them
        used = numpy.zeros(at[0].shape, bool)
        for z in (0, 1):
            for y in (0, 1):
                for x in (0, 1):
                    used[z : nz - 1 + z, y : ny - 1 + y, x : nx - 1 + x] |= shown
        parts.append(([one[used] for one in at], {name: one[used] for name, one in arrays.items()}))
    return [joined(parts)]


# OSIRIS

def write_osiris(path):
    with h5py.File(path, "w") as file:
        file.attrs.update({"NAME": numpy.array(["e1"], "S256"), "TYPE": numpy.array(["grid"], "S4"), "TIME": [12.5],
                           "ITER": numpy.array([250], "i4"), "TIME UNITS": numpy.array(["1 / \\omega_p"], "S256")})
        file["AXIS/AXIS1"], file["AXIS/AXIS2"] = [-1.0, 3.0], [10.0, 12.5]
        file["e1"] = values(1, 5, 8).astype("f4")


def osiris(path, _):
    with h5py.File(path) as file:
        at = middles(numpy.linspace(-1, 3, 9), numpy.linspace(10, 12.5, 6), [0.0])
        return [(at, {"cell e1": file["e1"][:]})]


def write_osiris_raw(path):
    """The particles of a run in two dimensions."""
    with h5py.File(path, "w") as file:
        file.attrs.update({"NAME": numpy.array(["electrons"], "S256"), "TYPE": numpy.array(["particles"], "S9"),
                           "TIME": [12.5]})
        for seed, name in enumerate(("x1", "x2", "p1", "p2", "p3", "q", "ene")):
            file[name] = values(seed, 40).astype("f4")
        file["tag"] = numpy.arange(80, dtype="i4").reshape(40, 2)


def osiris_raw(path, _):
    with h5py.File(path) as file:
        arrays = {name: file[name][:] for name in file if name[0] != "x"}
        return [([file["x1"][:], file["x2"][:], numpy.zeros(40)], arrays)]


# PLUTO, PFLOTRAN: each dimension as long as the others, so that only the format says which is which

def write_pluto(path):
    """Polar coordinates in the plane, as points in x and y."""
    with h5py.File(path, "w") as file:
        step = file.create_group("Timestep_3")
        step.attrs["Time"] = 1.5
        step["vars/rho"], step["vars/vx1"] = values(1, 4, 4), values(2, 4, 4)
        step["stag_vars/bx1s"] = values(3, 4, 5)
        for name, offset, count in ("node", 0, 5), ("cell", 0.5, 4):
            phi, r = numpy.meshgrid(0.25 * (numpy.arange(count) + offset), 1 + numpy.arange(count) + offset,
                                    indexing="ij")
            group = file.create_group(f"{name}_coords")
            group["X"], group["Y"] = (r * numpy.cos(phi)).astype("f4"), (r * numpy.sin(phi)).astype("f4")
            group["Z"] = numpy.zeros((count, count), "f4")


def corners(points):
    """The middles of the bounds of cells of a structured grid in the plane."""
    four = numpy.stack([points[a : a - 1 or None, b : b - 1 or None] for a in (0, 1) for b in (0, 1)])
    return (four.min(0) + four.max(0)) / 2


def pluto(path, _):
    with h5py.File(path) as file:
        x, y = (corners(file[f"node_coords/{letter}"][:].astype("f8")) for letter in "XY")
        return [([x, y, 0 * x], {f"cell {name}": one[:] for name, one in file["Timestep_3/vars"].items()})]


def write_pflotran(path):
    with h5py.File(path, "w") as file:
        for axis, letter in enumerate("XYZ"):
            file[f"Coordinates/{letter} [m]"] = numpy.array([0.0, 1, 3, 6]) * (axis + 1)
        for step, name in enumerate(("Time:  0.00000E+00 y", "Time:  2.50000E+00 y", "Time:  1.00000E+01 y")):
            file[f"{name}/Liquid_Pressure [Pa]"] = values(step, 3, 3, 3)
            file[f"{name}/Material_ID"] = numpy.arange(27, dtype="i4").reshape(3, 3, 3)
        file.create_group("Provenance/PFLOTRAN")["pflotran_status"] = "text"


def pflotran(path, step):
    with h5py.File(path) as file:
        steps = sorted((name for name in file if name.startswith("Time:")), key=lambda one: float(one[5:-1]))
        group = file[steps[step]]
        at = middles(*(file[f"Coordinates/{letter} [m]"][:] for letter in "XYZ"))
        return [(at, {f"cell {name}": one[:].T for name, one in group.items()})]


# H5hut

def write_h5hut(path):
    """Particles, and fields on a grid of their own."""
    with h5py.File(path, "w") as file:
        for step in (0, 9, 10):
            group = file.create_group(f"Step#{step}")
            group.attrs["TimeValue"] = step / 4
            for seed, name in enumerate(("x", "y", "z", "px", "py", "pz", "q")):
                group[name] = values(10 * step + seed, 50)
            group["id"] = numpy.arange(50)
            for name, components in ("phi", 1), ("E", 3):
                field = group.create_group(f"Block/{name}")
                field.attrs["__Origin__"], field.attrs["__Spacing__"] = [1.0, 2, 3], [0.5, 0.25, 2]
                for component in range(components):
                    field[str(component)] = values(step + component + components, 3, 3, 3)


def h5hut(path, step):
    with h5py.File(path) as file:
        group = file[("Step#0", "Step#9", "Step#10")[step]]
        z, y, x = numpy.mgrid[0:3, 0:3, 0:3]
        fields = {"phi": group["Block/phi/0"][:],
                  "E": numpy.stack([group[f"Block/E/{n}"][:].ravel() for n in range(3)], 1)}
        particles = {name: group[name][:] for name in ("q", "id")}
        particles["p"] = numpy.stack([group[f"p{letter}"][:] for letter in "xyz"], 1)
        return [([group[letter][:] for letter in "xyz"], particles), ([1 + x / 2, 2 + y / 4, 3 + 2 * z], fields)]


# Meep: x is the slowest, appended steps are the fastest, and nothing says so

def write_meep(path):
    with h5py.File(path, "w") as file:
        file["ez"] = values(1, 4, 4, 4)


def meep(path, _):
    with h5py.File(path) as file:
        return [(numpy.mgrid[0:4, 0:4, 0:4], {"ez": file["ez"][:]})]


def write_meep_steps(path):
    with h5py.File(path, "w") as file:
        for name in ("hz.r", "hz.i"):
            file.create_dataset(name, data=values(len(name) + ord(name[-1]), 5, 5, 3), maxshape=(5, 5, None))


def meep_steps(path, step):
    with h5py.File(path) as file:
        parts = numpy.stack([file[name][..., step].ravel() for name in ("hz.r", "hz.i")], 1)
        x, y = numpy.mgrid[0:5, 0:5]
        return [([x, y, 0 * x], {"hz": parts})]


CODES = {
    "chombo.h5": (write_chombo, chombo, "Chombo", [1.25]),
    "amrex.h5": (write_amrex, amrex, "AMReX", [0.75]),
    "parthenon.phdf": (write_parthenon, parthenon, "Parthenon", [2.5]),
    "carpet.h5": (write_carpet, carpet, "Carpet", [0, 2]),
    "osiris.h5": (write_osiris, osiris, "OSIRIS", [12.5]),
    "raw.h5": (write_osiris_raw, osiris_raw, "OSIRIS", [12.5]),
    "pluto.h5": (write_pluto, pluto, "PLUTO", [1.5]),
    "pflotran.h5": (write_pflotran, pflotran, "PFLOTRAN", [0, 2.5, 10]),
    "wave-ez-000009.00.h5": (write_meep, meep, "Meep", [9]),
    "wave-h.h5": (write_meep_steps, meep_steps, "Meep", [0, 1, 2]),
    "h5hut.h5": (write_h5hut, h5hut, "H5hut", [0, 2.25, 2.5]),
}

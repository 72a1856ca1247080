# SPDX-License-Identifier: BSD-3-Clause
"""Writes files in the layouts of libraries and codes: shown_files.py FOLDER WHICH (files, "HDF5 2" or
later)."""

import contextlib
import ctypes
import ctypes.util
import pathlib
import sys

import h5py
import numpy

TETRAHEDRA = numpy.array([[0, 1, 2, 3], [1, 2, 3, 4]])
CORNERS = numpy.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], "f8")
IMAGE = {"WholeExtent": (0, 4, 0, 3, 0, 2), "Origin": (0.0, 0, 0), "Spacing": (1.0, 1, 1),
         "Direction": (1.0, 0, 0, 0, 1, 0, 0, 0, 1)}


def new(path):
    return h5py.File(path, "w")


def write_lzf(group, name, data, **attributes):
    """Compresses by a filter that h5py has and ParaView lacks."""
    group.create_dataset(name, data=data, compression="lzf").attrs.update(attributes)


def write_plain(group, name, data, **attributes):
    group[name] = data
    group[name].attrs.update(attributes)


# Tables


def write_index(group, column):
    """Writes PyTables' index of a column, which is larger than the table."""
    group[f"{column}/sortedLR"], group[f"{column}/indicesLR"] = numpy.arange(300.0), numpy.arange(256, dtype="u4")


def write_pytables(path):
    with new(path) as file:
        file.attrs["PYTABLES_FORMAT_VERSION"] = numpy.bytes_("2.1")
        rows = numpy.zeros(7, [("energy", "f8"), ("n", "i4"), ("place", "f8", (3,)), ("name", "S4")])
        rows["energy"], rows["n"], rows["place"] = numpy.arange(7) / 2, range(7), numpy.arange(21).reshape(7, 3)
        file["detector/hits"] = rows
        file["detector/hits"].attrs["CLASS"] = numpy.bytes_("TABLE")
        write_index(file.create_group("detector/_i_hits"), "energy")


def write_pandas(path, write=write_plain):
    """Writes two frames as HDFStore.append does: the names of columns in a block are a pickled list."""
    with new(path) as file:
        file.attrs["PYTABLES_FORMAT_VERSION"] = numpy.bytes_("2.1")
        for name, count in ("run", 11), ("short", 3):
            group = file.create_group(name)
            group.attrs["pandas_type"] = numpy.bytes_("frame_table")
            rows = numpy.zeros(count, [("index", "i8"), ("values_block_0", "f8", (2,)), ("a", "i8")])
            rows["index"], rows["a"] = 100 + numpy.arange(count), 3 * numpy.arange(count)
            rows["values_block_0"] = numpy.stack([numpy.arange(count) / 2, numpy.arange(count) / 4], 1)
            write(group, "table", rows, values_block_0_kind=numpy.bytes_("(lp0\nVb\np1\naVc\np2\na."))
            write_index(group.create_group("_i_table"), "a")


# AMReX and Chombo

def write_amrex_particles(path, write=write_plain):
    """Writes two levels of particles with two real numbers, of which the first has a name, and a whole one."""
    with new(path) as file:
        file.attrs["version_name"] = "Version_Two_Dot_Zero_double"
        file.attrs.update({name: numpy.array([value], "i4") for name, value in {
            "num_component": 3, "num_component_real": 2, "num_component_int": 1, "nparticles": 7,
            "finest_level": 1}.items()})
        file.attrs["real_component_3"], file.attrs["int_component_2"] = numpy.bytes_("mass"), numpy.bytes_("kind")
        file.create_group("Chombo_global").attrs["SpaceDim"] = numpy.array([3], "i4")
        for level, count in (0, 4), (1, 3):
            group = file.create_group(f"level_{level}")
            group["boxes"] = numpy.zeros(1, [(f"{end}_{axis}", "i4") for end in ("lo", "hi") for axis in "ijk"])
            group["nparticles_grid"] = numpy.array([count], "i4")
            write(group, "data:datatype=0", numpy.arange(3 * count, dtype="i4") + 100 * level)
            write(group, "data:datatype=1", numpy.arange(5.0 * count) / 2 + 100 * level)


def write_chombo(path, write=write_plain):
    with new(path) as file:
        file.create_group("Chombo_global").attrs["SpaceDim"] = numpy.int32(2)
        file.attrs.update({"num_components": numpy.int32(1), "num_levels": numpy.int32(1),
                           "component_0": numpy.bytes_("chi")})
        group = file.create_group("level_0")
        group.attrs.update({"dx": 1.0, "ref_ratio": 2})
        group["boxes"] = numpy.array([(0, 0, 1, 1)], [(name, "i4") for name in ("lo_i", "lo_j", "hi_i", "hi_j")])
        group["data:offsets=0"] = [0, 4]
        write(group, "data:datatype=0", numpy.arange(4.0))


# PETSc

def write_plex(path):
    """Writes a DMPlex of two quadrilaterals, with fields of its vertices and cells in three steps."""
    with new(path) as file:
        file["geometry/vertices"] = numpy.array([(0, 0), (1, 0), (3, 0), (0, 2), (1, 2), (3, 2)], "f8")
        file["topology/cells"], file["topology/cones"] = numpy.arange(9.0)[:, None], numpy.arange(15)[:, None]
        file["viz/topology/cells"] = numpy.array([(0, 1, 4, 3), (1, 2, 5, 4)], "i4")
        for name in "topology/cells", "viz/topology/cells":
            file[name].attrs["cell_dim"] = numpy.int32(2)
        file["labels/marker/1/indices"] = numpy.arange(4)[:, None]
        for name, count in ("vertex_fields/temp", 6), ("cell_fields/rank", 2):
            file[name] = 100.0 * numpy.arange(3)[:, None] + numpy.arange(count)
            file[name].attrs["timestepping"] = numpy.int32(1)
        file["time"] = numpy.array([[0.0], [0.5], [1.5]])


def write_vec(path):
    """Writes vectors of a DMDA in two steps, with one number and with two."""
    with new(path) as file:
        y, x = numpy.mgrid[0:4, 0:5]
        file["coordinates"] = numpy.stack([x + 0.25 * y, y * y], -1).astype("f8")
        for name, shape in ("u", (2, 4, 5)), ("w", (2, 4, 5, 2)):
            file[name] = numpy.arange(float(numpy.prod(shape))).reshape(shape)
            file[name].attrs["timestepping"] = numpy.int32(1)


def write_netcdf(path):
    """Has netCDF attach no scales, as PIO and E3SM do; an axis has no coordinates."""
    netcdf = ctypes.CDLL(ctypes.util.find_library("netcdf"))
    is_netcdf4, attaches_no_scales, is_double = 0x1000, 0x40000, 6

    def call(name, *values):
        assert getattr(netcdf, name)(*values) == 0, name

    def made(name, *values):
        number = ctypes.c_int()
        call(name, *values, ctypes.byref(number))
        return number

    def text(name):
        return ctypes.c_char_p(name.encode())

    file = made("nc_create", text(path), is_netcdf4 | attaches_no_scales)
    axes = [made("nc_def_dim", file, text(name), ctypes.c_size_t(count))
            for name, count in {"time": 0, "y": 5, "x": 4}.items()]
    variables = {}
    for name, of in {"time": axes[:1], "x": axes[2:], "T": axes}.items():
        order = (ctypes.c_int * len(of))(*(axis.value for axis in of))
        variables[name] = made("nc_def_var", file, text(name), is_double, len(of), order)
    units = "days since 2000-01-01"
    call("nc_put_att_text", file, variables["time"], text("units"), ctypes.c_size_t(len(units)), text(units))
    call("nc_enddef", file)

    def put(name, start, count, values):
        sizes = ctypes.c_size_t * len(start)
        call("nc_put_vara_double", file, variables[name], sizes(*start), sizes(*count),
             (ctypes.c_double * len(values))(*values))

    put("x", [0], [4], [0, 2, 4, 6])
    for step in range(3):
        put("time", [step], [1], [10 + step])
        put("T", [step, 0, 0], [1, 5, 4], [100 * step + place for place in range(20)])
    call("nc_close", file)


# Other codes

def write_probes(path, write=write_plain, steps=2):
    """Writes the positions of five points in a window that moves, and the fields there, as Smilei does."""
    with new(path) as file:
        file.attrs.update({"fields": numpy.bytes_("Ex,Ey,Rho"), "time_integral": 0, "dimension": 1})
        file["p0"], file["p1"], file["number"] = [0.0, 1.0], [4.0, 1.0], numpy.array([5], "u4")
        file["positions"] = numpy.stack([numpy.arange(5.0), numpy.full(5, 1.0)], 1)
        for step in range(steps):
            write(file, f"{40 * step:010d}", 100.0 * step + numpy.arange(15.0).reshape(3, 5), x_moved=1.5 * step)


def write_openpmd(path, write=write_plain):
    with new(path) as file:
        file.attrs.update({"openPMD": numpy.bytes_("1.1.0"), "basePath": numpy.bytes_("/data/%T/"),
                           "meshesPath": numpy.bytes_("fields/")})
        write(file, "data/1/fields/B", numpy.zeros((4, 6)), axisLabels=numpy.array([b"y", b"x"]),
              gridSpacing=[1.0, 1.0], gridGlobalOffset=[0.0, 0.0], position=[0.0, 0.0])


def write_h5md(path, write=write_plain):
    with new(path) as file:
        file.create_group("h5md").attrs["version"] = [1, 1]
        write(file, "particles/atoms/position/value", numpy.zeros((2, 5, 3)))


def write_xdmf(path, write_mass=write_plain):
    """Writes one file and one description of three steps, whose times are in the names of arrays."""
    grids = ""

    def attribute(name, dataset):
        return (f'<Attribute Name="{name}" AttributeType="Scalar" Center="Node"><DataItem Dimensions="2 3 4" '
                f'NumberType="Float" Precision="8" Format="HDF">{pathlib.Path(path).name}:/{dataset}</DataItem>'
                '</Attribute>')

    with new(path) as file:
        write_mass(file, "mass", numpy.arange(24.0).reshape(2, 3, 4))
        for step in range(3):
            file[f"VisualisationVector/{step}"] = 100.0 * step + numpy.arange(24.0).reshape(2, 3, 4)
            grids += (
                f'<Grid Name="g" GridType="Uniform"><Time Value="{step + 1}.0"/><Topology '
                'TopologyType="3DCoRectMesh" Dimensions="2 3 4"/><Geometry GeometryType="ORIGIN_DXDYDZ">'
                '<DataItem Dimensions="3" Format="XML">0 0 0</DataItem>'
                '<DataItem Dimensions="3" Format="XML">1 1 1</DataItem></Geometry>'
                f'{attribute(f"u/{step + 1}.0", f"VisualisationVector/{step}")}{attribute("mass", "mass")}</Grid>')
    pathlib.Path(path).with_suffix(".xdmf").write_text(
        '<?xml version="1.0"?><Xdmf Version="3.0"><Domain><Grid Name="TimeSeries" GridType="Collection" '
        f'CollectionType="Temporal">{grids}</Grid></Domain></Xdmf>')


# VTKHDF

@contextlib.contextmanager
def vtkhdf(path, kind, version=(2, 0)):
    with new(path) as file:
        group = file.create_group("VTKHDF", track_order=True)
        group.attrs["Version"] = version
        group.attrs.create("Type", numpy.bytes_(kind))
        yield group


def write_mesh(group, parts=1, write_points=write_plain, write=write_plain):
    """Writes parts of two tetrahedra; u lies on points, c on cells."""
    for name, count in {"Points": 5, "Cells": 2, "ConnectivityIds": 8}.items():
        group[f"NumberOf{name}"] = numpy.full(parts, count)
    write_points(group, "Points", CORNERS[:5 * parts])
    group["Connectivity"], group["Offsets"] = TETRAHEDRA.ravel()[:8 * parts], numpy.array([0, 4, 8][:3 * parts], "i8")
    group["Types"] = numpy.full(2 * parts, 10, "u1")
    group["PointData/u"] = numpy.arange(5.0 * parts)
    write(group, "CellData/c", numpy.arange(7.0, 7 + 2 * parts))


def mesh(version=(2, 0), **how):
    def write(path):
        with vtkhdf(path, "UnstructuredGrid", version) as group:
            write_mesh(group, **how)
    return write


def write_surface_without_parts(path):
    with vtkhdf(path, "PolyData") as group:
        group["NumberOfPoints"], group["Points"] = numpy.zeros(0, "i8"), numpy.zeros((0, 3))
        for name in "Vertices", "Lines", "Polygons", "Strips":
            for one in "NumberOfCells", "NumberOfConnectivityIds", "Offsets", "Connectivity":
                group[f"{name}/{one}"] = numpy.zeros(0, "i8")


def write_members(path, kinds, parts):
    """Writes a collection of members that are meshes, or of other kinds."""
    with vtkhdf(path, "PartitionedDataSetCollection", (2, 1)) as root:
        assembly = root.create_group("Assembly", track_order=True)
        for index, (kind, count) in enumerate(zip(kinds, parts, strict=True)):
            member = root.create_group(f"member{index}")
            member.attrs.update({"Version": (2, 1), "Index": index})
            member.attrs.create("Type", numpy.bytes_(kind))
            assembly[f"member{index}"] = h5py.SoftLink(f"/VTKHDF/member{index}")
            if kind == "UnstructuredGrid":
                write_mesh(member, count)


def write_axes(group):
    for axis, count in zip("XYZ", (3, 4, 2), strict=True):
        group[f"{axis}Coordinates"] = numpy.arange(count) ** 2.0


def write_rectilinear(path):
    with vtkhdf(path, "RectilinearGrid", (2, 7)) as group:
        group.attrs["WholeExtent"] = (0, 2, 0, 3, 0, 1)
        write_axes(group)
        group["PointData/u"] = numpy.arange(24.0).reshape(2, 4, 3)


def write_structured(path):
    with vtkhdf(path, "StructuredGrid", (2, 7)) as group:
        group.attrs.update({"WholeExtent": (0, 1, 0, 1, 0, 1), "Dimensions": (2, 2, 2)})
        group["Points"] = numpy.moveaxis(numpy.mgrid[0:2, 0:2, 0:2], 0, -1).astype("f8")
        group["PointData/u"] = numpy.arange(8.0).reshape(2, 2, 2)


def write_hyper_tree(path):
    with vtkhdf(path, "HyperTreeGrid", (2, 4)) as group:
        group.attrs.update({"BranchFactor": 2, "Dimensions": (3, 4, 2), "TransposedRootIndexing": 0})
        write_axes(group)


def write_polyhedra(path):
    with vtkhdf(path, "UnstructuredGrid", (2, 5)) as group:
        write_mesh(group)
        group["Types"][...] = 42
        group["NumberOfFaces"], group["NumberOfFaceConnectivityIds"] = [8], [24]


def write_hologram(path):
    with vtkhdf(path, "Hologram", (3, 0)) as group:
        group["u"] = numpy.arange(5.0)


def write_image(path, write_beside):
    with vtkhdf(path, "ImageData") as group:
        group.attrs.update(IMAGE)
        group["PointData/e"] = numpy.arange(60.0).reshape(3, 4, 5)
        write_beside(group["PointData"])


def lzf_image(path):
    write_image(path, lambda group: write_lzf(group, "d", group["e"][()]))


def complex_image(path):
    write_image(path, write_complex)


# Empty and unreadable files

def write_nothing(path):
    with new(path) as file:
        file.create_group("a/b").attrs["version"] = 1


def write_no_rows(path):
    with new(path) as file:
        file.create_dataset("u", (0, 4), "f8", maxshape=(None, 4))


def write_type_only(path):
    with vtkhdf(path, "ImageData"):
        pass


def fill(path):
    """Puts a dataset into a file that has none."""
    with h5py.File(path, "a") as file:
        file["u"] = numpy.arange(24.0).reshape(2, 3, 4)


def write_lzf_beside(path):
    with new(path) as file:
        write_lzf(file, "packed", numpy.arange(24.0).reshape(4, 6))
        file["u"] = numpy.arange(24.0).reshape(4, 6)


def write_lzf_alone(path):
    with new(path) as file:
        write_lzf(file, "packed", numpy.arange(24.0).reshape(4, 6))


def write_complex(group):
    """Needs an h5py with HDF5 2, which has a type for complex numbers."""
    space = h5py.h5s.create_simple((3, 4, 5))
    made = h5py.h5d.create(group.id, b"z", h5py.h5t.NATIVE_DOUBLE_COMPLEX, space)
    h5py.Dataset(made)[...] = numpy.full((3, 4, 5), 1j)


def write_complex_beside(path):
    with new(path) as file:
        file["e"] = numpy.arange(60.0).reshape(3, 4, 5)
        write_complex(file)


FILES = {
    "pytables.h5": write_pytables, "pandas.h5": write_pandas, "particles.h5": write_amrex_particles,
    "plex.h5": write_plex, "vec.h5": write_vec, "unattached.nc": write_netcdf, "probes.h5": write_probes,
    "series.h5": write_xdmf,
    "mesh28.vtkhdf": mesh((2, 8)), "mesh30.vtkhdf": mesh((3, 0)),
    "rectilinear.vtkhdf": write_rectilinear, "structured.vtkhdf": write_structured,
    "hyper_tree.vtkhdf": write_hyper_tree, "polyhedra.vtkhdf": write_polyhedra, "hologram.vtkhdf": write_hologram,
    "newer_member.vtkhdf": lambda path: write_members(path, ["UnstructuredGrid", "StructuredGrid"], [1, 1]),
    "lzf_image.vtkhdf": lzf_image, "lzf_cells.vtkhdf": mesh(write=write_lzf),
    "lzf_points.vtkhdf": mesh(write_points=write_lzf), "lzf_beside.h5": write_lzf_beside,
    "lzf_alone.h5": write_lzf_alone,
    "lzf_series.h5": lambda path: write_xdmf(path, write_lzf),
    "lzf_pandas.h5": lambda path: write_pandas(path, write_lzf),
    "lzf_particles.h5": lambda path: write_amrex_particles(path, write_lzf),
    "lzf_chombo.h5": lambda path: write_chombo(path, write_lzf),
    "lzf_probes.h5": lambda path: write_probes(path, write_lzf),
    "lzf_openpmd.h5": lambda path: write_openpmd(path, write_lzf),
    "lzf_h5md.h5": lambda path: write_h5md(path, write_lzf),
    "nothing.h5": write_nothing, "no_rows.h5": write_no_rows,
    "no_steps.h5": lambda path: write_probes(path, steps=0), "type_only.vtkhdf": write_type_only,
    "no_parts.vtkhdf": mesh(parts=0), "no_surface.vtkhdf": write_surface_without_parts,
    "no_members.vtkhdf": lambda path: write_members(path, [], []),
    "member_without_parts.vtkhdf": lambda path: write_members(path, ["UnstructuredGrid"] * 2, [1, 0]),
    "waiting.h5": write_nothing,
}

# Only an h5py with HDF5 2 writes these.
HDF5_2 = {"complex.h5": write_complex_beside, "complex.vtkhdf": complex_image}
# These change files that FILES has written.
LATER = {"waiting.h5": fill}

if __name__ == "__main__":
    for name, write in {"files": FILES, "HDF5 2": HDF5_2, "later": LATER}[sys.argv[2]].items():
        write(f"{sys.argv[1]}/{name}")

# SPDX-License-Identifier: BSD-3-Clause
"""Writes a mesh of hexahedra with values that change, as VTKHDF in two parts or with a description in XDMF.

The last point moves at step MOVED, and the last cell turns at step TURNED; both stay so.
"""

import sys

import numpy

SIDE = 7
STEPS, MOVED, TURNED = 7, 3, 5
XDMF = """<Xdmf Version="3.0"><Domain><Grid Name="mesh">
<Topology TopologyType="Hexahedron" NumberOfElements="{cells}">
<DataItem Format="HDF" Dimensions="{cells} 8" NumberType="Int" Precision="8">{file}:/cells</DataItem></Topology>
<Geometry GeometryType="XYZ">
<DataItem Format="HDF" Dimensions="{points} 3" Precision="8">{file}:/points</DataItem></Geometry>
{arrays}</Grid></Domain></Xdmf>"""
XDMF_ARRAY = """<Attribute Name="{name}" Center="{on}">
<DataItem Format="HDF" Dimensions="{count}" Precision="8">{file}:/{name}</DataItem></Attribute>"""


def points(step):
    at = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(float(SIDE))], indexing="ij"), -1).reshape(-1, 3)
    at[-1] += 0.25 if step >= MOVED else 0
    return at


def cells(step):
    ids = numpy.arange(SIDE**3).reshape(SIDE, SIDE, SIDE)
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    corners = [(x, y, z) for z in (0, 1) for x, y in square]
    made = numpy.stack([ids[x:x + SIDE - 1, y:y + SIDE - 1, z:z + SIDE - 1].ravel() for x, y, z in corners], -1)
    if step >= TURNED:
        made[-1] = made[-1][[1, 2, 3, 0, 5, 6, 7, 4]]
    return made


def fields(step):
    """Returns arrays by name: on points if their name begins with p."""
    return {
        "p_id": numpy.arange(float(SIDE**3)), "p_value": numpy.arange(float(SIDE**3)) + step,
        "c_id": numpy.arange(float((SIDE - 1)**3)), "c_value": numpy.arange(float((SIDE - 1)**3)) + step,
    }


def write_vtkhdf(file, step):
    group = file.create_group("VTKHDF")
    group.attrs["Version"] = (2, 1)
    group.attrs.create("Type", numpy.bytes_("UnstructuredGrid"))
    runs = numpy.array_split(numpy.arange((SIDE - 1)**3), 2)
    used = [numpy.unique(cells(step)[run], return_inverse=True) for run in runs]
    group["NumberOfPoints"] = [len(ids) for ids, _ in used]
    group["NumberOfCells"] = [len(run) for run in runs]
    group["NumberOfConnectivityIds"] = [8 * len(run) for run in runs]
    group["Points"] = numpy.concatenate([points(step)[ids] for ids, _ in used])
    group["Connectivity"] = numpy.concatenate([numpy.ravel(local) for _, local in used])
    group["Offsets"] = numpy.concatenate([8 * numpy.arange(len(run) + 1) for run in runs])
    group["Types"] = numpy.full((SIDE - 1)**3, 12, "u1")
    for name, values in fields(step).items():
        if name.startswith("p"):
            group[f"PointData/{name}"] = numpy.concatenate([values[ids] for ids, _ in used])
        else:
            group[f"CellData/{name}"] = values


def write_described(file, step, name):
    file["points"], file["cells"] = points(step), cells(step)
    arrays = ""
    for array, values in fields(step).items():
        file[array] = values
        on = "Node" if array.startswith("p") else "Cell"
        arrays += XDMF_ARRAY.format(name=array, on=on, count=len(values), file=name)
    file.attrs["Xdmf"] = XDMF.format(cells=len(cells(step)), points=SIDE**3, file=name, arrays=arrays)


def main():
    from mpi4py import MPI  # noqa: F401 (first: it makes h5py the parallel one)

    import h5py

    folder, kind = sys.argv[1:]
    for step in range(STEPS):
        name = f"run.{step:05d}.{'vtkhdf' if kind == 'vtkhdf' else 'h5'}"
        with h5py.File(f"{folder}/{name}", "w") as file:
            if kind == "vtkhdf":
                write_vtkhdf(file, step)
            else:
                write_described(file, step, name)


if __name__ == "__main__":
    main()

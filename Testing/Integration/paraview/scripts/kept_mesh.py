# SPDX-License-Identifier: BSD-3-Clause
"""Follows what kept_mesh_writer.py writes, and finds which objects of the mesh stay from one snapshot to the next."""

import os

from vtkmodules.util.numpy_support import vtk_to_numpy

import kept_mesh_writer as writer
import paraviewdsm
from reporting import report

folder = os.environ["DSM_TEST_FOLDER"]


def values_of(attributes):
    return {attributes.GetArrayName(index): vtk_to_numpy(attributes.GetArray(index))
            for index in range(attributes.GetNumberOfArrays())}


def errors_of(grid, step):
    """Yields the names of what is not as the simulation wrote it."""
    on_points, on_cells = values_of(grid.GetPointData()), values_of(grid.GetCellData())
    points, cells = on_points["p_id"].astype(int), on_cells["c_id"].astype(int)
    if not (on_points["p_value"] == points + step).all():
        yield "values of points"
    if not (on_cells["c_value"] == cells + step).all():
        yield "values of cells"
    if not (vtk_to_numpy(grid.GetPoints().GetData()) == writer.points(step)[points]).all():
        yield "coordinates"
    corners = points[vtk_to_numpy(grid.GetCells().GetConnectivityArray())].reshape(-1, 8)
    if not (corners == writer.cells(step)[cells]).all():
        yield "cells"
    if not (vtk_to_numpy(grid.GetCellTypesArray()) == 12).all() or grid.GetNumberOfCells() != cells.size:
        yield "types"


with paraviewdsm.Server(contact=f"{folder}/run.dsm", memory_per_host="64 MiB", when_full="block") as server:
    reader = server.reader()
    wrong, stayed, sizes, before = [], [], [], None
    for snapshot in server.snapshots(timeout=60):
        reader.UpdatePipeline(snapshot.time)
        grid = reader.GetClientSideObject().GetOutputDataObject(0)
        wrong += [(int(snapshot.step), name) for name in errors_of(grid, snapshot.step)]
        # The objects are held, so that later ones cannot have their addresses.
        mesh = {"points": grid.GetPoints(), "cells": grid.GetCells(), "types": grid.GetCellTypesArray()}
        now = mesh, {**{name: one.GetMTime() for name, one in mesh.items()}, "mesh": grid.GetMeshMTime()}
        if before:
            same = [name for name, one in mesh.items() if one is before[0][name] and now[1][name] == before[1][name]]
            stayed.append([*same, *(["mesh"] if now[1]["mesh"] == before[1]["mesh"] else [])])
        before = now
        sizes.append(grid.GetNumberOfCells())
    report(wrong=wrong, stayed=stayed, sizes=sizes)

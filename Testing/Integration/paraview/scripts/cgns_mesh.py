# SPDX-License-Identifier: BSD-3-Clause
"""A mesh as a CGNS file on disk, by the writer of Debian's ParaView: one on MPICH may have the reader only."""

import sys

from paraview.modules.vtkPVVTKExtensionsIOCGNSWriter import vtkCGNSWriter
from vtkmodules.vtkFiltersCore import vtkAppendFilter, vtkElevationFilter
from vtkmodules.vtkFiltersSources import vtkSphereSource

source, elevation, mesh, writer = vtkSphereSource(), vtkElevationFilter(), vtkAppendFilter(), vtkCGNSWriter()
elevation.SetInputConnection(source.GetOutputPort())
mesh.SetInputConnection(elevation.GetOutputPort())
writer.SetInputConnection(mesh.GetOutputPort())
writer.SetFileName(sys.argv[1])
assert writer.Write() == 1

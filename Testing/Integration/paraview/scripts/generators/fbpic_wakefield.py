# SPDX-License-Identifier: BSD-3-Clause
"""FBPIC, as its example does, smaller: a laser in a plasma, fields in azimuthal modes and electrons by openPMD."""

import sys

import numpy
from fbpic.lpa_utils.laser import add_laser
from fbpic.main import Simulation
from fbpic.openpmd_diag import FieldDiagnostic, ParticleDiagnostic

# FBPIC takes the particles' angles from there.
numpy.random.seed(5)
simulation = Simulation(
    24, 12e-6, 10, 10e-6, 2, 1.6e-15, zmin=-6e-6, n_order=-1, verbose_level=0,
    p_zmin=0.0, p_zmax=4e-6, p_rmin=0.0, p_rmax=6e-6, p_nz=1, p_nr=1, p_nt=4, n_e=4e24,
    boundaries={"z": "periodic", "r": "reflective"}, use_cuda=False, smoother=None,
)
add_laser(simulation, 2.0, 4e-6, 2e-6, 0.0)
simulation.diags = [
    FieldDiagnostic(2, simulation.fld, comm=simulation.comm, write_dir=sys.argv[1]),
    ParticleDiagnostic(2, {"electrons": simulation.ptcl[0]}, comm=simulation.comm, write_dir=sys.argv[1]),
]
simulation.step(3, show_progress=False)

#!/usr/bin/env bash
# Dedalus, whose files ParaView.MoreGenerators shows. PyPI has its source only: built with Debian's Cython, mpi4py, FFTW
# and Open MPI. Needs pip and these; called by root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   dedalus.sh get       fetch it (250 KB) and build it (a minute), unless that is done
#   dedalus.sh find      print the folder that Python is to look into, or nothing
#
# The folder is DSM_DEDALUS, or below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1"/dedalus "$2"
}

from=(--no-binary :all: --no-build-isolation)
# Debian keeps each MPI library in a folder of its own; FFTW's is where compilers look.
MPI_INCLUDE_PATH=$(mpicc.openmpi --showme:incdirs | cut -d ' ' -f 1)
MPI_LIBRARY_PATH=$(mpicc.openmpi --showme:libdirs | cut -d ' ' -f 1)
export MPI_INCLUDE_PATH MPI_LIBRARY_PATH FFTW_PATH=/usr
fromPyPI "dedalus==3.0.5 --hash=sha256:4b504ef52dcd0eb176d136edb85e8adcd79b57af357137d4af85ecc1a0c7e47c" \
  "${DSM_DEDALUS:-$HOME/.cache/paraview-dsm/dedalus}" "$@"

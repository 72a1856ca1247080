#!/usr/bin/env bash
# mpi4py and a parallel h5py on the ABI of the MPI standard (libmpi_abi.so.1), which PyPI does not have: built from
# source with the compiler wrapper of PyPI's MPICH (mpich-ports.sh), for the HDF5 of hdf5-abi.sh. Needs pip, these two,
# and Debian's Cython, NumPy and pkgconfig; called by root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   python-abi.sh get       fetch both (1 MB) and build them (5 min on 2 cores), unless that is done
#   python-abi.sh find      print the folder that Python is to look into, or nothing
#
# The folder is DSM_PYTHON_ABI, or below ~/.cache/paraview-dsm; that of mpi4py alone has "-mpi4py" behind its name.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=pypi.sh
. "$here/pypi.sh"

folder=${DSM_PYTHON_ABI:-$HOME/.cache/paraview-dsm/python-abi}
from=(--no-binary :all: --no-build-isolation)

if [ "${1:-}" = get ]; then
  mpi=$("$here/mpich-ports.sh" find)
  hdf5=$("$here/hdf5-abi.sh" find)
  [ -n "$hdf5" ] || die "there is no HDF5 on the ABI of the MPI standard: $here/hdf5-abi.sh get"
  export CC=$mpi/bin/mpicc_abi MPICC=$mpi/bin/mpicc_abi HDF5_DIR=$hdf5 HDF5_MPI=ON
  export LD_LIBRARY_PATH=$hdf5/lib:$mpi/lib
  take() { mv "$1"/mpi4py "$2"; }
  (fromPyPI "mpi4py==4.1.2 --hash=sha256:56860286dc45f20e8821e93cb06669e30462348bf866f685553fa4b712d58d02" \
    "$folder-mpi4py" get)
  export PYTHONPATH=$folder-mpi4py # h5py is built for this one
fi
take() {
  mv "$1"/h5py "$2"
  cp -r "$folder-mpi4py/mpi4py" "$2"
}
fromPyPI "h5py==3.15.1 --hash=sha256:c86e3ed45c4473564de55aa83b6fc9e5ead86578773dfbd93047380042e26b69" "$folder" "$@"

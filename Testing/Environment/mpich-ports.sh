#!/usr/bin/env bash
# An MPICH that connects running jobs (MPI_Open_port, MPI_Comm_connect): PyPI's "mpich", built with libfabric.
# Debian's, built with UCX, has no ports. Its library has Debian's ABI, so what was built with that runs with
# this one when the folder `lib` is first in LD_LIBRARY_PATH. Needs pip; called by root.sh, and by hand with
# DSM_NATIVE=1.
#
#   mpich-ports.sh get     fetch it (13 MB) and unpack it (36 MB), unless that is done
#   mpich-ports.sh find    print its folder, or nothing
#
# The folder is DSM_MPICH_PORTS, or one below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1"/mpich-*.data/data/* "$2"
  [ -f "$2/lib/libmpi.so.12" ] || die "PyPI's MPICH holds no lib/libmpi.so.12"
  chmod +x "$2"/bin/*
  # Its names for two libraries, where our programs look for Debian's.
  ln -s libmpi.so.12 "$2/lib/libmpich.so.12"
  ln -s mpich/libfabric.so.1 "$2/lib/libfabric.so.1"
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's MPICH is taken for x86_64 only, and this is $(uname -m)"
fromPyPI "mpich==5.0.2 --hash=sha256:8fed465ebff269ea2ebac179a25de02671ddf8df476e0f115be089015015cfd4" \
  "${DSM_MPICH_PORTS:-$HOME/.cache/paraview-dsm/mpich-ports}" "$@"

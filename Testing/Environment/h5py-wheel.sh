#!/usr/bin/env bash
# PyPI's h5py, which brings an HDF5 of its own, as users have it in their environments: one with HDF5 2.0, and the last
# with HDF5 1.14. Debian's has Debian's. Needs pip and Python 3.13; called by root.sh, and by hand with DSM_NATIVE=1.
#
#   h5py-wheel.sh get           fetch both (5 MB each) and unpack them, unless that is done
#   h5py-wheel.sh find          print the folder that Python is to look into for the newer, or nothing
#   h5py-wheel.sh find 1.14     for the other
#
# The folders are DSM_H5PY_WHEEL and DSM_H5PY_WHEEL_1_14, or below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1"/h5py "$1"/h5py.libs "$2"
}

newer() {
  fromPyPI "h5py==3.16.0 --hash=sha256:9300ad32dea9dfc5171f94d5f6948e159ed93e4701280b0f508773b3f582f402" \
    "${DSM_H5PY_WHEEL:-$HOME/.cache/paraview-dsm/h5py-wheel}" "$@"
}

older() {
  fromPyPI "h5py==3.14.0 --hash=sha256:d90e6445ab7c146d7f7981b11895d70bc1dd91278a4f9f9028bc0c95e4a53f13" \
    "${DSM_H5PY_WHEEL_1_14:-$HOME/.cache/paraview-dsm/h5py-wheel-1.14}" "$@"
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's h5py is taken for x86_64 only, and this is $(uname -m)"
case "$*" in
  get)
    (newer get)
    (older get)
    ;;
  'find 1.14') older find ;;
  *) newer "$@" ;;
esac

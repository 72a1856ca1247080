#!/usr/bin/env bash
# PyPI's h5py, which brings an HDF5 of its own (2.0), as users have it in their environments. Debian's has Debian's.
# Needs pip and Python 3.13; called by root.sh, and by hand with DSM_NATIVE=1.
#
#   h5py-wheel.sh get     fetch it (5 MB) and unpack it, unless that is done
#   h5py-wheel.sh find    print the folder that Python is to look into, or nothing
#
# The folder is DSM_H5PY_WHEEL, or one below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1"/h5py "$1"/h5py.libs "$2"
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's h5py is taken for x86_64 only, and this is $(uname -m)"
fromPyPI "h5py==3.16.0 --hash=sha256:9300ad32dea9dfc5171f94d5f6948e159ed93e4701280b0f508773b3f582f402" \
  "${DSM_H5PY_WHEEL:-$HOME/.cache/paraview-dsm/h5py-wheel}" "$@"

#!/usr/bin/env bash
# More of PyPI's VTKs, to be put before that of python-vtk.sh by PYTHONPATH: the newest, and one with an HDF5 that is too
# old for us (1.13.1). Needs pip and Python 3.13; called by root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   vtk-wheels.sh get             fetch both (280 MB) and unpack them, unless that is done
#   vtk-wheels.sh find VERSION    print the folder of one, or nothing
#
# The folders are below DSM_VTK_WHEELS, or ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1"/* "$2"
}

one() {
  local hash
  case $1 in
    9.7.2) hash=706b3a457844f348d22333191711fb799023cf2e4d02748396f6218b0210bd1b ;;
    9.5.2) hash=11cf870c05539e9f82f4a5adf450384e0be4ee6cc80274f9502715a4139e2777 ;;
    *) die "there is no version $1 here" ;;
  esac
  fromPyPI "vtk==$1 --hash=sha256:$hash" "${DSM_VTK_WHEELS:-$HOME/.cache/paraview-dsm}/vtk-$1" "$2"
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's VTK is taken for x86_64 only, and this is $(uname -m)"
case ${1:-} in
  get)
    (one 9.7.2 get)
    (one 9.5.2 get)
    ;;
  find) one "${2:?which version}" find ;;
  *) one 9.7.2 help ;;
esac

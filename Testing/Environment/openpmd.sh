#!/usr/bin/env bash
# PyPI's openpmd-api, the library by which PIConGPU, WarpX, HiPACE++ and others write openPMD: tests write files with
# it. Needs pip and Python 3.13; called by root.sh, and by hand with DSM_NATIVE=1.
#
#   openpmd.sh get       fetch it (8 MB) and unpack it, unless that is done
#   openpmd.sh find      print the folder that Python is to look into, or nothing
#
# The folder is DSM_OPENPMD, or below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1"/openpmd_api "$2"
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's openpmd-api is taken for x86_64 only, and this is $(uname -m)"
fromPyPI "openpmd-api==0.17.0 --hash=sha256:79da06b9659df3d419f1d1dc0cd5f83bd97981b99a38a9177cdc685b371f40c6" \
  "${DSM_OPENPMD:-$HOME/.cache/paraview-dsm/openpmd}" "$@"

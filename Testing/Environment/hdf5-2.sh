#!/usr/bin/env bash
# A parallel HDF5 2, from a newer Debian: tests run programs with it that were compiled for it. Debian 13 has none, and
# PyPI only serial ones. The one for MPICH: its library works with Debian 13's MPICH, while the one for Open MPI wants a
# newer Open MPI. Called by root.sh, and by hand with DSM_NATIVE=1.
#
#   hdf5-2.sh get       fetch library and headers (7 MB, and 10 MB of package lists) and unpack them, unless that is done
#   hdf5-2.sh find      print the folder that has usr/include/hdf5/mpich, or nothing
#
# The folder is DSM_HDF5_2, or below ~/.cache/paraview-dsm.
set -euo pipefail

suite=sid
target=${DSM_HDF5_2:-$HOME/.cache/paraview-dsm/hdf5-2}

# shellcheck source=suite.sh
. "$(dirname "${BASH_SOURCE[0]}")/suite.sh"

get() {
  [ ! -d "$target" ] || return 0
  local work options library
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  mkdir "$work/new"
  lists "$suite" "$work"
  library=$(apt-cache "${options[@]}" depends libhdf5-mpich-dev | grep -oE 'libhdf5-mpich-[0-9]+' | sed -n 1p)
  [ -n "$library" ] || die "Debian's $suite has no libhdf5-mpich-dev that names its library"
  (cd "$work" && apt-get "${options[@]}" download libhdf5-mpich-dev "$library") ||
    die "Debian's $library cannot be fetched (see above)"
  for package in "$work"/*.deb; do dpkg-deb --extract "$package" "$work/new"; done
  grep -q '^#define H5_VERS_MAJOR *2' "$work/new/usr/include/hdf5/mpich/H5public.h" || die "Debian's $library is no HDF5 2"
  mv "$work/new" "$target"
}

case ${1:-} in
  get) get ;;
  find) if [ -d "$target" ]; then printf '%s\n' "$target"; fi ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

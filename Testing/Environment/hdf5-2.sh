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

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

# Debian's mirror as this machine has it. Nothing of its own lists changes: apt works in a folder of its own.
get() {
  [ ! -d "$target" ] || return 0
  local work mirror options library
  # shellcheck disable=SC2016 # apt expands it
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sed -n 1p)
  [ -n "$mirror" ] || die "apt knows no mirror of Debian, so there is no parallel HDF5 2"
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/new"
  chmod -R go+rX "$work"
  printf 'deb %s %s main\n' "$mirror" "$suite" >"$work/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=-" -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" -o "Acquire::Languages=none" -o "Acquire::Retries=3"
    -o "APT::Sandbox::User=root" -o "Acquire::Check-Valid-Until=false")
  apt-get "${options[@]}" update || die "Debian's list of $suite cannot be fetched (see above)"
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

#!/usr/bin/env bash
# A parallel HDF5 on the ABI of the MPI standard (libmpi_abi.so.1), which nobody offers yet: Debian's source, built with
# the compiler wrapper of PyPI's MPICH (mpich-ports.sh). Called by root.sh for ./dev test --all, and by hand with
# DSM_NATIVE=1.
#
#   hdf5-abi.sh get       fetch the source (12 MB, and 10 MB of package lists) and build it (2 min on 2 cores), unless
#                         that is done
#   hdf5-abi.sh find      print the folder that has include and lib, or nothing
#
# The folder is DSM_HDF5_ABI, or below ~/.cache/paraview-dsm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${DSM_HDF5_ABI:-$HOME/.cache/paraview-dsm/hdf5-abi}

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

# Nothing of the machine's own package lists changes: apt works in a folder of its own.
get() {
  [ ! -f "$target/include/hdf5_hl.h" ] || return 0
  local work mirror options mpi
  mpi=$("$here/mpich-ports.sh" find)
  [ -x "$mpi/bin/mpicc_abi" ] || die "there is no mpicc_abi from PyPI: $here/mpich-ports.sh get"
  # shellcheck disable=SC2016 # apt expands it
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sed -n 1p)
  [ -n "$mirror" ] || die "apt knows no mirror of Debian, so there is no source of HDF5"
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  mkdir -p "$work/lists/partial" "$work/source"
  chmod -R go+rX "$work"
  printf 'deb-src %s trixie main\n' "$mirror" >"$work/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=-" -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work" -o "Acquire::Languages=none" -o "Acquire::Retries=3" -o "APT::Sandbox::User=root"
    -o "Acquire::Check-Valid-Until=false")
  apt-get "${options[@]}" update || die "Debian's list of sources cannot be fetched (see above)"
  (cd "$work" && apt-get "${options[@]}" source --download-only hdf5) || die "HDF5's source cannot be fetched (see above)"
  tar -xf "$work"/hdf5_*.orig.tar.* -C "$work/source" --strip-components 1
  if ! { cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$work/new" \
    -DMPI_C_COMPILER="$mpi/bin/mpicc_abi" -DHDF5_ENABLE_PARALLEL=ON -DBUILD_STATIC_LIBS=OFF -DBUILD_TESTING=OFF \
    -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=ON -DHDF5_BUILD_CPP_LIB=OFF \
    -DHDF5_BUILD_FORTRAN=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=OFF -DHDF5_ENABLE_SZIP_SUPPORT=OFF &&
    cmake --build "$work/build" --target install; } >"$target.log" 2>&1; then
    tail -n 20 "$target.log" >&2
    die "HDF5 could not be built; all of it is in $target.log"
  fi
  rm "$target.log"
  rm -rf "$target"
  mv "$work/new" "$target"
}

case ${1:-} in
  get) get ;;
  find) if [ -d "$target" ]; then printf '%s\n' "$target"; fi ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

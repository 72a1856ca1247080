#!/usr/bin/env bash
# Builds the wheel: Packaging/wheel/build.sh [FOLDER]. The wheel is put into FOLDER (default: dist). It runs with glibc
# 2.28 and newer (manylinux_2_28), with any Python from 3.9 on. Works in Debian 13's root (./dev shell
# Packaging/wheel/build.sh), where headers of Open MPI, MPICH and of the MPI standard's ABI are; 20 min on 2 cores.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
folder=$(realpath -m "${1:-$checkout/dist}")

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

"$here/dependencies.sh" get
"$here/tools.sh" get
DSM_ZIG=$("$here/zig.sh" find)
export DSM_ZIG
dependencies=$("$here/dependencies.sh" find)
tools=$("$here/tools.sh" find)
abi=$("$checkout/Testing/Environment/mpich-ports.sh" find)/include/mpi_abi.h
[ -f "$abi" ] || die "there is no header of the MPI standard's ABI: Testing/Environment/mpich-ports.sh get"
# The folder of an MPI library's mpi.h.
headers() { "$1" -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p' | while read -r each; do [ ! -f "$each/mpi.h" ] || echo "$each"; done | sed -n 1p; }
openmpi=$(headers mpicc.openmpi)
mpich=$(headers mpicc.mpich)
[ -n "$openmpi" ] && [ -n "$mpich" ] || die "the headers of Open MPI or MPICH are not here (libopenmpi-dev, libmpich-dev)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$checkout
options=(
  "cmake.define.CMAKE_TOOLCHAIN_FILE=$here/toolchain.cmake"
  "cmake.define.CMAKE_PREFIX_PATH=$dependencies"
  # As the builds that all tests run with.
  "cmake.define.CMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG"
  "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"
  "cmake.define.CMAKE_SHARED_LINKER_FLAGS=-s"
  "cmake.define.CMAKE_MODULE_LINKER_FLAGS=-s"
  "cmake.define.CMAKE_EXE_LINKER_FLAGS=-s"
  "cmake.define.DSM_SERIAL_HDF5=$dependencies/include"
  "cmake.define.DSM_SERIAL_HDF5_LIBRARY=$dependencies/lib/libhdf5.a;$dependencies/lib/libz.a"
  "cmake.define.DSM_MPI_HEADERS=openmpi=$openmpi;mpich=$mpich"
  "cmake.define.DSM_MPI_ABI_HEADER=$abi"
  "cmake.define.DSM_FABRIC_ON_USE=ON"
  "cmake.define.DSM_BUNDLED_LICENCES=$dependencies/share/licenses"
)
arguments=()
for option in "${options[@]}"; do arguments+=(--config-settings "$option"); done
PYTHONPATH=$tools python3 -m pip wheel --no-deps --no-build-isolation --no-index --wheel-dir "$work" \
  --config-settings "build-dir=${DSM_WHEEL_BUILD:-$work/build}" "${arguments[@]}" "$checkout"
made=$(find "$work" -maxdepth 1 -name '*.whl')
# Says whether the claim is true: it would name a newer one.
PYTHONPATH=$tools python3 -m auditwheel show "$made"
mkdir -p "$folder"
PYTHONPATH=$tools python3 -m wheel tags --remove --platform-tag "manylinux_2_28_$(uname -m)" "$made" >/dev/null
mv "$work"/*.whl "$folder/"
ls "$folder"/*.whl

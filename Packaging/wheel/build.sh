#!/usr/bin/env bash
# Builds the wheel: Packaging/wheel/build.sh [FOLDER]. The wheel is put into FOLDER (default: dist). It runs with glibc
# 2.28 and newer (manylinux_2_28), with any Python from 3.10 on. Works in Debian 13's root (./dev shell
# Packaging/wheel/build.sh), where headers of Open MPI, MPICH and of the MPI standard's ABI are; 20 min on 2 cores.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
folder=$(realpath -m "${1:-$checkout/dist}")

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

glibc=$(sed -n 's/^glibc=//p' "$here/zig.sh")
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
  # The tests run with builds of these options.
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

# Checks the claim: no file needs a newer C library, or another library. In a core's copy the program's own HDF5 and MPI
# library stand in place of libdsm-callers-hdf5.so and libmpi*.
python3 -m zipfile --extract "$made" "$work/unpacked"
find "$work/unpacked" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} ';' -print >"$work/files"
while read -r file; do
  newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
  [ "$(printf '%s\n' "$newest" "GLIBC_$glibc" | sort -V | tail -n 1)" = "GLIBC_$glibc" ] || die "$file needs $newest"
  others=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(lib(c|m|dl|pthread|rt)\.so\.[0-9]+|ld-linux-.*|libdsm-callers-hdf5\.so|libmpi(ch|_abi)?\.so\.[0-9]+)$' || true)
  [ -z "$others" ] || die "$file needs $others"
done <"$work/files"
mkdir -p "$folder"
PYTHONPATH=$tools python3 -m wheel tags --remove --platform-tag "manylinux_${glibc/./_}_$(uname -m)" "$made" >/dev/null
mv "$work"/*.whl "$folder/"
ls "$folder"/*.whl

#!/usr/bin/env bash
# Builds and installs for the conda recipe beside it.
set -euo pipefail

# Programs with a serial HDF5 are coupled by what is compiled with the parallel one's headers.
# shellcheck disable=SC2086 # conda's arguments are several words
cmake -G Ninja -S . -B build ${CMAKE_ARGS:-} \
  -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_LIBDIR=lib \
  -DBUILD_TESTING=OFF \
  -DDSM_BUILD_EXAMPLES=OFF \
  -DDSM_BUILD_PLUGIN=OFF \
  -DDSM_FABRIC=ON \
  -DDSM_FORTRAN=ON \
  -DHDF5_ROOT="$PREFIX" \
  -DDSM_SERIAL_HDF5="$PREFIX/include" \
  -DMPI_C_COMPILER="$PREFIX/bin/mpicc" \
  -DMPI_CXX_COMPILER="$PREFIX/bin/mpicxx" \
  -DMPI_Fortran_COMPILER="$PREFIX/bin/mpifort"
cmake --build build
cmake --install build --prefix "$PREFIX"

# SPDX-License-Identifier: BSD-3-Clause
# The wheel's compiler (zig.sh, whose folder is in DSM_ZIG). The machine's own headers and libraries are not looked at.
set(CMAKE_C_COMPILER "$ENV{DSM_ZIG}/zig-cc")
set(CMAKE_CXX_COMPILER "$ENV{DSM_ZIG}/zig-c++")
set(CMAKE_AR "$ENV{DSM_ZIG}/zig-ar")
set(CMAKE_RANLIB "$ENV{DSM_ZIG}/zig-ranlib")
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)

#!/usr/bin/env bash
# The compiler of the wheel: PyPI's Zig, which has Clang and the headers of every glibc, so that what it makes runs with
# glibc 2.28 and newer. With a libc++ of its own in each library, none needs the machine's C++ library.
#
#   zig.sh get     fetch it (90 MB; 350 MB unpacked, 10 s), unless it is there
#   zig.sh find    print the folder with the compilers zig-cc, zig-c++, zig-ar and zig-ranlib, or nothing
#
# The folder is DSM_ZIG, or below ~/.cache/paraview-dsm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../../Testing/Environment/pypi.sh
. "$here/../../Testing/Environment/pypi.sh"

glibc=2.28

# A program, as CMake and Autoconf want one.
program() {
  local file=$1
  shift
  # shellcheck disable=SC2016 # the program expands it
  printf '#!/bin/sh\nhere=$(dirname "$0")\ncase " $* " in *" -shared "*) set -- "$@" "$here/unload.o" ;; esac\nexec "$here/ziglang/zig" %s "$@"\n' \
    "$*" >"$file"
  chmod +x "$file"
}

# Other compilers have this in crtbeginS.o, and Zig has not: when a library is unloaded, its static objects end. They
# would end with the process instead, and twice if the library was loaded twice.
unload='
extern void* __dso_handle __attribute__((visibility("hidden")));
extern void __cxa_finalize(void*);
__attribute__((destructor(101))) static void Unload(void)
{
  __cxa_finalize(&__dso_handle);
}'

take() {
  local machine
  machine=$(uname -m)
  cp -r "$1/ziglang" "$2/ziglang"
  chmod +x "$2/ziglang/zig"
  program "$2/zig-cc" cc -target "$machine-linux-gnu.$glibc"
  program "$2/zig-c++" c++ -target "$machine-linux-gnu.$glibc"
  program "$2/zig-ar" ar
  program "$2/zig-ranlib" ranlib
  printf '%s\n' "$unload" >"$2/unload.c"
  "$2/zig-cc" -O2 -fPIC -c "$2/unload.c" -o "$2/unload.o"
}

fromPyPI "ziglang==0.17.1 \\
  --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54 \\
  --hash=sha256:b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e" "${DSM_ZIG:-$HOME/.cache/paraview-dsm/zig}" "${1:-}"

#!/usr/bin/env bash
# The libraries that are in the wheel, as static ones: Debian's sources, compiled with zig.sh. Needs Debian 13 (its
# root, or DSM_NATIVE=1), and nothing of the machine's own package lists changes.
#
#   dependencies.sh get     fetch the sources (45 MB) and build them (6 min on 2 cores), unless that is done
#   dependencies.sh find    print the folder that has include, lib and share/licenses, or nothing
#
# The folder is DSM_WHEEL_DEPENDENCIES, or below ~/.cache/paraview-dsm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${DSM_WHEEL_DEPENDENCIES:-$HOME/.cache/paraview-dsm/wheel-dependencies}
# The libraries are built anew when one of these files changes.
made=$(cat "${BASH_SOURCE[0]}" "$here/zig.sh" "$here/toolchain.cmake" | sha256sum)

# shellcheck source=../../Testing/Environment/suite.sh
. "$here/../../Testing/Environment/suite.sh"

isThere() { [ "$(cat "$target/made-by" 2>/dev/null)" = "$made" ]; }

# Fetches Debian's source of a package into $work/NAME. Not every mirror has Debian 13's of ZeroMQ.
fetchSource() {
  local name=$1 suite=trixie
  [ "$name" != zeromq3 ] || suite=bookworm
  mkdir -p "$work/$name.source"
  (cd "$work/$name.source" && apt-get "${options[@]}" source --tar-only --download-only "$name/$suite") || die "the source of $name cannot be fetched (see above)"
  mkdir "$work/$name"
  tar -xf "$work/$name.source"/*.orig.tar.* -C "$work/$name" --strip-components 1
}

# Takes the headers of a package that has no library, and its files for CMake.
takeHeaders() {
  local package=$1
  mkdir -p "$work/$package"
  (cd "$work/$package" && apt-get -qq -o APT::Sandbox::User=root download "$package") || die "the package $package cannot be fetched (see above)"
  dpkg-deb -x "$work/$package"/*.deb "$work/$package"
  cp -r "$work/$package/usr/include" "$new/"
  [ ! -d "$work/$package/usr/share/cmake" ] || cp -r "$work/$package/usr/share/cmake" "$new/share/"
  mkdir -p "$new/share/licenses/$package"
  cp "$work/$package/usr/share/doc/$package/copyright" "$new/share/licenses/$package/"
}

# Each of our libraries has its own copy, which others in its process do not see.
hidden="-fvisibility=hidden -DZMQ_STATIC -DSODIUM_STATIC"

# Copies the licence of a source.
licence() {
  local name=$1 found
  mapfile -t found < <(find "$work/$name" -maxdepth 1 -iname 'licen[cs]e*' -o -maxdepth 1 -iname 'copying*' -o -maxdepth 1 -iname 'copyright*')
  [ ${#found[@]} -gt 0 ] || { echo "the source of $name has no licence"; return 1; }
  mkdir -p "$new/share/licenses/$name"
  cp "${found[@]}" "$new/share/licenses/$name/"
}

cmakeBuild() {
  local name=$1
  shift
  cmake -S "$work/$name" -B "$work/$name.build" -G Ninja --toolchain "$here/toolchain.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$new" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$new" \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON "-DCMAKE_C_FLAGS=$hidden" "-DCMAKE_CXX_FLAGS=$hidden" -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "$@"
  cmake --build "$work/$name.build" --target install
}

all() {
  local name
  for name in libsodium zeromq3 fmtlib spdlog libxml2 zlib hdf5; do licence "$name"; done
  export PKG_CONFIG_LIBDIR=$new/lib/pkgconfig
  (cd "$work/libsodium" && autoreconf -i && CC=$DSM_ZIG/zig-cc AR=$DSM_ZIG/zig-ar RANLIB=$DSM_ZIG/zig-ranlib CFLAGS="-O2 $hidden" ./configure --quiet \
    --prefix="$new" --disable-shared --enable-static --with-pic && make --quiet -j2 install)
  cmakeBuild zeromq3 -DBUILD_SHARED=OFF -DBUILD_STATIC=ON -DWITH_LIBSODIUM=ON -DWITH_LIBSODIUM_STATIC=ON -DENABLE_CURVE=ON -DBUILD_TESTS=OFF \
    -DWITH_DOCS=OFF -DWITH_PERF_TOOL=OFF -DENABLE_CPACK=OFF -DWITH_TLS=OFF -DENABLE_WS=OFF
  cmakeBuild fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
  cmakeBuild spdlog -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF
  cmakeBuild libxml2 -DLIBXML2_WITH_PYTHON=OFF -DLIBXML2_WITH_ZLIB=OFF -DLIBXML2_WITH_LZMA=OFF -DLIBXML2_WITH_HTTP=OFF \
    -DLIBXML2_WITH_PROGRAMS=OFF -DLIBXML2_WITH_TESTS=OFF
  (cd "$work/zlib" && CC=$DSM_ZIG/zig-cc AR=$DSM_ZIG/zig-ar RANLIB=$DSM_ZIG/zig-ranlib CFLAGS="-O2 -fPIC $hidden" ./configure --static \
    --prefix="$new" && make --quiet -j2 install)
  cmakeBuild hdf5 -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_CPP_LIB=OFF \
    -DHDF5_BUILD_FORTRAN=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_SZIP_SUPPORT=OFF
}

get() {
  ! isThere || return 0
  local name options
  "$here/zig.sh" get
  DSM_ZIG=$("$here/zig.sh" find)
  export DSM_ZIG
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  lists "trixie bookworm" "$work"
  for name in libsodium zeromq3 fmtlib spdlog libxml2 zlib hdf5; do fetchSource "$name"; done
  # Packages remember the folder in which they were installed.
  rm -rf "$target"
  new=$target
  mkdir -p "$new/share"
  # libfabric is loaded where it is there.
  for name in nlohmann-json3-dev libcli11-dev cppzmq-dev libfabric-dev; do takeHeaders "$name"; done
  if ! work=$work new=$new "$here/dependencies.sh" build >"$target.log" 2>&1; then
    tail -n 20 "$target.log" >&2
    die "the wheel's libraries could not be built; all of it is in $target.log"
  fi
  printf '%s' "$made" >"$target/made-by"
  rm "$target.log"
}

case ${1:-} in
  get) get ;;
  build) all ;; # called by get
  find) if isThere; then printf '%s\n' "$target"; fi ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

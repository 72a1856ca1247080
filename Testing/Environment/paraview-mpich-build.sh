#!/usr/bin/env bash
# Builds ParaView 5.13.2, trimmed, against MPICH and HDF5's MPICH flavour, from Debian's source package with
# Debian's patches: server programs, pvbatch, Python, rendering, VTKHDF, CGNS and Xdmf2; no Qt, no mpi4py
# (the bundled one does not compile with Python 3.13). Runs on Debian 13; called by paraview-mpich.sh build.
#
#   paraview-mpich-build.sh FOLDER             everything, into FOLDER
#   paraview-mpich-build.sh FOLDER configure   only as far as CMake's configuration
#
# Resumable: each step leaves a stamp, and the compilation goes on where it stopped. It takes 190 MB to
# fetch, 3.5 GB below FOLDER.work while it builds (removed at the end), 434 MB in FOLDER; about 10,400
# compilations, 45 minutes on 4 free cores.
set -euo pipefail

version=5.13.2
target=${1:?"name the folder to build into"}
last=${2:-install}
work=$target.work
source=$work/paraview
jobs=${DSM_JOBS:-$(nproc)}

say() { printf 'dev: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

requireDebian() {
  local name missing=()
  for name in mpicc.mpich mpicxx.mpich h5pcc.mpich cmake ninja apt-get patch xz; do
    command -v "$name" >/dev/null || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] || die "missing: ${missing[*]}. They come with the packages of packages.txt"
  mkdir -p "$work"
  local freeMiB
  freeMiB=$(df --output=avail -BM "$work" | tail -n 1 | tr -dc 0-9)
  [ "$freeMiB" -ge 6144 ] || [ -e "$work/configured" ] || die "$work has $freeMiB MiB free and the build needs 6144"
}

# Runs a step once; its output goes to a log.
step() {
  local name=$1 what=$2 began=$SECONDS
  shift 2
  [ ! -e "$work/$name" ] || return 0
  say "$what"
  # In a shell of its own, so that any failing line ends it: set -e does not hold behind an if.
  "$@" >"$work/$name.log" 2>&1 || {
    tail -n 20 "$work/$name.log" >&2
    die "$what failed (whole log: $work/$name.log). Run the same command again to go on from here"
  }
  : >"$work/$name"
  say "  done in $((SECONDS - began)) s"
}

# Debian's source package by apt, with lists of its own, so that the machine's sources stay as they are.
# The tarballs are what is wanted: a mirror that lacks the .dsc beside them serves as well.
fetch() {
  local lists=$work/lists mirror hash name
  mkdir -p "$lists/partial" "$work/package"
  mirror=$(sed -nE 's/^URIs: *([^ ]+\/debian)\/? *$/\1/p; s/^deb +(\[[^]]*\] +)?([^ ]+\/debian)\/? .*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1 || true)
  printf 'deb-src %s trixie main\n' "${mirror:-http://deb.debian.org/debian}" >"$work/sources.list"
  local apt=(apt-get -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$lists" -o Acquire::Retries=5 -o APT::Sandbox::User=root)
  "${apt[@]}" update
  cd "$work/package"
  "${apt[@]}" source --print-uris paraview >../uris
  "${apt[@]}" source --download-only paraview || true
  # 'address' name size SHA256:hash
  while read -r _ name _ hash; do
    case $name in *.tar.*) printf '%s  %s\n' "${hash#SHA256:}" "$name" ;; esac
  done < <(grep "^'" ../uris) >../checksums
  grep -q "paraview_$version+dfsg.orig" ../checksums || {
    echo "Debian's package is no longer $version:"
    cat ../checksums
    return 1
  }
  sha256sum --check ../checksums
}

unpack() {
  rm -rf "$source"
  mkdir -p "$source"
  # This tarball has no folder around its files.
  tar -xf "$work"/package/paraview_*.orig.tar.* -C "$source"
  [ -f "$source/CMakeLists.txt" ] || { echo "the source has no CMakeLists.txt at its top"; return 1; }
  tar -xf "$work"/package/paraview_*.debian.tar.* -C "$source"
  local name
  cd "$source"
  while read -r name; do
    case $name in '' | '#'*) continue ;; esac
    echo "patch $name"
    patch --batch --forward -p1 <"debian/patches/${name%% *}"
  done <debian/patches/series
}

configure() {
  local modules=() name
  for name in AMR FiltersGeneral FiltersGeneralMPI FiltersFlowPaths Misc FiltersPython; do
    modules+=("-DVTK_MODULE_ENABLE_ParaView_VTKExtensions$name=YES")
  done
  cmake -G Ninja -S "$source" -B "$work/build" -DCMAKE_INSTALL_PREFIX="$target" \
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" \
    -DBUILD_TESTING=OFF -DPARAVIEW_USE_MPI=ON -DPARAVIEW_USE_PYTHON=ON -DPARAVIEW_USE_QT=OFF \
    -DPARAVIEW_BUILD_EDITION=RENDERING -DPARAVIEW_ENABLE_CGNS_READER=ON -DVTK_MODULE_ENABLE_VTK_IOHDF=YES \
    "${modules[@]}" \
    -DVTK_MODULE_ENABLE_VTK_IOXdmf2=YES -DVTK_MODULE_USE_EXTERNAL_VTK_hdf5=ON \
    -DPARAVIEW_PLUGINS_DEFAULT=OFF -DPARAVIEW_ENABLE_WEB=OFF -DPARAVIEW_USE_VTKM=OFF -DPARAVIEW_ENABLE_VISITBRIDGE=OFF \
    -DPARAVIEW_ENABLE_FFMPEG=OFF -DPARAVIEW_ENABLE_CATALYST=OFF -DPARAVIEW_BUILD_TRANSLATIONS=OFF \
    -DMPI_C_COMPILER=/usr/bin/mpicc.mpich -DMPI_CXX_COMPILER=/usr/bin/mpicxx.mpich \
    -DHDF5_ROOT=/usr/lib/x86_64-linux-gnu/hdf5/mpich \
    -DHDF5_PREFER_PARALLEL=ON -DHDF5_C_COMPILER_EXECUTABLE=/usr/bin/h5pcc.mpich
}

compile() { cmake --build "$work/build" -j "$jobs"; }
install() { cmake --install "$work/build" --strip; }

requireDebian
if [ -e "$target/lib/cmake/paraview-5.13/paraview-config.cmake" ] && [ ! -d "$work/build" ]; then
  say "$target holds a ParaView already"
  exit 0
fi
run() { step "$1" "$2" bash -euo pipefail -c "$(declare -p version target work source jobs); $(declare -f "$3"); $3"; }
run fetched "fetching Debian's source package (177 MB)" fetch
run unpacked "unpacking and patching it" unpack
run configured "configuring ParaView $version for MPICH" configure
[ "$last" != configure ] || exit 0
run compiled "compiling it with $jobs processes (45 minutes on 4 cores; log: $work/compiled.log)" compile
run installed "installing it into $target" install
find "$work" -mindepth 1 -delete
rmdir "$work" 2>/dev/null || true
say "ParaView $version on MPICH is in $target ($(du -sh "$target" | cut -f 1)). Only its development needs that; ./dev test takes it from the default folder, or from DSM_PARAVIEW_MPICH"

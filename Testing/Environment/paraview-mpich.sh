#!/usr/bin/env bash
# A ParaView on MPICH, which Debian does not package.
#
#   paraview-mpich.sh find             print the folder of the one there is, or nothing
#   paraview-mpich.sh build [FOLDER]   build one from Debian's source package (paraview-mpich-build.sh)
#
# find takes, in this order: DSM_PARAVIEW_MPICH, a folder or an archive of one (tar, any compression);
# ../shared/paraview-mpich.tar.xz beside the checkout; what build made. An archive is unpacked once, below
# the cache folder, also when several checkouts ask at the same time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
cache=${DSM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/paraview-dsm}
store=$cache/paraview-mpich

say() { printf 'dev: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

isParaView() { compgen -G "$1/lib/cmake/paraview-*/paraview-config.cmake" >/dev/null && [ -x "$1/bin/pvbatch" ]; }

unpack() {
  local archive=$1 key target freeMiB
  key=$(sha256sum "$archive" | cut -c 1-16)
  target=$store/$key
  if [ ! -d "$target" ]; then
    mkdir -p "$store"
    exec 9>"$store/lock"
    flock -w 600 9 || die "another dev command has been unpacking for 10 minutes ($store/lock is locked)"
    if [ ! -d "$target" ]; then
      freeMiB=$(df --output=avail -BM "$store" | tail -n 1 | tr -dc 0-9)
      [ "$freeMiB" -ge 1024 ] || die "$store has $freeMiB MiB free and a ParaView needs 1024: free some, or name another folder with DSM_CACHE"
      say "unpacking $archive into $target"
      rm -rf "$target.partial"
      mkdir "$target.partial"
      tar -xf "$archive" -C "$target.partial" --strip-components=1 || die "$archive cannot be unpacked"
      isParaView "$target.partial" || die "$archive holds no ParaView with development files: there is no bin/pvbatch or lib/cmake/paraview-* in its one folder"
      mv "$target.partial" "$target"
    fi
    exec 9>&-
  fi
  printf '%s\n' "$target"
}

findOne() {
  local given=${DSM_PARAVIEW_MPICH:-} beside=$checkout/../shared/paraview-mpich.tar.xz
  if [ -n "$given" ] && [ ! -e "$given" ]; then
    die "DSM_PARAVIEW_MPICH is $given, which does not exist: name the folder of a ParaView on MPICH, or an archive of it"
  elif [ -z "$given" ] && [ -f "$beside" ]; then
    given=$beside
  elif [ -z "$given" ] && isParaView "$store/built"; then
    given=$store/built
  fi
  if [ -d "$given" ]; then
    isParaView "$given" || die "$given holds no ParaView with development files: there is no bin/pvbatch or lib/cmake/paraview-*"
    realpath "$given"
  elif [ -n "$given" ]; then
    unpack "$given"
  fi
}

case ${1:-} in
  find) findOne ;;
  build)
    target=$(realpath -m "${2:-$store/built}")
    if [ "${DSM_NATIVE:-}" = 1 ]; then exec "$here/paraview-mpich-build.sh" "$target"; fi
    "$here/root.sh" make
    # Both folders are seen inside the root under their own names; there they cannot be removed, only emptied.
    mkdir -p "$target" "$target.work"
    DSM_BIND="${DSM_BIND:+$DSM_BIND:}$target:$target.work" "$here/root.sh" enter "$here/paraview-mpich-build.sh" "$target"
    rmdir "$target.work"
    ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

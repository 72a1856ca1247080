#!/usr/bin/env bash
# A newer ParaView than Debian 13's: that of the root of Debian's next release (root.sh with DSM_SUITE=sid), 6.1.1 with
# VTK 9.6.2 and HDF5 2 when this was written. Tests run the plugin in Python there, as Debian 13's build has it.
#
#   newer-paraview.sh get              make the root (5 GB, 4 min; needs root rights), unless it is there
#   newer-paraview.sh find             print its folder, or nothing
#   newer-paraview.sh enter COMMAND…   run COMMAND in it, with this machine's folders and this environment
#
# The folder is DSM_NEWER_PARAVIEW, or ~/.cache/paraview-dsm/sid. In Debian 13's root:
#   DSM_NEWER_PARAVIEW=$(newer-paraview.sh find) DSM_BIND=$DSM_NEWER_PARAVIEW ./dev test -R ParaView.PythonPlugin
set -euo pipefail

target=${DSM_NEWER_PARAVIEW:-${DSM_CACHE:-$HOME/.cache/paraview-dsm}/sid}

# Copies the libraries that ours need and another release has in another version.
libraries() {
  local folder=/tmp/paraview-dsm-libraries name
  mkdir -p "$folder"
  for name in /usr/lib/*/libfmt.so.* /usr/lib/*/libspdlog.so.*; do
    [ -e "$folder/${name##*/}" ] || cp -L "$name" "$folder/"
  done
  printf '%s' "$folder"
}

enter() {
  LD_LIBRARY_PATH=$(libraries)
  export LD_LIBRARY_PATH
  # In another root the mounts are private already, and it is no mount point itself.
  local propagation=private
  unshare --mount --propagation "$propagation" true 2>/dev/null || propagation=unchanged
  # shellcheck disable=SC2016 # the other shell expands it
  exec unshare --mount --propagation "$propagation" bash -c '
    set -e
    target=$1 here=$PWD; shift
    for folder in proc sys dev tmp; do mount --rbind "/$folder" "$target/$folder"; done
    checkout=$1; shift
    mkdir -p "$target$checkout"
    mount --rbind "$checkout" "$target$checkout"
    exec chroot "$target" /usr/bin/env --chdir="$here" "$@"' enter "$target" "$checkout" "$@"
}

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1:-} in
  get) DSM_SUITE=sid "$checkout/Testing/Environment/root.sh" make demo ;;
  find) [ ! -d "$target" ] || printf '%s\n' "$target" ;;
  enter) shift && enter "$@" ;;
  *) sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,12p >&2 && exit 2 ;;
esac

#!/usr/bin/env bash
# Runs a test's command in folders that the documentation may show: with the build in /opt/paraview-dsm, and
# an empty folder /home/you. Only the command sees them (a mount namespace of its own), and only in the
# project's own Debian root: on somebody's machine the command is run as it is.
#
#   neutral_folders.sh BUILD COMMAND…     in COMMAND's environment, BUILD becomes /opt/paraview-dsm
set -euo pipefail
build=$1
shift

if [ ! -e /.dsm-packages ] || ! unshare --mount --propagation unchanged true 2>/dev/null; then
  exec "$@"
fi
installed=/opt/paraview-dsm home=/home/you
mkdir -p "$installed" "$home"
export DSM_TEST_NEUTRAL_FOLDERS=$installed:$home
# Before the folders of the build, which its libraries have as RUNPATH.
export LD_LIBRARY_PATH=$installed/lib/paraview-dsm/ParaViewDSM:$installed/lib
for name in DSM_PLUGIN_FOLDER DSM_TEST_BIN DSM_TEST_PROGRAMS; do
  export "$name=${!name//"$build"/"$installed"}"
done
# shellcheck disable=SC2016
exec unshare --mount --propagation unchanged bash -c '
  set -e
  mount --bind "$1" "$2"
  mount -t tmpfs tmpfs "$3"
  shift 3
  exec "$@"
' neutral "$build" "$installed" "$home" "$@"

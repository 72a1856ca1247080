#!/usr/bin/env bash
# An MPICH that connects running jobs (MPI_Open_port, MPI_Comm_connect): PyPI's "mpich", built with libfabric.
# Debian's, built with UCX, has no ports. Its library has Debian's ABI, so what was built with that runs with
# this one when the folder `lib` is first in LD_LIBRARY_PATH. Needs pip; called by root.sh, and by hand with
# DSM_NATIVE=1.
#
#   mpich-ports.sh get     fetch it (13 MB) and unpack it (36 MB), unless that is done
#   mpich-ports.sh find    print its folder, or nothing
#
# The folder is DSM_MPICH_PORTS, or one below ~/.cache/paraview-dsm.
set -euo pipefail

wanted="mpich==5.0.2 --hash=sha256:8fed465ebff269ea2ebac179a25de02671ddf8df476e0f115be089015015cfd4"
target=${DSM_MPICH_PORTS:-$HOME/.cache/paraview-dsm/mpich-ports}
# The machine's own certificates, where a root stands in for it.
certificates=/etc/ssl/certs/dsm-host.crt

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

get() {
  [ "$(cat "$target/made-from" 2>/dev/null)" != "$wanted" ] || return 0
  [ "$(uname -m)" = x86_64 ] || die "PyPI's MPICH is taken for x86_64 only, and this is $(uname -m)"
  local work
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  printf '%s\n' "$wanted" >"$work/wanted.txt"
  local options=(--quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --timeout 20 --retries 3)
  [ ! -f "$certificates" ] || options+=(--cert "$certificates")
  python3 -m pip download "${options[@]}" --dest "$work" --requirement "$work/wanted.txt" ||
    die "PyPI's MPICH cannot be fetched (see above)"
  python3 -m zipfile --extract "$work"/mpich-*.whl "$work/wheel"
  local made
  made=$(echo "$work"/wheel/mpich-*.data/data)
  [ -f "$made/lib/libmpi.so.12" ] || die "PyPI's MPICH holds no lib/libmpi.so.12"
  chmod +x "$made"/bin/*
  # Its names for two libraries, where our programs look for Debian's.
  ln -s libmpi.so.12 "$made/lib/libmpich.so.12"
  ln -s mpich/libfabric.so.1 "$made/lib/libfabric.so.1"
  printf '%s' "$wanted" >"$made/made-from"
  rm -rf "$target"
  mv "$made" "$target"
}

case ${1:-} in
  get) get ;;
  find) if [ -x "$target/bin/mpiexec" ]; then printf '%s\n' "$target"; fi ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

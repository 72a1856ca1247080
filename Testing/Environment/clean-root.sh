#!/usr/bin/env bash
# A Debian 13 that has nothing but apt, in which tests install packages and build images. Needs root rights, mmdebstrap
# and Debian's mirror; called by root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   clean-root.sh get [SUITE]             make it, as an archive of 180 MB (40 s), unless that is done
#   clean-root.sh find [SUITE]            print the archive, or nothing
#   clean-root.sh enter FOLDER COMMAND…   run a command in a folder where the archive is unpacked
#   clean-root.sh layer FOLDER COMMAND…   run a command in this system, whose changes go to a folder instead
#
# Both see this system's /tmp and compiler cache.
#
# The archive is DSM_CLEAN_ROOT, or one below ~/.cache/paraview-dsm. SUITE is another release of Debian.
set -euo pipefail

suite=trixie
case ${1:-} in get | find) suite=${2:-$suite} ;; esac
target=${DSM_CLEAN_ROOT:-$HOME/.cache/paraview-dsm/clean-root.tar}
[ "$suite" = trixie ] || target=${target%.tar}-$suite.tar

# shellcheck source=suite.sh
. "$(dirname "${BASH_SOURCE[0]}")/suite.sh"

get() {
  [ ! -f "$target" ] || return 0
  local work address
  command -v mmdebstrap >/dev/null || die "mmdebstrap is missing, so there is no clean root: install it"
  address=$(mirror)
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  mmdebstrap --quiet --variant=minbase --skip=cleanup/apt/lists --dpkgopt=force-unsafe-io "$suite" "$work/new.tar" \
    "$address" || die "the clean root cannot be made (see above)"
  mv "$work/new.tar" "$target"
}

# inside LOWER FOLDER COMMAND…: runs a command whose root is the folder, or a layer in it above the folder LOWER. Mounts
# live in a namespace of the command's. Its "/" is the root of that namespace, and not only that of a chroot: programs
# that make containers want that.
inside() {
  local propagation=private
  # In a chroot the namespace around it is private, and unshare can change nothing about that.
  unshare --mount true 2>/dev/null || propagation=unchanged
  # shellcheck disable=SC2016 # the other shell expands it
  unshare --mount --propagation "$propagation" bash -c '
    set -e
    lower=$1 root=$2
    shift 2
    if [ -n "$lower" ]; then
      mkdir -p "$root/upper" "$root/work" "$root/root"
      mount -t overlay overlay -o "lowerdir=$lower,upperdir=$root/upper,workdir=$root/work" "$root/root"
      root=$root/root
    else
      mount --rbind "$root" "$root"
    fi
    for folder in proc sys dev tmp var/cache/ccache; do
      [ -d "/$folder" ] || continue
      mkdir -p "$root/$folder"
      mount --rbind "/$folder" "$root/$folder"
    done
    # Leaves the chroot, if this is one.
    exec nsenter --mount=/proc/self/ns/mnt --wd="$root" bash -c "$0" pivot "$@"' '
    set -e
    if pivot_root . . 2>/dev/null; then
      umount --lazy .
      cd /
      exec "$@"
    fi
    exec chroot . "$@"' "$@"
}

# Runs a command as `inside` does, with an environment of its own.
clean() {
  inside "$1" "$2" /usr/bin/env --ignore-environment HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    "${@:3}"
}

enter() {
  cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null || true
  clean '' "$@"
}

layer() { clean / "$@"; }

case ${1:-} in
  get) get ;;
  find) if [ -f "$target" ]; then printf '%s\n' "$target"; fi ;;
  enter | layer) "$@" ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

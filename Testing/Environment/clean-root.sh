#!/usr/bin/env bash
# A Debian 13 that has nothing but apt, in which tests install packages and build images. Needs root rights, mmdebstrap
# and Debian's mirror; called by root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   clean-root.sh get                     make it, as an archive of 180 MB (40 s), unless that is done
#   clean-root.sh find                    print the archive, or nothing
#   clean-root.sh enter FOLDER COMMAND…   run a command in a folder where the archive is unpacked
#   clean-root.sh layer FOLDER COMMAND…   run a command in this system, whose changes go to a folder instead
#   clean-root.sh mounted COMMAND…        run a command here, with a root folder that is a mount point
#
# The archive is DSM_CLEAN_ROOT, or one below ~/.cache/paraview-dsm.
set -euo pipefail

target=${DSM_CLEAN_ROOT:-$HOME/.cache/paraview-dsm/clean-root.tar}

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

get() {
  [ ! -f "$target" ] || return 0
  local work mirror
  command -v mmdebstrap >/dev/null || die "mmdebstrap is missing, so there is no clean root: install it"
  # shellcheck disable=SC2016 # apt expands it
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sed -n 1p)
  [ -n "$mirror" ] || die "apt knows no mirror of Debian, so there is no clean root"
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  mmdebstrap --quiet --variant=minbase --skip=cleanup/apt/lists --dpkgopt=force-unsafe-io trixie "$work/new.tar" \
    "$mirror" || die "the clean root cannot be made (see above)"
  mv "$work/new.tar" "$target"
}

# Runs bash in a mount namespace of its own, whose mounts go with the command. In a chroot the namespace around it is
# private, and unshare can change nothing about that.
apart() {
  local propagation=private
  unshare --mount true 2>/dev/null || propagation=unchanged
  unshare --mount --propagation "$propagation" bash -c "$@"
}

# shellcheck disable=SC2016 # the other shell expands it
inRoot='
  set -e
  root=$1 lower=$2
  shift 2
  if [ -n "$lower" ]; then
    mkdir -p "$root/upper" "$root/work" "$root/root"
    mount -t overlay overlay -o "lowerdir=$lower,upperdir=$root/upper,workdir=$root/work" "$root/root"
    root=$root/root
  fi
  for folder in proc sys dev; do mount --rbind "/$folder" "$root/$folder"; done
  exec chroot "$root" /usr/bin/env --ignore-environment HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    "$@"'

enter() {
  local root=$1
  shift
  cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
  apart "$inRoot" enter "$root" '' "$@"
}

layer() {
  local folder=$1
  shift
  apart "$inRoot" layer "$folder" / "$@"
}

# Programs that make containers change how "/" is mounted, which a chroot does not let them.
mounted() {
  # shellcheck disable=SC2016 # the other shell expands it
  apart '
    set -e
    mkdir -p /run/paraview-dsm-root
    mount --rbind / /run/paraview-dsm-root
    exec chroot /run/paraview-dsm-root /usr/bin/env --chdir="$PWD" "$@"' mounted "$@"
}

case ${1:-} in
  get) get ;;
  find) if [ -f "$target" ]; then printf '%s\n' "$target"; fi ;;
  enter | layer | mounted) "$@" ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

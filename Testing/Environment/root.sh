#!/usr/bin/env bash
# Makes a Debian root under the cache folder and runs commands inside it: Debian 13's, or that of the suite that
# DSM_SUITE names.
#
#   root.sh make [STAGE]      make the root, or finish one that was interrupted, up to a stage of packages.txt (tests)
#   root.sh has [STAGE]       whether that is done
#   root.sh enter COMMAND…    run COMMAND inside, in this folder, with this checkout visible
#
# The host is left alone: mounts live in a private mount namespace and go with the command, and all
# files are below the cache folder. Only mmdebstrap itself may be installed on the host, with apt.
#
# A user without root rights is root in a user namespace, where the numbers of other users are those that
# /etc/subuid and /etc/subgid give away.
set -euo pipefail

suite=${DSM_SUITE:-trixie}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
cache=${DSM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/paraview-dsm}
root=$cache/$suite
packages=$here/packages.txt
log=$cache/$suite.log

say() { printf 'dev: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# 'paraview-dsm' root entries that must exist before anything is mounted over them
mountPoints=(proc sys dev tmp)

# Runs this script again as the root of a user namespace, unless the user is root. Returns for root only.
becomeRoot() {
  [ "$(id -u)" != 0 ] || return 0
  local problem
  if ! command -v newuidmap >/dev/null || ! command -v mmdebstrap >/dev/null; then
    die "without root rights this needs newuidmap and mmdebstrap: have them installed (apt-get install uidmap mmdebstrap), run this as root, or work natively on Debian 13 with DSM_NATIVE=1"
  fi
  problem=$(unshare --user --map-auto --map-root-user --mount true 2>&1) ||
    die "this machine forbids user namespaces, or has no numbers for this user in /etc/subuid and /etc/subgid (usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $(id -un)): $problem"
  exec unshare --user --map-auto --map-root-user --mount "$0" "$@"
}

requireRights() {
  unshare --mount --propagation private true 2>/dev/null ||
    die "this kernel or container forbids mount namespaces (unshare --mount): run on the machine itself, or give the container CAP_SYS_ADMIN"
}

requireDisk() {
  mkdir -p "$cache"
  local freeMiB
  freeMiB=$(df --output=avail -BM "$cache" | tail -n 1 | tr -dc 0-9)
  [ "$freeMiB" -ge 8192 ] || die "$cache has $freeMiB MiB free and the root needs 8192: free some, or name another folder with DSM_CACHE"
  local options
  options=$(findmnt --noheadings --output OPTIONS --target "$cache" || true)
  case ",$options," in
    *,nodev,* | *,noexec,*) die "$cache is on a file system mounted nodev or noexec, where a root cannot work: name another folder with DSM_CACHE" ;;
  esac
}

# Runs a command quietly, its output in the log, with a dot now and then; on failure shows the log's end.
logged() {
  local what=$1 began=$SECONDS pid
  shift
  printf 'dev: %s ' "$what" >&2
  "$@" >>"$log" 2>&1 </dev/null &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 2
    if [ $(((SECONDS - began) % 10)) -lt 2 ]; then printf '.' >&2; fi
  done
  if ! wait "$pid"; then
    printf ' failed\n' >&2
    tail -n 15 "$log" >&2
    die "$what failed (whole log: $log). If the network or the package mirror was the cause, run the same command again: it goes on where it stopped"
  fi
  printf ' %d s\n' $((SECONDS - began)) >&2
}

# The mirror the host itself uses, so that a site's own mirror is respected; Debian's own otherwise.
hostMirror() {
  local uri
  uri=$(sed -nE 's/^URIs: *([^ ]+\/debian)\/? *$/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
  [ -n "$uri" ] || uri=$(sed -nE 's/^deb +(\[[^]]*\] +)?([^ ]+\/debian)\/? .*/\2/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
  printf '%s' "${uri:-http://deb.debian.org/debian}"
}

bootstrap() {
  if ! command -v mmdebstrap >/dev/null; then
    command -v apt-get >/dev/null || die "mmdebstrap is not installed and there is no apt to install it: install mmdebstrap"
    logged "installing mmdebstrap on this machine" bash -c 'apt-get update && apt-get install -y --no-install-recommends mmdebstrap'
  fi
  # The lists of a suite that is not released may be older than they say they may be.
  local lists=()
  [ "$suite" = trixie ] || lists=(--aptopt='Acquire::Check-Valid-Until "false"')
  rm -rf "$root.partial"
  # Not asked to be safe from a power cut: fsync is half of the time (eatmydata, force-unsafe-io). The package lists
  # stay, for what is installed next.
  logged "Debian $suite base system" mmdebstrap "${lists[@]}" --variant=minbase --include=eatmydata \
    --skip=cleanup/apt/lists \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt=force-unsafe-io \
    "$suite" "$root.partial" "$(hostMirror)"
  mv "$root.partial" "$root"
}

stages() { sed -nE 's/^\[(.*)\]$/\1/p' "$packages"; }

# The packages of a stage and of those before it: all suites' and this one's.
packageNames() {
  awk -v last="$1" -v own="$suite:" '
    /^\[/ { if (done) exit; done = $0 == "[" last "]"; next }
    { sub(/#.*/, "") }
    NF == 1 { print $1 }
    $1 == own { print $2 }' "$packages"
}

# A line for each list that was installed: checkouts of several versions share a root, and nothing is taken away.
packagesStamp() { packageNames "$1" | sha256sum | cut -d ' ' -f 1; }
hasPackages() { grep -qxF "$(packagesStamp "$1")" "$root/.dsm-packages" 2>/dev/null; }

# Leaves out of `names` what another suite does not have.
onlyThere() {
  local left
  enter apt-cache pkgnames >"$cache/$suite.packages"
  left=$(printf '%s\n' "${names[@]}" | grep -vxF -f "$cache/$suite.packages" | tr '\n' ' ' || true)
  [ -z "$left" ] || say "$suite does not have these packages: ${left% }"
  mapfile -t names < <(printf '%s\n' "${names[@]}" | grep -xF -f "$cache/$suite.packages")
}

installPackages() {
  local stage=$1 names apt=(eatmydata apt-get -o Acquire::Retries=5 -o Dpkg::Use-Pty=0) each
  ! hasPackages "$stage" || return 0
  export DEBIAN_FRONTEND=noninteractive
  # A root that an earlier version made, or whose lists are a day old.
  [ -e "$root/usr/bin/eatmydata" ] || apt=("${apt[@]:1}")
  if [ -z "$(find "$root/var/lib/apt/lists" -name '*_Packages' -mtime -1)" ]; then logged "package lists" enter "${apt[@]}" update; fi
  if [ -n "$(enter dpkg --audit)" ]; then
    logged "finishing what was interrupted" enter bash -c 'dpkg --configure -a && apt-get -y -f install'
  fi
  mapfile -t names < <(packageNames "$stage")
  if [ "$suite" != trixie ]; then onlyThere; fi
  logged "downloading packages: $stage" enter "${apt[@]}" install -y --no-install-recommends --download-only "${names[@]}"
  mkdir -p "$root/usr/share/man/man1" # Java's packages want it
  logged "installing packages: $stage" enter "${apt[@]}" install -y --no-install-recommends "${names[@]}"
  enter apt-get clean
  for each in $(stages); do
    printf '\n%s\n' "$(packagesStamp "$each")" >>"$root/.dsm-packages"
    [ "$each" != "$stage" ] || break
  done
}

# What Debian 13 has not, for a stage. Tried once per version; without it the tests that need it are skipped.
elsewhere() {
  case $suite-$1 in
    *-library | *-demo) ;;
    trixie-all) echo mpich-ports h5py-wheel openpmd hdf5-2 python-vtk trame mpi-wheels ruff generators dedalus vtk-wheels hdf5-abi python-abi clean-root apptainer easybuild rattler-build ;;
    trixie-*) echo mpich-ports h5py-wheel openpmd hdf5-2 python-vtk trame mpi-wheels ruff ;;
  esac
}
asked() { [ "$(cat "$root/.dsm-$1" 2>/dev/null)" = "$(cat "$here/pypi.sh" "$here/$1.sh" | sha256sum)" ]; }

askedForAll() {
  local name
  for name in $(elsewhere "$1"); do asked "$name" || return; done
}

installFromElsewhere() {
  local name
  for name in $(elsewhere "$1"); do
    if asked "$name"; then continue; fi
    enter "$here/$name.sh" get ||
      say "so the tests that need it are skipped. To try again: $0 enter $here/$name.sh get"
    cat "$here/pypi.sh" "$here/$name.sh" | sha256sum >"$root/.dsm-$name"
  done
}

has() {
  [ -d "$root" ] && hasPackages "$1" && askedForAll "$1"
}

make() {
  requireRights
  mkdir -p "$cache"
  exec 9>"$root.lock"
  flock -w 1800 9 || die "another dev command has been making the root for 30 minutes ($root.lock is locked)"
  if has "$1"; then
    exec 9>&-
    return
  fi
  requireDisk
  : >"$log"
  [ -d "$root" ] || bootstrap
  installPackages "$1"
  installFromElsewhere "$1"
  exec 9>&-
}

# Runs a command in the root. The checkout stands at its own path, as do the ParaViews on MPICH and the
# folders named in DSM_BIND (colon-separated), so paths mean the same inside and outside.
enter() {
  local mounts=("$checkout" ) folder
  IFS=: read -r -a extra <<<"${DSM_BIND:-}"
  extra+=("$cache/paraview-mpich" "${DSM_PARAVIEW_MPICH:-}")
  for folder in "${extra[@]}"; do [ -d "$folder" ] && mounts+=("$folder"); done
  for folder in "${mountPoints[@]}" "${mounts[@]}"; do mkdir -p "$root/${folder#/}"; done
  cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
  # For pip: a machine behind a proxy may trust more than Debian does.
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/dsm-host.crt" 2>/dev/null || true
  local variables=(
    HOME=/root USER=root LOGNAME=root TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    DSM_NATIVE=1 CCACHE_DIR=/var/cache/ccache
    # How a command of this root is run from outside, for those who are told one. Empty: do not tell.
    "DSM_SHELL=${DSM_SHELL-$checkout/dev shell}"
    # Open MPI refuses to run as root unless told twice, once for itself and once for its launcher.
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  )
  local name
  for name in DISPLAY CI DEBIAN_FRONTEND http_proxy https_proxy no_proxy PIP_INDEX_URL ${!DSM_@}; do
    case $name in DSM_NATIVE | DSM_CACHE | DSM_SHELL) continue ;; esac
    [ -n "${!name:-}" ] && variables+=("$name=${!name}")
  done
  # The folder that the user is in, where that is seen inside.
  local workFolder=$checkout
  for folder in /tmp "${mounts[@]}"; do
    case "$PWD/" in "$folder"/*) workFolder=$PWD ;; esac
  done
  # shellcheck disable=SC2016 # the other shell expands it
  env -i "${variables[@]}" unshare --mount --propagation private bash -c '
    set -e
    root=$1 workFolder=$2; shift 2
    while [ "$1" != -- ]; do
      case $1 in
        proc | sys | dev) mount --rbind "/$1" "$root/$1" ;;
        tmp) mount --bind /tmp "$root/tmp" ;;
        *) mount --rbind "$1" "$root$1" ;;
      esac
      shift
    done
    shift
    exec chroot "$root" /usr/bin/env --chdir="$workFolder" "$@"
  ' enter "$root" "$workFolder" "${mountPoints[@]}" "${mounts[@]}" -- "$@"
}

stage=${2:-tests}
case ${1:-} in make | has | enter) becomeRoot "$@" ;; esac
case ${1:-} in
  make | has)
    stages | grep -qxF "$stage" || die "packages.txt has no stage \"$stage\""
    "$1" "$stage"
    ;;
  enter)
    shift
    requireRights
    [ -d "$root" ] || die "there is no root in $root: run '$0 make' first"
    enter "$@"
    ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

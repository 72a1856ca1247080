# shellcheck shell=bash
# How something is taken from PyPI: pinned by its hash, unpacked into a folder of its own, and kept until another is
# wanted. For scripts, which define a function
#
#   take WHEEL NEW                       what of the unpacked wheel, or wheels, goes into the new folder
#
# and then call
#
#   fromPyPI WANTED FOLDER get | find    fetch it, unless that is done; or print its folder, or nothing
#
# WANTED is lines of a pip requirements file, with a hash for each kind of machine.
#
# What PyPI has as source only is built where the script says so with `from`.

# The machine's own certificates, where a root stands in for it.
certificates=/etc/ssl/certs/dsm-host.crt
# Which of PyPI's files are taken.
from=(--only-binary :all:)

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

isThere() { [ "$(cat "$target/made-from" 2>/dev/null)" = "$wanted" ]; }

get() {
  ! isThere || return 0
  local work options wheel
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  printf '%s\n' "$wanted" >"$work/wanted.txt"
  options=(--quiet --disable-pip-version-check --no-deps "${from[@]}" --require-hashes --timeout 20 --retries 3)
  [ ! -f "$certificates" ] || options+=(--cert "$certificates")
  python3 -m pip wheel "${options[@]}" --wheel-dir "$work" --requirement "$work/wanted.txt" ||
    die "${wanted%% *} cannot be had from PyPI (see above)"
  for wheel in "$work"/*.whl; do python3 -m zipfile --extract "$wheel" "$work/wheel"; done
  mkdir "$work/new"
  take "$work/wheel" "$work/new"
  printf '%s' "$wanted" >"$work/new/made-from"
  rm -rf "$target"
  mv "$work/new" "$target"
}

fromPyPI() {
  wanted=$1 target=$2
  case ${3:-} in
    get) get ;;
    find) if isThere; then printf '%s\n' "$target"; fi ;;
    *) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 2 ;;
  esac
}

#!/usr/bin/env bash
# Apptainer, by which a test makes an image: Debian's next release has it, and its package fits Debian 13. Called by
# root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   apptainer.sh get     fetch the package (18 MB, and 10 MB of package lists), unless that is done
#   apptainer.sh find    print the package's file, or nothing
#
# The file is DSM_APPTAINER, or one below ~/.cache/paraview-dsm.
set -euo pipefail

suite=sid
target=${DSM_APPTAINER:-$HOME/.cache/paraview-dsm/apptainer.deb}

# shellcheck source=suite.sh
. "$(dirname "${BASH_SOURCE[0]}")/suite.sh"

get() {
  [ ! -f "$target" ] || return 0
  local work options
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX")
  # shellcheck disable=SC2064 # now: the name is local
  trap "rm -rf '$work'" EXIT
  lists "$suite" "$work"
  (cd "$work" && apt-get "${options[@]}" download apptainer) || die "Debian's apptainer cannot be fetched (see above)"
  mv "$work"/apptainer_*.deb "$target"
}

case ${1:-} in
  get) get ;;
  find) if [ -f "$target" ]; then printf '%s\n' "$target"; fi ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

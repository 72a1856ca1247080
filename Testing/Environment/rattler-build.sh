#!/usr/bin/env bash
# rattler-build, as a Python package, by which a test renders our conda recipe. Needs pip; called by root.sh for
# ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   rattler-build.sh get     fetch it (27 MB), unless that is done
#   rattler-build.sh find    print the folder that Python is to look into, or nothing
#
# The folder is DSM_RATTLER_BUILD, or one below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1/rattler_build" "$2"
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's rattler-build is taken for x86_64 only, and this is $(uname -m)"
fromPyPI "py-rattler-build==0.73.0 --hash=sha256:2a0d8b3fa656b334d16132927d37ef6061d706ee6598e5ccac98d8d8fb03a242" \
  "${DSM_RATTLER_BUILD:-$HOME/.cache/paraview-dsm/rattler-build}" "$@"

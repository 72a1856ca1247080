#!/usr/bin/env bash
# ruff, which checks our Python (ruff.toml): Debian 13 does not have it. Needs pip; called by root.sh, and by hand
# with DSM_NATIVE=1.
#
#   ruff.sh get     fetch it (11 MB), unless that is done
#   ruff.sh find    print the folder in which it is, or nothing
#
# The folder is DSM_RUFF, or one below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"
x86_64=aa3b08254a732acba246891089a152c47c5733dc36b8ecb76ce8602f8326e5e4
aarch64=435241c61af5909a022f76219d3d1bf24730dc1bf0acabb5ddf4b569ab3cbb30

take() {
  mv "$1"/ruff-*.data/scripts/ruff "$2"
  chmod +x "$2/ruff"
}

fromPyPI "ruff==0.17.6 --hash=sha256:$x86_64 --hash=sha256:$aarch64" \
  "${DSM_RUFF:-$HOME/.cache/paraview-dsm/ruff}" "$@"

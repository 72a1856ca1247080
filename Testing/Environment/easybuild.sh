#!/usr/bin/env bash
# EasyBuild, by which a test reads our easyconfig and finds its dependencies. PyPI has the source only; nothing of it is
# compiled. Needs pip and setuptools; called by root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   easybuild.sh get     fetch it (12 MB), unless that is done
#   easybuild.sh find    print the folder that Python is to look into, or nothing; easyconfigs are in its folder of that name
#
# The folder is DSM_EASYBUILD, or one below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"
from=(--no-binary :all: --no-build-isolation)

take() {
  local data
  mv "$1/easybuild" "$2"
  for data in "$1"/easybuild_*.data; do cp -r "$data/data/." "$2"; done
  mv "$2/easybuild/easyconfigs" "$2/easyconfigs"
}

fromPyPI "easybuild-framework==5.4.1 --hash=sha256:18c7cb3cdb448a2ec9b4f9cdc38517b5f9ca1b63b5691f1589f67f114958c2c9
easybuild-easyblocks==5.4.1 --hash=sha256:ec76f56bfb6398ecb863dfc456a15aacc8da8c1ebf21e560a1410d8210825386
easybuild-easyconfigs==5.4.1 --hash=sha256:9b0407a0dd19d4c1ccfd2735392df0d22a09738254b10fc3ed7cf826d44c47c2" \
  "${DSM_EASYBUILD:-$HOME/.cache/paraview-dsm/easybuild}" "$@"

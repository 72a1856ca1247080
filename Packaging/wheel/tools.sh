#!/usr/bin/env bash
# Fetches what builds the wheel besides the compiler: PyPI's scikit-build-core and wheel. It needs pip.
#
#   tools.sh get     fetch them (1 MB), unless they are there
#   tools.sh find    print the folder for PYTHONPATH, or nothing
#
# The folder is DSM_WHEEL_TOOLS, or below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=../../Testing/Environment/pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../Testing/Environment/pypi.sh"

take() { cp -r "$1"/* "$2"/; }

fromPyPI "scikit-build-core==1.1.2 --hash=sha256:7f4f959a467692db50bdd1ea7ce1507f2c7972e6023b753ee302d169bc4cec85
pathspec==1.1.1 --hash=sha256:a00ce642f577bf7f473932318056212bc4f8bfdf53128c78bbd5af0b9b20b189
packaging==26.4 --hash=sha256:81383611a09c1bc0b08b76e0fd5829d7c6824c65b27a6aee339da133f4233ea2
wheel==0.48.0 --hash=sha256:3217dcc807155e45db462d7ef2431f5ddda0d7273b700d05a67b271ceb1287ab" \
  "${DSM_WHEEL_TOOLS:-$HOME/.cache/paraview-dsm/wheel-tools}" "${1:-}"

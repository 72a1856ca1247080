#!/usr/bin/env bash
# Who writes the formats that ParaView.MoreGenerators shows, and who reads them, as far as Debian has them not, from
# PyPI: FBPIC (and pyFFTW for it), openPMD-viewer, pyh5md, swiftsimio (and unyt). Needs pip and Python 3.13; called by
# root.sh for ./dev test --all, and by hand with DSM_NATIVE=1.
#
#   generators.sh get       fetch them (4 MB) and unpack them, unless that is done
#   generators.sh find      print the folder that Python is to look into, or nothing
#
# The folder is DSM_GENERATORS, or below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  mv "$1"/{fbpic,openpmd_viewer,pyfftw,pyfftw.libs,pyh5md,swiftsimio,swiftsimio-*.dist-info,unyt} "$2"
}

fromPyPI "fbpic==0.27.1 --hash=sha256:906ad9ca4a2a10fde2f052805ec3fba0c84b4bec014e7078c6eb0cee564ef041
openpmd-viewer==1.11.0 --hash=sha256:41b2ad4b610022fe1b8ae1b26c276a10d0992d07ce5d5dca3a609ed8fb20c9a1
pyfftw==0.15.1 --hash=sha256:16209de9a244ab7b3337e8ce8d528420ffd05881e7d19e5be21d2546a7e5b2c1 --hash=sha256:1716378d1d102527917b872a5baf15e2e3de52d5200ccc22128816cd71c33148
pyh5md==1.2.0 --hash=sha256:3f71ba75ec64be0d48e246c39ee6866738120760b9f3da8fea5dfe6f2433747c
swiftsimio==12.4.0 --hash=sha256:c3e30d215b1875d466c69bb206050443fd2a060e822ecfc141fc14a3081c1fcb
unyt==3.2.0 --hash=sha256:bf691dd4f57d550f259661d2c8d5dad9bc41170ab611dbf22817b50dc2a42a97" \
  "${DSM_GENERATORS:-$HOME/.cache/paraview-dsm/generators}" "$@"

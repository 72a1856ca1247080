#!/usr/bin/env bash
# Fetches what dsm-view needs besides the environment of python-vtk.sh: PyPI's trame 4 and its requirements, to be put
# beside that environment by PYTHONPATH. Needs pip and Python 3.13; called by root.sh, and by hand with DSM_NATIVE=1.
#
#   trame.sh get       fetch all of it (11 MB) and unpack it, unless that is done
#   trame.sh find      print the folder for PYTHONPATH, or nothing
#
# The folder is DSM_TRAME, or below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() { cp -r "$1"/* "$2"/; }

fromPyPI "trame==4.0.0 --hash=sha256:e3c8a89f7a209fea7a595bd877301c851cd0db18cc7620f11b08d4d7966e5dcc
aiohappyeyeballs==2.7.1 --hash=sha256:9243213661e29250eb41368e5daa826fc017156c3b8a11440826b2e3ed376472
aiohttp==3.14.5 --hash=sha256:1ffa3a523a36d8628f98c06492ae16a31a23d14c0b4ec721757b477319f656d6
aiosignal==1.4.0 --hash=sha256:053243f8b92b990551949e63930a839ff0cf0b0ebbe0597b0f3fb19e1a0fe82e
frozenlist==1.8.0 --hash=sha256:fb30f9626572a76dfe4293c7194a09fb1fe93ba94c7d4f720dfae3b646b45027
more_itertools==11.2.1 --hash=sha256:35a7377edd1dd6608dcb2cdf534ded55ea32d49448875ad042cd3f879fb1ded0
msgpack==1.2.4 --hash=sha256:7fabd415c41e62006c6641fcdf5b3e866f581c4e11c58328c0d0f69584b9577d
multidict==7.2.1 --hash=sha256:cd69c99affd1b4debc1f9a53058ea6e3a9b34f2e733840bb45891666cd8ede0a
propcache==0.5.4 --hash=sha256:f85915e00dcb1cd9f2f890ead064ed40a27df06f0db65be427b29482ae357572
pyyaml==6.0.4 --hash=sha256:50588147ab2c6a59b5f990a4905db80899a6c2bd197e046a6201f1e67587e794
trame_client==4.1.4 --hash=sha256:6e1d3e20770f5852ac924d8494515700d9906085ecfcb788f0f504ce998be88f
trame_common==1.2.9 --hash=sha256:14e9747bf247cc446e59ce3f920e31a409149ca60ae2bfc5d02a22cdf1b676c4
trame_rca==2.11.8 --hash=sha256:59fd897ff8ac42147dcf067f08fd42cdc1b7ecdd357681c5295806209fc2815a
trame_server==4.1.0 --hash=sha256:7b23147a77d9616d9c787bd60fe77c3c683a38e193d7f9a4d0aac3e601dd453b
trame_vuetify==3.3.0 --hash=sha256:3a68a8457a439c1f2d456bfa1004091116a4c9988503f594fd44e980222773f2
wslink==2.6.0 --hash=sha256:6edc7ea67c744094702f98857c9316f4805a44af91f6cc4aca69b782392e73d0
yarl==1.25.1 --hash=sha256:be80550d9bfe83d9b62398a37081a90434e6df2d978ec345c3d2820de6beddab" \
  "${DSM_TRAME:-$HOME/.cache/paraview-dsm/trame}" "$@"

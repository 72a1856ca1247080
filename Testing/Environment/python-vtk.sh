#!/usr/bin/env bash
# A virtual environment as users have it, without ParaView: PyPI's VTK 9.6.2 (HDF5 1.14.6, whose names begin with
# vtkhdf5_), PyVista, h5py (HDF5 2.0.0), netCDF4 (HDF5 2.2.0), and what these need. Needs pip and Python 3.13; called
# by root.sh, and by hand with DSM_NATIVE=1.
#
#   python-vtk.sh get       fetch all of it (240 MB, 30 s) and unpack it (900 MB), unless that is done
#   python-vtk.sh find      print the environment's folder, or nothing
#
# The folder is DSM_PYTHON_VTK, or below ~/.cache/paraview-dsm.
set -euo pipefail

# shellcheck source=pypi.sh
. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

take() {
  python3 -m venv --without-pip "$2"
  mv "$1"/* "$2"/lib/python3*/site-packages
}

[ "${1:-}" != get ] || [ "$(uname -m)" = x86_64 ] || die "PyPI's VTK is taken for x86_64 only, and this is $(uname -m)"
fromPyPI "vtk==9.6.2 --hash=sha256:fb85c7fbad59209a08e428479defbdf96f974a9f39d4212960fb1a24a919613c
h5py==3.16.0 --hash=sha256:9300ad32dea9dfc5171f94d5f6948e159ed93e4701280b0f508773b3f582f402
pyvista==0.49.1 --hash=sha256:e4bd78c829051207e885281c45d03280dcde25445e1885c0824518ea7849b1c8
pyvista-validation==0.2.2 --hash=sha256:a45b633b89d843329db1608ba2bbed75d075ab63c5a7427c8dfa9ad9c23eadb4
netCDF4==1.7.5.1.post1 --hash=sha256:fde13b1fc71bf2b0f684a272fe279fa7d01ee45e6098b4711840a4ab6ae42130
cyclopts==5.5.2 --hash=sha256:4fbe863ebace1c65dafc6520c82217915b103d27fbd1d8fcd168f2abcca3a12a
docstring_parser==0.18.0 --hash=sha256:b3fcbed555c47d8479be0796ef7e19c2670d428d72e96da63f3a40122860374b
rich-rst==2.2.0 --hash=sha256:1ea1c43813dc4a8d86475fce27ffb74e0ada3d4656c9f8130ba2a59868055fe9
attrs==26.1.0 --hash=sha256:c647aa4a12dfbad9333ca4e71fe62ddc36f4e63b2d260a37a8b83d2f043ac309
matplotlib==3.11.2 --hash=sha256:1944895967f87c84c9b4bad29a707b31f5b36df4a3a2339ea1f8ea3ce5105539
contourpy==1.4.0 --hash=sha256:f1219a8898523cba821085f2da8a1b962cc696325763f09d7f93538ba43b2d70
cycler==0.12.1 --hash=sha256:85cef7cff222d8644161529808465972e51340599459b8ac3ccbac5a854e0d30
fonttools==4.68.0 --hash=sha256:08851f7d2b983412f490b73a7c56f17cbda1d4d85d2ad3f857564bf15b5d9475
kiwisolver==1.5.1 --hash=sha256:74ad5c3dad54a4641b4c28cd15ded70899d04459c6c7aeacafea716be97cce6d
numpy==2.5.5 --hash=sha256:824025655df929268bfe6b47ed91a00d14209a6f760847cf150be446829e1ce4
packaging==26.4 --hash=sha256:81383611a09c1bc0b08b76e0fd5829d7c6824c65b27a6aee339da133f4233ea2
pillow==13.0.0 --hash=sha256:5f56499c1a74d2b862beb0c33b8016f99d095858455df9d21583bbbc1c15b582
Pygments==2.21.0 --hash=sha256:2363c69b61c4a97c838da3b130dcd6468f4848992b21a82f2a63ec34377137d9
pyparsing==3.3.3 --hash=sha256:ece8c00a69cf01b45d0b1dedabb469c90d8caf996d4fda40f147627a122849a4
python-dateutil==4.0.0 --hash=sha256:a5e246f79eb80475e691bf93862cead98decd8a498cf53ba0516fcdc0f50dc1c
rich==15.0.0 --hash=sha256:33bd4ef74232fb73fe9279a257718407f169c09b78a87ad3d296f548e27de0bb
markdown-it-py==4.3.0 --hash=sha256:7aa1511a46c39138de78d9eba92ce47e63124d8003fc98b3a351909e04239efa
mdurl==0.1.2 --hash=sha256:84008a41e51615a49fc9966191ff91509e3c40b939176e643fd50a5c2196b8f8
scooby==0.12.1 --hash=sha256:4e3e474a3542fd1d19d775cea70d19ce58a005102c0206955dddbbd33f07eb4e
typing_extensions==4.16.0 --hash=sha256:481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8
certifi==2026.10.19.post1 --hash=sha256:1324c476b4811eff41a8bc2122cd0bbd4d9c7234c725446d99ab1612b3a7fdd2
cftime==1.6.6.1 --hash=sha256:92566dd8c3213b824f8b2e86904efa7f0d8db6a51017cc5ad365b1d20b579617
pooch==1.9.0 --hash=sha256:f265597baa9f760d25ceb29d0beb8186c243d6607b0f60b83ecf14078dbc703b
platformdirs==4.14.8 --hash=sha256:1e34af590de4d978631b751eb2202f2fee4497537a17c1720b12fcf57b331392
requests==2.34.2 --hash=sha256:2a0d60c172f83ac6ab31e4554906c0f3b3588d37b5cb939b1c061f4907e278e0
charset-normalizer==3.5.3 --hash=sha256:656b9744bac4493561d28b56d7d646afd7a8471254ef7004d849aa8368020037
idna==3.20 --hash=sha256:ab7ae7122974553370f0bdb919e1a960b2cd1bc1ef0276416d896db81c14582c
urllib3==2.8.0 --hash=sha256:0cf3cae568d36aa9576b28dfb35f11328f1cb974ca7647d9475ebb86c75ac6e3
tzdata==2026.6 --hash=sha256:0a10eec6e13ef16b627fabed9a5f2ba61a62b1c67f327305f4e7e412a70b4aec" \
  "${DSM_PYTHON_VTK:-$HOME/.cache/paraview-dsm/python-vtk}" "$@"

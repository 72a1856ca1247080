# SPDX-License-Identifier: BSD-3-Clause
"""The Dockerfile: buildah makes its image and runs programs in it. A clean Debian 13 stands in for Docker Hub's."""

import json
import resource
import shutil

import pytest

from conftest import fetched

BASE = "docker.io/library/debian:trixie-slim"
OURS = "localhost/paraview-dsm"


class Buildah:
    """buildah in a root, with images in a folder of the test's."""

    def __init__(self, root, folder):
        self.root = root
        self.words = ["buildah", "--root", folder / "images", "--runroot", folder / "run",
                      "--storage-driver", "overlay"]
        # buildah raises these limits, which takes a right that not every root has.
        self.limits = []
        for name, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
            hard = resource.getrlimit(kind)[1]
            self.limits += ["--ulimit", f"{name}={hard}:{hard}"] if hard != resource.RLIM_INFINITY else []

    def __call__(self, *command, limit=600):
        return self.root.run(*self.words, *command, limit=limit).strip()

    def container(self, image):
        return self("from", "--pull=never", *self.limits, image).splitlines()[-1]


@pytest.fixture
def buildah(layer, tmp_path):
    if not shutil.which("buildah"):
        pytest.skip("there is no buildah")
    made = Buildah(layer, tmp_path)
    empty = made.container("scratch")
    made("add", empty, fetched("clean-root.sh", "clean Debian 13"), "/")
    made("commit", "--quiet", "--rm", empty, BASE)
    return made


def test_image_couples(buildah, source, files):
    # The context has what users have there, and none of it gets into the image.
    (source / "build").mkdir()
    (source / "build/CMakeCache.txt").write_text("of another folder\n")
    buildah("build", "--pull=never", "--isolation", "chroot", "--network", "host", *buildah.limits,
            "--volume", "/var/cache/ccache:/root/.cache/ccache",
            "--file", source / "Packaging/Dockerfile", "--tag", OURS, source, limit=3600)
    container = buildah.container(OURS)

    def inside(*command):
        return buildah("run", "--isolation", "chroot", "--network", "host", container, "--", *command)

    assert inside("id", "--user", "--name") == "dsm"
    assert "shared-memory" in [name for kind in json.loads(inside("dsm-serve", "--choices"))["transports"]
                               for name in kind["names"]]
    assert inside("sh", "-c", "ls /packages /source 2>/dev/null; dpkg-query --show g++ 2>/dev/null; true") == ""
    buildah("copy", container, files, "/files")
    parallel = ["/files/couple.sh", "/files/dsmCoupledProgram", "mpiexec", "--oversubscribe", "-n", "3"]
    assert "are the same" in inside(*parallel)
    assert inside("python3", "-c", "import dsm; print(dsm.__name__)") == "dsm"
    megabytes = int(inside("du", "-sxm", "/usr").split()[0])
    assert megabytes < 600, "the image has more than what programs need"

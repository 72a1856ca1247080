# SPDX-License-Identifier: BSD-3-Clause
"""The definition for Apptainer: its image is made, and programs run in it. A clean Debian 13 stands in for Docker
Hub's."""

import re

from conftest import SOURCE, fetched, run

DEFINITION = SOURCE / "Packaging/apptainer/paraview-dsm.def"
HUB = "Bootstrap: docker\nFrom: debian:trixie-slim\n"


def test_image_couples(layer, source, files, tmp_path):
    package = fetched("apptainer.sh", "Apptainer")
    base = tmp_path / "base"
    base.mkdir()
    # Not every root may copy devices.
    run(["tar", "-xf", fetched("clean-root.sh", "clean Debian 13"), "-C", base, "--exclude=./dev/*"])
    # The build binds this system's compiler cache here. Apptainer sets a locale, which makes no difference to objects.
    (base / "root/.cache/ccache").mkdir(parents=True)
    (base / "etc/ccache.conf").write_text("sloppiness = locale\n")
    definition = DEFINITION.read_text()
    assert definition.count(HUB) == len(re.findall("^Stage: ", definition, re.MULTILINE)) == 2
    (source / DEFINITION.name).write_text(definition.replace(HUB, f"Bootstrap: localimage\nFrom: {base}\n"))
    image = tmp_path / "paraview-dsm.sif"

    run(["cp", package, tmp_path / "apptainer.deb"])
    layer.run("apt-get", "install", "-y", "-q", "--no-install-recommends", tmp_path / "apptainer.deb")

    def apptainer(*command, limit=600):
        # Apptainer asks for all rights, which root has in a user namespace of its own.
        return layer.run("env", f"--chdir={source}", "unshare", "--user", "--map-users=0,0,65536",
                         "--map-groups=0,0,65536", "apptainer", "--quiet", *command, limit=limit)

    apptainer("build", "--bind", "/var/cache/ccache:/root/.cache/ccache", image, DEFINITION.name, limit=3600)
    assert image.stat().st_size < 250 << 20, "the image has more than what programs need"
    apptainer("test", image)
    assert "dsm-run" in apptainer("run-help", image)
    assert "contact" in apptainer("run", image, "dsm-serve", "--help")
    told = apptainer("exec", "--bind", "/tmp", image, files / "couple.sh", files / "dsmCoupledProgram", "mpiexec",
                     "--oversubscribe", "-n", "3")
    assert "are the same" in told

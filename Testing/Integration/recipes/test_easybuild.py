# SPDX-License-Identifier: BSD-3-Clause
"""The easyconfig: EasyBuild finds its dependencies in its own collection, accepts its style, and configures by it."""

import pathlib
import re
import sys

import pytest

from conftest import PACKAGING, VERSION, debian_prefixes, fetched, run

LMOD = pathlib.Path("/usr/share/lmod/lmod/libexec/lmod")
(EASYCONFIG,) = (PACKAGING / "easybuild").glob("*.eb")
# The names in its two lists of dependencies.
DEPENDENCIES = re.findall(r"(?m)^    \('(\w+)', '", EASYCONFIG.read_text())


@pytest.fixture
def eb(tmp_path):
    folder = fetched("easybuild.sh", "EasyBuild")
    if not LMOD.exists():
        pytest.skip("there is no Lmod, which EasyBuild asks for")

    def call(*arguments, easyconfig=EASYCONFIG, **environment):
        return run([sys.executable, "-m", "easybuild.main", "--allow-use-as-root-and-accept-consequences",
                    "--modules-tool=Lmod", f"--prefix={tmp_path}", f"--tmpdir={tmp_path}",
                    f"--robot-paths={folder}/easyconfigs", *arguments, easyconfig],
                   PYTHONPATH=folder, LMOD_CMD=LMOD, COLUMNS=400, **environment)

    return call


def test_dependencies_exist(eb):
    modules = re.findall(r"\(module: (\S+)\)", eb("--dry-run", "--robot").replace("\n", " "))
    assert f"ParaView-DSM/{VERSION}-gompi-2024a" in modules
    for name in ["OpenMPI", *DEPENDENCIES]:
        assert any(module.startswith(f"{name}/") for module in modules), f"{name} is not among {modules}"


def test_style_and_checksums(eb):
    assert "All contribution checks PASSed" in eb("--check-contrib")


def test_configures(eb, source, tmp_path):
    """EasyBuild configures. This system's compiler and libraries stand in for the toolchain and the dependencies."""
    name = f"ParaView-DSM-{VERSION}"
    run(["tar", "-czf", tmp_path / f"{name}.tar.gz", f"--transform=s,^{source.name},{name},", "-C", source.parent,
         source.name])
    easyconfig = tmp_path / f"{name}.eb"
    text = re.sub(r"(?m)^toolchain = .*", "toolchain = SYSTEM", EASYCONFIG.read_text())
    easyconfig.write_text(re.sub(r"(?m)^toolchainopts = .*", "", text))
    told = eb(f"--sourcepath={tmp_path}", f"--filter-deps={','.join(DEPENDENCIES)}", "--stop=configure",
              easyconfig=easyconfig, EBROOTHDF5=debian_prefixes(tmp_path)["hdf5"])
    assert "Build succeeded for 1 out of 1" in told
    (cache,) = tmp_path.glob("build/**/easybuild_obj/CMakeCache.txt")
    assert "DSM_SERIAL_HDF5" in cache.read_text() and list(cache.parent.glob("SerialHdf5/H5pubconf.h"))

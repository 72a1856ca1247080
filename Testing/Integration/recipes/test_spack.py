# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for Spack: concretized, and built with Debian's packages as externals. DSM_SPACK names the folder of a
Spack that has a solver (clingo) and package repositories."""

import os
import pathlib
import re

import pytest

from conftest import SPACK_PACKAGE, VERSION, debian_prefixes, run

# Spack's names of packages, and Debian's.
EXTERNALS = {"cli11": "libcli11-dev", "cmake": "cmake", "cppzmq": "cppzmq-dev", "fmt": "libfmt-dev",
             "libfabric": "libfabric-dev", "libxml2": "libxml2-dev", "ninja": "ninja-build",
             "nlohmann-json": "nlohmann-json3-dev", "pkgconf": "pkgconf", "python": "python3",
             "spdlog": "libspdlog-dev"}


def debian_version(package):
    text = run(["dpkg-query", "--show", "--showformat=${Version}", package])
    return re.match(r"(?:\d+:)?(\d[\d.]*\d)", text)[1]


class Spack:
    """A Spack with settings and an installation tree of the test's own."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.settings = folder / "settings"
        self.settings.mkdir()
        self.modules = folder / "modules"
        self.major = int(re.match(r"\d+", self("--version"))[0])
        self("repo", "add", self.repository())

    def __call__(self, *arguments, limit=900):
        modules = os.pathsep.join([str(self.modules), os.environ.get("PYTHONPATH", "")])
        return run(["nice", self.program, "--color=never", *arguments], limit, self.folder, PYTHONPATH=modules,
                   SPACK_USER_CONFIG_PATH=self.settings, SPACK_USER_CACHE_PATH=self.folder / "cache")

    def repository(self):
        """Returns the folder of our repository. Spack before 1.0 gets one of the form that it knows, with our file, and
        what that imports from where it was then."""
        if self.major >= 1:
            return SPACK_PACKAGE.parents[2]
        package = self.folder / "repository/packages/paraview-dsm/package.py"
        package.parent.mkdir(parents=True)
        package.symlink_to(SPACK_PACKAGE)
        (package.parents[2] / "repo.yaml").write_text("repo:\n  namespace: paraview_dsm\n")
        build_systems = self.modules / "spack_repo/builtin/build_systems"
        build_systems.mkdir(parents=True)
        (build_systems / "cmake.py").write_text("from spack.build_systems.cmake import CMakePackage, generator\n")
        return package.parents[2]

    def use_debian(self):
        """Takes all dependencies from Debian."""
        def external(name, version, prefix, variants=""):
            return (f"  {name}: {{buildable: false, externals: "
                    f"[{{spec: '{name}@{version}{variants}', prefix: {prefix}}}]}}\n")

        prefixes = debian_prefixes(self.folder)
        packages = "packages:\n  all: {target: [x86_64], providers: {mpi: [openmpi]}}\n"
        packages += external("openmpi", debian_version("libopenmpi-dev"), prefixes["mpi"])
        packages += external("hdf5", debian_version("libhdf5-dev"), prefixes["hdf5"], "+mpi+shared")
        for name, package in EXTERNALS.items():
            packages += external(name, debian_version(package), "/usr", "+shared" if name in ("fmt", "spdlog") else "")
        (self.settings / "packages.yaml").write_text(packages)
        (self.settings / "config.yaml").write_text(
            f"config: {{ccache: true, build_jobs: {os.cpu_count()}, build_stage: ['{self.folder}/stage'], "
            f"install_tree: {{root: {self.folder}/installed}}}}\n")


@pytest.fixture
def spack(tmp_path):
    program = pathlib.Path(os.environ.get("DSM_SPACK") or "/none") / "bin/spack"
    if not program.exists():
        pytest.skip("there is no Spack: DSM_SPACK names its folder")
    return Spack(program, tmp_path)


def test_concretizes(spack):
    told = spack("spec", "paraview-dsm")
    assert f"paraview-dsm@{VERSION}" in told and re.search(r"\^hdf5@1\.14\S*\+mpi", told), told
    assert "^libfabric@" in told and "^paraview@" not in told
    told = spack("spec", "paraview-dsm ~fabric ~fortran +plugin ~panel ^mpich")
    assert "^mpich@" in told and re.search(r"\^paraview@\S*\+hdf5\S*\+mpi", told), told


def test_built_programs_couple(spack, source, files):
    spack.use_debian()
    told = spack("dev-build", "--source-path", source, f"paraview-dsm@{VERSION}", limit=3600)
    assert "Successfully installed paraview-dsm" in told, told[-3000:]
    prefix = pathlib.Path(spack("location", "--install-dir", "paraview-dsm").strip().splitlines()[-1])
    assert (prefix / "lib/libdsm-viewer.so").exists(), "what serves serial programs is not there"
    assert "are the same" in run(
        [files / "couple.sh", files / "dsmCoupledProgram", "mpiexec.openmpi", "--oversubscribe", "-n", 3],
        PATH=f"{prefix}/bin:{os.environ['PATH']}")
    told = run(["sh", "-c", spack("load", "--sh", "paraview-dsm") + "\npython3 -c 'import dsm; print(dsm.__file__)'"])
    assert str(prefix) in told

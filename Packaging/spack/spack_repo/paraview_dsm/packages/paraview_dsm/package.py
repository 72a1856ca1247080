# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for Spack 1.0 and newer. It builds the checkout in which it stands."""

import pathlib

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class ParaviewDsm(CMakePackage):
    """Distributed shared memory between running simulations and ParaView. A simulation writes HDF5 files as it always
    did, and ParaView opens them in memory that its processes share."""

    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("0.1.0", branch="main")

    variant("plugin", default=False, description="Build the plugin for ParaView")
    variant("panel", default=True, when="+plugin", description="Build the plugin's panel for ParaView's window")
    variant("fortran", default=True, description="Build the Fortran module for steered programs")
    variant("fabric", default=True, description="Build the transport by libfabric, between jobs of any MPI library")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type=("build", "run"))

    depends_on("mpi@3:")
    depends_on("hdf5@1.14: +mpi+shared")
    depends_on("fmt")
    depends_on("spdlog")
    depends_on("nlohmann-json@3.11:")
    depends_on("cppzmq")
    depends_on("cli11@2.4:", when="~plugin")
    depends_on("libxml2")
    depends_on("libfabric@1.15:", when="+fabric")
    # The plugin shares ParaView's processes, and so its MPI and HDF5.
    depends_on("paraview@5.13: +mpi+hdf5+python+shared", when="+plugin")
    depends_on("paraview +qt", when="+panel")
    depends_on("openssl", when="+plugin")
    # The recipe of ParaView wants CLI11 1.9.1, and Spack has one version of a package in a tree.
    resource(
        name="cli11",
        url="https://github.com/CLIUtils/CLI11/archive/v2.4.2.tar.gz",
        sha256="f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a",
        placement="cli11",
        when="+plugin",
    )

    conflicts("%gcc@:12", msg="ParaView DSM needs GCC 13 or newer")

    @property
    def own_cli11(self):
        return join_path(self.stage.source_path, "cli11")

    @run_before("cmake", when="+plugin")
    def install_own_cli11(self):
        cmake = self.spec["cmake"].command
        build = join_path(self.own_cli11, "build")
        cmake("-S", self.own_cli11, "-B", build, "-DCLI11_BUILD_TESTS=OFF", "-DCLI11_BUILD_EXAMPLES=OFF",
              "-DCMAKE_INSTALL_PREFIX=" + join_path(self.own_cli11, "installed"))
        cmake("--install", build)

    def cmake_args(self):
        hdf5 = self.spec["hdf5"].prefix
        mpi = self.spec["mpi"]
        args = [
            self.define("BUILD_TESTING", False),
            self.define("DSM_BUILD_EXAMPLES", False),
            self.define_from_variant("DSM_BUILD_PLUGIN", "plugin"),
            self.define_from_variant("DSM_BUILD_PANEL", "panel"),
            self.define_from_variant("DSM_FORTRAN", "fortran"),
            self.define_from_variant("DSM_FABRIC", "fabric"),
            self.define("MPI_C_COMPILER", mpi.mpicc),
            self.define("MPI_CXX_COMPILER", mpi.mpicxx),
            self.define("HDF5_C_COMPILER_EXECUTABLE", hdf5.bin.h5pcc),
            # Programs with a serial HDF5 are coupled by what is compiled with the parallel one's headers.
            self.define("DSM_SERIAL_HDF5", hdf5.include),
        ]
        if self.spec.satisfies("+fortran"):
            args.append(self.define("MPI_Fortran_COMPILER", mpi.mpifc))
        if self.spec.satisfies("+plugin"):
            args.append(self.define("ParaView_DIR", self.spec["paraview"].prefix))
            args.append(self.define("CLI11_ROOT", join_path(self.own_cli11, "installed")))
        return args

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.spec.prefix.lib.join("paraview-dsm"))
        if self.spec.satisfies("+plugin"):
            env.prepend_path("PV_PLUGIN_PATH", self.spec.prefix.lib.join("paraview-dsm"))

# SPDX-License-Identifier: BSD-3-Clause
# Describes the Debian packages that `cpack -G DEB` makes in a build tree: see Packaging/README.md.
#
# The package paraview-dsm has the programs, the libraries, the Python packages and the headers. The package
# paraview-dsm-plugin has the compiled plugin, and depends on the ParaView that the plugin was built for.

# Is the component of every install() that names no other. dsm_build_plugin sets it to "plugin".
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)

set(DSM_PACKAGE_CONTACT "ParaView DSM maintainers <maintainers@users.noreply.a-seed-930477cf.example>"
  CACHE STRING "Maintainer that the Debian packages name")

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/paraview-dsm" RENAME copyright)

# Runs at the end of the top folder, when all components are known.
function(_dsm_describe_packages)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME paraview-dsm)
  set(CPACK_PACKAGE_CONTACT "${DSM_PACKAGE_CONTACT}")
  set(CPACK_PACKAGE_VENDOR "ParaView DSM")
  # Each package's description has a synopsis of its own.
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_STRIP_FILES ON)
  set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

  # ParaView's own functions install the plugin's VTK modules as "runtime". Their "development" files are static
  # libraries of which nobody outside the build has a use, so no package has them.
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
  set(CPACK_COMPONENTS_ALL programs)
  set(CPACK_COMPONENT_PROGRAMS_GROUP programs)
  if(TARGET ParaViewDSM)
    list(APPEND CPACK_COMPONENTS_ALL plugin runtime)
    set(CPACK_COMPONENT_PLUGIN_GROUP plugin)
    set(CPACK_COMPONENT_RUNTIME_GROUP plugin)
  endif()

  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # The cores of DSMCore/AnyHdf5 name a library that stands for their caller's HDF5, and that no package has.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" "${CMAKE_BINARY_DIR}/DSMCore/AnyHdf5")
  set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

  foreach(group IN ITEMS PROGRAMS PLUGIN)
    set(CPACK_DEBIAN_${group}_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/Packaging/debian/prerm")
  endforeach()

  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME paraview-dsm)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "python3:any")
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "paraview-dsm-plugin, paraview, python3-numpy, python3-h5py")
  if(DSM_MPI_FLAVOUR STREQUAL openmpi)
    set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS openmpi-bin)
  elseif(DSM_MPI_FLAVOUR STREQUAL mpich)
    set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS mpich)
  endif()
  set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "${PROJECT_DESCRIPTION}
A simulation writes HDF5 files as it always did, and dsm-run puts their bytes into memory that the server's processes
share. Viewers open each file there when the simulation has closed it.
.
This package has the programs, the libraries and headers, and the packages for Python. It was built for the MPI
library ${DSM_MPI_FLAVOUR}.")

  set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME paraview-dsm-plugin)
  set(CPACK_COMPONENT_PLUGIN_DEPENDS programs)
  set(CPACK_COMPONENT_RUNTIME_DEPENDS programs)
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS python3-paraview)
  set(CPACK_DEBIAN_PLUGIN_DESCRIPTION "ParaView plugin that shows the files of running simulations
The plugin shares ParaView's memory with simulations, follows what they write, and steers them.
.
This package has the compiled plugin with its panel, and the Python package paraviewdsm.")

  include(CPack)
endfunction()
cmake_language(DEFER CALL _dsm_describe_packages)

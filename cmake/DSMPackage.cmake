# SPDX-License-Identifier: BSD-3-Clause
# dsm_install_package(): what lets a simulation find the installed client library, by CMake's
# find_package(ParaViewDSM) and by pkg-config.
#
# Builds for several MPI libraries may share a prefix: ParaViewDSMConfig.cmake is the same from each
# and takes the description of the build that fits the project's MPI.

# The name by which programs that were linked to MPI ask for it: libmpi.so.40, libmpich.so.12.
function(_dsm_mpi_soname result)
  set(${result} "" PARENT_SCOPE)
  foreach(library IN LISTS MPI_C_LIBRARIES)
    get_filename_component(file "${library}" REALPATH)
    if(file MATCHES "/(libmpi[^/]*\\.so\\.[0-9]+)[^/]*$")
      set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(_dsm_pkg_config name)
  configure_file(cmake/${name}.pc.in "${CMAKE_CURRENT_BINARY_DIR}/package/${name}${flavoured}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/package/${name}${flavoured}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

function(dsm_install_package)
  set(flavoured "")
  set(DSM_MPI_SONAME "any MPI library")
  if(DSM_MPI)
    set(flavoured "-${DSM_MPI_FLAVOUR}")
    _dsm_mpi_soname(DSM_MPI_SONAME)
  endif()
  if(NOT BUILD_SHARED_LIBS OR NOT DSM_MPI_SONAME)
    message(STATUS "ParaView DSM: no CMake package and no pkg-config file are installed: they describe shared libraries")
    return()
  endif()
  include(CMakePackageConfigHelpers)
  set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/ParaViewDSM")
  set(made "${CMAKE_CURRENT_BINARY_DIR}/package")
  configure_package_config_file(cmake/ParaViewDSMConfig.cmake.in "${made}/ParaViewDSMConfig.cmake"
    INSTALL_DESTINATION "${folder}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file("${made}/ParaViewDSMConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${made}/ParaViewDSMConfig.cmake" "${made}/ParaViewDSMConfigVersion.cmake" DESTINATION "${folder}")
  if(DSM_MPI)
    set(DSM_FORTRAN_COMPILER "")
    if(DSM_FORTRAN_FOUND)
      set(DSM_FORTRAN_COMPILER "${CMAKE_Fortran_COMPILER_ID}")
    endif()
    configure_file(cmake/ParaViewDSMFlavour.cmake.in "${made}/ParaViewDSM-${DSM_MPI_FLAVOUR}.cmake" @ONLY)
    install(FILES "${made}/ParaViewDSM-${DSM_MPI_FLAVOUR}.cmake" DESTINATION "${folder}")
  endif()

  # Libraries lie beside the .pc file's folder, wherever the whole is put.
  file(RELATIVE_PATH DSM_PREFIX_FROM_PC "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  _dsm_pkg_config(dsm)
  if(DSM_FORTRAN_FOUND)
    _dsm_pkg_config(dsm-fortran)
  endif()
endfunction()

# SPDX-License-Identifier: BSD-3-Clause
# dsm_build_plugin(): finds a ParaView that the plugin can be built for, and builds it.
#
# A plugin shares its process with ParaView's MPI and HDF5, so it must be built with the same ones
# (DSMParaViewChoice). DSM_BUILD_PLUGIN decides what happens when there is no such ParaView: AUTO says so
# and goes on without the plugin, unless the user named that ParaView; ON stops.

function(_dsm_soname library result)
  execute_process(COMMAND "${CMAKE_READELF}" -d "${library}" OUTPUT_VARIABLE about ERROR_QUIET)
  set(${result} "" PARENT_SCOPE)
  if(about MATCHES "SONAME[^\n]*\\[([^]]*)\\]")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

# What is wrong when ParaView's library of a family is not this build's: which was found where.
function(_dsm_compare what module family ours chosenBy result)
  set(${result} "" PARENT_SCOPE)
  _dsm_needed("${module}" "${family}" theirs)
  _dsm_soname("${ours}" our)
  if(NOT theirs STREQUAL our)
    _dsm_needed_file("${module}" "${family}" where)
    if(NOT theirs)
      set(theirs "none as a shared library")
    elseif(where)
      string(APPEND theirs " (${where})")
    else()
      string(APPEND theirs " (which this machine does not have)")
    endif()
    get_filename_component(ours "${ours}" REALPATH)
    set(${result} "for ${what}, ParaView's ${module} uses ${theirs}, and this build ${our} (${ours}, by ${chosenBy})" PARENT_SCOPE)
  endif()
endfunction()

# Why this build's plugin could not live in that ParaView's processes; empty when it can.
function(_dsm_paraview_misfit result)
  set(${result} "" PARENT_SCOPE)
  if(NOT DSM_PARAVIEW_PACKAGE)
    set(${result} "no ParaView development files were found (paraview-config.cmake; name its folder with -DParaView_DIR=…)" PARENT_SCOPE)
    return()
  endif()
  set(PACKAGE_FIND_VERSION ${DSM_PARAVIEW_MINIMUM})
  include("${DSM_PARAVIEW_PACKAGE}/paraview-config-version.cmake" OPTIONAL)
  if(PACKAGE_VERSION VERSION_LESS DSM_PARAVIEW_MINIMUM)
    set(${result} "ParaView in ${DSM_PARAVIEW_PACKAGE} is ${PACKAGE_VERSION}, and the plugin needs ${DSM_PARAVIEW_MINIMUM} or newer" PARENT_SCOPE)
    return()
  endif()
  if(NOT BUILD_SHARED_LIBS)
    set(${result} "BUILD_SHARED_LIBS is off, and a plugin is a shared library" PARENT_SCOPE)
    return()
  endif()

  _dsm_paraview_library(vtkIOHDF hdfReader)
  _dsm_paraview_library(vtkParallelMPI mpiModule)
  if(NOT hdfReader)
    set(${result} "ParaView in ${DSM_PARAVIEW_PACKAGE} has no vtkIOHDF library" PARENT_SCOPE)
    return()
  endif()
  if(NOT mpiModule)
    set(${result} "ParaView in ${DSM_PARAVIEW_PACKAGE} was built without MPI" PARENT_SCOPE)
    return()
  endif()
  string(REGEX MATCH "[^;]*/libmpi[^/;]*\\.so" ourMpiFile "${MPI_C_LIBRARIES}")
  _dsm_compare(MPI "${mpiModule}" "libmpi[^.]*\\.so" "${ourMpiFile}" "MPI_C_COMPILER ${MPI_C_COMPILER}" mpi)
  unset(DSM_PARAVIEW_HDF5 CACHE)
  _dsm_compare(HDF5 "${hdfReader}" "libhdf5[^.]*\\.so" "${DSM_HDF5_LIBRARY}"
    "HDF5_C_COMPILER_EXECUTABLE ${HDF5_C_COMPILER_EXECUTABLE}" hdf5)
  if(hdf5)
    dsm_find_paraview_hdf5("${hdfReader}" hdf5)
  endif()
  string(JOIN "; " misfit ${mpi} ${hdf5})
  set(${result} "${misfit}" PARENT_SCOPE)
endfunction()

# Debian ships ParaView's Python modules with an ABI tag in their file names
# (vtkCommonCore.cpython-313-….so) and a CMake package that looks for them without one, and stops.
# The plugin needs none of them. This writes a second package into the build folder, which takes
# everything from the first but the list of Python modules, whose names it corrects.
function(_dsm_correct_paraview_package result)
  set(${result} "${DSM_PARAVIEW_PACKAGE}" PARENT_SCOPE)
  set(original "${DSM_PARAVIEW_PACKAGE}")
  set(patched "${DSM_PARAVIEW_CORRECTED}")
  file(GLOB lists RELATIVE "${original}"
    "${original}/vtk/VTKPython-targets*.cmake" "${original}/ParaViewPython*-targets*.cmake")
  get_filename_component(libraries "${original}" DIRECTORY)
  get_filename_component(libraries "${libraries}" DIRECTORY)

  set(corrected 0)
  foreach(list IN LISTS lists)
    file(READ "${original}/${list}" text)
    # The folder decides the prefix: keep the original's.
    get_filename_component(folder "${original}/${list}" DIRECTORY)
    string(REPLACE "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)"
      "set(_IMPORT_PREFIX \"${folder}\")" text "${text}")
    string(REGEX MATCHALL "/[A-Za-z0-9_.-]+/dist-packages/[A-Za-z0-9_/]+\\.so" modules "${text}")
    list(REMOVE_DUPLICATES modules)
    foreach(module IN LISTS modules)
      # …/lib/x86_64-linux-gnu/cmake/paraview-5.13 is two to three folders below the prefix's lib.
      string(REGEX REPLACE "\\.so$" "" stem "${module}")
      foreach(lib IN ITEMS "${libraries}" "${libraries}/..")
        file(GLOB tagged "${lib}${stem}.cpython-*.so")
        if(tagged AND NOT EXISTS "${lib}${module}")
          list(GET tagged 0 tagged)
          get_filename_component(taggedName "${tagged}" NAME)
          get_filename_component(name "${module}" NAME)
          string(REPLACE "/${name}\"" "/${taggedName}\"" text "${text}")
          set(corrected 1)
          break()
        endif()
      endforeach()
    endforeach()
    file(CONFIGURE OUTPUT "${patched}/${list}" CONTENT "${text}" @ONLY)
  endforeach()
  if(NOT corrected)
    return()
  endif()

  # VTK's package is not there where ParaView uses a VTK beside it.
  file(GLOB configs RELATIVE "${original}" "${original}/paraview-config.cmake" "${original}/vtk/vtk-config.cmake")
  foreach(config IN LISTS configs)
    file(READ "${original}/${config}" text)
    get_filename_component(folder "${config}" DIRECTORY)
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}" "${original}/${folder}" text "${text}")
    string(REPLACE "${original}//" "${original}/" text "${text}")
    string(REPLACE "PATHS \"${original}/vtk\"" "PATHS \"${patched}/vtk\"" text "${text}")
    foreach(list IN LISTS lists)
      if(NOT list MATCHES "-targets-")
        string(REPLACE "\"${original}/${list}\"" "\"${patched}/${list}\"" text "${text}")
      endif()
    endforeach()
    file(CONFIGURE OUTPUT "${patched}/${config}" CONTENT "${text}" @ONLY)
  endforeach()
  list(TRANSFORM configs REPLACE "-config.cmake$" "-config-version.cmake")
  foreach(version IN LISTS configs)
    configure_file("${original}/${version}" "${patched}/${version}" COPYONLY)
  endforeach()
  set(${result} "${patched}" PARENT_SCOPE)
endfunction()

include(DSMPluginCore)

# dsm_vtk_module(<module>): what our VTK modules have in common.
#
# VTK's array headers bring VTK's own copy of nlohmann-json, in a renamed namespace under the same include
# guards: no header of DSMCore that these modules include may include that library.
function(dsm_vtk_module module)
  vtk_module_link("${module}" PRIVATE dsmPluginCore)
  vtk_module_compile_features("${module}" PRIVATE cxx_std_20)
endfunction()

# Finds ParaView and builds the plugin for it. A function, so that the many variables which ParaView's
# package sets stay here.
function(dsm_build_plugin)
  if(NOT DSM_BUILD_PLUGIN)
    return()
  endif()
  _dsm_paraview_misfit(misfit)
  if(misfit AND DSM_BUILD_PLUGIN STREQUAL "AUTO" AND NOT DSM_PARAVIEW_NAMED)
    message(STATUS "ParaView DSM: the plugin is not built: ${misfit}")
    return()
  elseif(misfit)
    message(FATAL_ERROR "The plugin cannot be built for this ParaView: ${misfit}.\n"
      "One process cannot hold two MPI libraries, nor share files between two HDF5: build with ParaView's own. "
      "In a fresh build folder with -DParaView_DIR=… and neither MPI nor HDF5 named, they are found by "
      "themselves (Debian's ParaView: cmake --preset openmpi; one on MPICH: cmake --preset mpich-paraview). "
      "To build without the plugin: -DDSM_BUILD_PLUGIN=OFF and no ParaView_DIR.")
  endif()
  _dsm_correct_paraview_package(package)
  set(ParaView_DIR "${package}" CACHE PATH "ParaView's CMake package, or this build's correction of it" FORCE)
  # A Debian package of its own has what is installed from here on (DSMCPack).
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME plugin)
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/paraview-dsm-plugin" RENAME copyright)
  dsm_add_plugin_core()
  # ParaView's package looks for its HDF5 again: the same parallel one.
  set(HDF5_PREFER_PARALLEL ON)
  # Its modules are written for older CMake: no warnings to us about that.
  set(CMAKE_POLICY_DEFAULT_CMP0167 OLD)
  set(CMAKE_POLICY_DEFAULT_CMP0174 OLD)
  find_package(ParaView ${DSM_PARAVIEW_MINIMUM} REQUIRED)
  # For the hash of an array that is sent to a simulation.
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
  message(STATUS "ParaView DSM: the plugin is built for ParaView ${ParaView_VERSION}")

  # Scanned by its link in Plugin: ParaView adds the folder of the file it scanned, and the top
  # folder is already there.
  paraview_plugin_scan(
    PLUGIN_FILES "${CMAKE_CURRENT_SOURCE_DIR}/Plugin/paraview.plugin"
    PROVIDES_PLUGINS plugins
    ENABLE_BY_DEFAULT ON
    HIDE_PLUGINS_FROM_CACHE ON)
  # Found by the name of the link below, the plugin looks for its libraries from there.
  list(APPEND CMAKE_INSTALL_RPATH "$ORIGIN/ParaViewDSM" "$ORIGIN/..")
  paraview_plugin_build(
    RUNTIME_DESTINATION "${CMAKE_INSTALL_BINDIR}"
    LIBRARY_DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY_SUBDIRECTORY "paraview-dsm"
    INSTALL_HEADERS OFF
    PLUGINS_FILE_NAME "plugins.xml"
    AUTOLOAD ${plugins}
    PLUGINS ${plugins})
  add_subdirectory("${CMAKE_CURRENT_SOURCE_DIR}/Plugin/Split" "${CMAKE_CURRENT_BINARY_DIR}/Plugin/Split")
  # Where paraview --plugin-search-paths looks.
  set(link "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/paraview-dsm/ParaViewDSM.so")
  file(CREATE_LINK "ParaViewDSM/ParaViewDSM.so" "${link}" SYMBOLIC)
  install(FILES "${link}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/paraview-dsm")
  set(DSM_PLUGIN_FOLDER "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/paraview-dsm" CACHE INTERNAL "What users point ParaView and Python at")
endfunction()

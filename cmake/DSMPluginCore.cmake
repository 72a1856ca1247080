# SPDX-License-Identifier: BSD-3-Clause
# Makes what the plugin's modules link: dsmPluginCore and dsmPluginDescribe.
#
# The driver must be in the HDF5 that ParaView's readers call. Where that is this build's own, these are DSMCore and
# dsmDescribe. ParaView may use a serial HDF5, though, while its MPI is this build's (Debian's ParaView 6.1). Then they
# are the same objects, linked with ParaView's HDF5, but for the files that call functions of a parallel one: they are
# compiled once more.

# dsm_find_paraview_hdf5(<library of ParaView's that reads files> <misfit>): finds the serial HDF5 that it uses and that
# one's headers (DSM_PARAVIEW_HDF5 and its _HEADERS), and empties the misfit if the plugin can be linked with them.
function(dsm_find_paraview_hdf5 reader misfit)
  _dsm_needed_file("${reader}" "libhdf5[^.]*\\.so" library)
  _dsm_needed("${library}" "libmpi[^.]*\\.so" parallel)
  if(NOT library OR parallel)
    return()
  endif()
  get_filename_component(folder "${library}" DIRECTORY)
  get_filename_component(name "${library}" NAME)
  string(REGEX REPLACE "^libhdf5_?([^.]*)\\.so.*" "\\1" kind "${name}")
  find_path(DSM_PARAVIEW_HDF5_HEADERS hdf5.h NO_CMAKE_SYSTEM_PATH HINTS "${folder}/../../include/hdf5/${kind}" "${folder}/../include/hdf5/${kind}"
    "${folder}/../include" DOC "Headers of the HDF5 that ParaView uses, where that is another than this build's")
  mark_as_advanced(DSM_PARAVIEW_HDF5_HEADERS)
  if(NOT DSM_PARAVIEW_HDF5_HEADERS)
    set(${misfit} "${${misfit}} (and there are no headers of that one: name their folder with DSM_PARAVIEW_HDF5_HEADERS)" PARENT_SCOPE)
    return()
  endif()
  _dsm_hdf5_version("${DSM_PARAVIEW_HDF5_HEADERS}" theirs)
  if(NOT theirs STREQUAL HDF5_VERSION)
    set(${misfit} "${${misfit}}, and they are of different versions (${theirs}, ${HDF5_VERSION})" PARENT_SCOPE)
    return()
  endif()
  set(DSM_PARAVIEW_HDF5 "${library}" CACHE INTERNAL "The HDF5 that ParaView uses, where that is another than this build's")
  set(${misfit} "" PARENT_SCOPE)
endfunction()

function(_dsm_hdf5_version headers result)
  file(STRINGS "${headers}/H5public.h" lines REGEX "^#define H5_VERS_(MAJOR|MINOR|RELEASE)[ \t]")
  string(REGEX REPLACE "[^;]*[ \t]([0-9]+)[^;]*" "\\1" numbers "${lines}")
  string(REPLACE ";" "." version "${numbers}")
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Called where the plugin is built, before ParaView's package is loaded.
function(dsm_add_plugin_core)
  add_library(dsmPluginCore INTERFACE)
  add_library(dsmPluginDescribe INTERFACE)
  if(NOT DSM_PARAVIEW_HDF5)
    target_link_libraries(dsmPluginCore INTERFACE DSM::Core)
    target_link_libraries(dsmPluginDescribe INTERFACE dsmDescribe)
    return()
  endif()
  message(STATUS "ParaView DSM: the plugin is linked with ParaView's HDF5 in ${DSM_PARAVIEW_HDF5}")

  # VTK's package names its HDF5 by these targets, and would find this build's.
  foreach(target IN ITEMS hdf5::hdf5 hdf5::hdf5_hl)
    if(NOT TARGET ${target})
      add_library(${target} UNKNOWN IMPORTED)
    endif()
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${DSM_PARAVIEW_HDF5}"
      INTERFACE_INCLUDE_DIRECTORIES "${DSM_PARAVIEW_HDF5_HEADERS}" INTERFACE_LINK_LIBRARIES "")
  endforeach()

  set(parallel H5FDdsm Hdf5Library TimedFiles)
  list(TRANSFORM parallel PREPEND "${PROJECT_SOURCE_DIR}/DSMCore/Driver/" OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND .cxx)
  string(REPLACE ";" "|" parallel "${parallel}")
  add_library(DSMCoreParaView SHARED ${sources}
    "$<FILTER:$<TARGET_OBJECTS:DSMCore>,EXCLUDE,/Driver/(${parallel})\\.cxx>")
  set_target_properties(DSMCoreParaView PROPERTIES OUTPUT_NAME dsmcore-paraview)
  target_include_directories(DSMCoreParaView PUBLIC "${PROJECT_SOURCE_DIR}/DSMCore")
  target_include_directories(DSMCoreParaView SYSTEM PUBLIC "${DSM_PARAVIEW_HDF5_HEADERS}")
  target_compile_definitions(DSMCoreParaView PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(DSMCoreParaView
    PUBLIC "${DSM_PARAVIEW_HDF5}" MPI::MPI_C MPI::MPI_CXX fmt::fmt spdlog::spdlog)
  dsm_link_core_libraries(DSMCoreParaView PRIVATE)
  # Any function of a parallel HDF5 that another file calls would be missing here.
  target_link_options(DSMCoreParaView PRIVATE ${DSM_CALLS_ITSELF} -Wl,-z,defs)
  install(TARGETS DSMCoreParaView LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  target_link_libraries(dsmPluginCore INTERFACE DSMCoreParaView)

  add_library(dsmDescribeParaView STATIC $<TARGET_OBJECTS:dsmDescribe>)
  set_target_properties(dsmDescribeParaView PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(dsmDescribeParaView PUBLIC "${PROJECT_SOURCE_DIR}/Readers")
  target_link_libraries(dsmDescribeParaView PUBLIC DSMCoreParaView PRIVATE LibXml2::LibXml2)
  target_link_libraries(dsmPluginDescribe INTERFACE dsmDescribeParaView)
endfunction()

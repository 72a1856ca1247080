# SPDX-License-Identifier: BSD-3-Clause
# Where ParaView is, and which MPI and HDF5 it was built with. Included before those two are looked
# for: a plugin shares its process with ParaView's, so unless the user chose, ParaView decides.
#
#   DSM_PARAVIEW_PACKAGE   folder of its paraview-config.cmake, or false
#   DSM_PARAVIEW_NAMED     the user named it (ParaView_DIR): a misfit is then an error, not a remark
#   DSM_PARAVIEW_TAKEN     what was chosen because of it, in words
#   DSM_PARAVIEW_PROGRAMS  folder of its pvbatch and pvserver
#
# ParaView's HDF5 may be a serial one, and this build's is parallel: then only MPI is taken from ParaView.

set(DSM_PARAVIEW_MINIMUM 5.13)
set(DSM_PARAVIEW_CORRECTED "${CMAKE_BINARY_DIR}/CMakeFiles/paraview-package")

# The newest first.
set(_dsm_paraview_folders)
foreach(version IN ITEMS 6.4 6.3 6.2 6.1 6.0 5.13)
  list(APPEND _dsm_paraview_folders
    lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/paraview-${version} lib/cmake/paraview-${version})
endforeach()

# Finds ParaView's CMake package without loading it. The user may name the package or the prefix.
function(_dsm_find_paraview)
  set(named "${ParaView_DIR}")
  if(NOT named)
    set(named "$ENV{ParaView_DIR}")
  endif()
  # What a former run of CMake left in ParaView_DIR is no new choice.
  if(DSM_PARAVIEW_PACKAGE AND (NOT named OR named STREQUAL DSM_PARAVIEW_PACKAGE OR named STREQUAL DSM_PARAVIEW_CORRECTED))
    return()
  endif()
  if(named)
    unset(DSM_PARAVIEW_PACKAGE CACHE)
    find_path(DSM_PARAVIEW_PACKAGE paraview-config.cmake PATHS "${named}"
      PATH_SUFFIXES ${_dsm_paraview_folders} NO_DEFAULT_PATH)
    if(NOT DSM_PARAVIEW_PACKAGE)
      message(FATAL_ERROR "There is no paraview-config.cmake in ${named}, nor where an installation "
        "with this prefix would have it (lib/cmake/paraview-5.13). Name ParaView's prefix or its CMake package "
        "with -DParaView_DIR=…; ParaView must be ${DSM_PARAVIEW_MINIMUM} or newer, with its development files")
    endif()
    set(DSM_PARAVIEW_NAMED TRUE CACHE INTERNAL "The user named ParaView's place")
  else()
    find_path(DSM_PARAVIEW_PACKAGE paraview-config.cmake PATH_SUFFIXES ${_dsm_paraview_folders}
      DOC "Folder of the paraview-config.cmake to build the plugin for")
    set(DSM_PARAVIEW_NAMED FALSE CACHE INTERNAL "The user named ParaView's place")
  endif()
  mark_as_advanced(DSM_PARAVIEW_PACKAGE)
endfunction()

# The file that ParaView's package gives for one of its libraries; empty when it has none. ParaView may have VTK within
# it, or use one beside it.
function(_dsm_paraview_library library result)
  file(GLOB locations "${DSM_PARAVIEW_PACKAGE}/vtk/VTK-targets-*.cmake" "${VTK_DIR}/VTK-targets-*.cmake")
  if(NOT locations)
    file(GLOB locations "${DSM_PARAVIEW_PACKAGE}/../vtk-*/VTK-targets-*.cmake")
  endif()
  get_filename_component(prefix "${DSM_PARAVIEW_PACKAGE}" DIRECTORY)
  get_filename_component(prefix "${prefix}" DIRECTORY)
  set(${result} "" PARENT_SCOPE)
  foreach(file IN LISTS locations)
    file(STRINGS "${file}" lines REGEX "IMPORTED_LOCATION.*/lib${library}[-.]")
    if(lines MATCHES "/(lib${library}[^\"/]*)\"")
      set(name "${CMAKE_MATCH_1}")
      foreach(folder IN ITEMS "${prefix}" "${prefix}/..")
        if(EXISTS "${folder}/${name}")
          get_filename_component(found "${folder}/${name}" ABSOLUTE)
          set(${result} "${found}" PARENT_SCOPE)
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()

# Which library of a family (a regular expression) a program or library asks for, by its soname.
function(_dsm_needed file family result)
  execute_process(COMMAND "${CMAKE_READELF}" -d "${file}" OUTPUT_VARIABLE needs ERROR_QUIET)
  set(${result} "" PARENT_SCOPE)
  if(needs MATCHES "NEEDED[^\n]*\\[(${family}[^]]*)\\]")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

# The file that the loader takes for it; empty when it asks for none, or none is found.
function(_dsm_needed_file file family result)
  set(${result} "" PARENT_SCOPE)
  _dsm_needed("${file}" "${family}" soname)
  if(NOT soname)
    return()
  endif()
  execute_process(COMMAND ldd "${file}" OUTPUT_VARIABLE uses ERROR_QUIET)
  string(REPLACE "." "\\." pattern "${soname}")
  if(uses MATCHES "${pattern} => (/[^ \n]+)")
    get_filename_component(real "${CMAKE_MATCH_1}" REALPATH)
    set(${result} "${real}" PARENT_SCOPE)
  endif()
endfunction()

# The first compiler wrapper (mpicc, h5pcc, …) whose programs use that very library.
function(_dsm_wrapper_for library family names flags code result)
  set(${result} "" PARENT_SCOPE)
  get_filename_component(prefix "${library}" DIRECTORY)
  get_filename_component(prefix "${prefix}" DIRECTORY)
  set(probe "${CMAKE_BINARY_DIR}/CMakeFiles/dsm-probe")
  file(WRITE "${probe}/probe.c" "${code}")
  foreach(name IN LISTS names)
    unset(wrapper)
    find_program(wrapper "${name}" HINTS "${prefix}/bin" NO_CACHE)
    if(wrapper)
      execute_process(COMMAND "${wrapper}" ${flags} probe.c -o probe WORKING_DIRECTORY "${probe}"
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(NOT failed)
        _dsm_needed_file("${probe}/probe" "${family}" uses)
        if(uses STREQUAL library)
          set(${result} "${wrapper}" PARENT_SCOPE)
          break()
        endif()
      endif()
    endif()
  endforeach()
  file(REMOVE_RECURSE "${probe}")
endfunction()

function(_dsm_taken library wrapper)
  set(taken "ParaView in ${DSM_PARAVIEW_PACKAGE} uses ${library}, so ${wrapper} was taken")
  message(STATUS "ParaView DSM: ${taken}")
  list(APPEND DSM_PARAVIEW_TAKEN "${taken}")
  set(DSM_PARAVIEW_TAKEN "${DSM_PARAVIEW_TAKEN}" CACHE INTERNAL "What was chosen because of ParaView")
endfunction()

# Sets what FindMPI and FindHDF5 look at to what ParaView was built with, where the user did not.
# Finding no wrapper for it is no error here: FindMPI and FindHDF5 may know better, and what they find
# is compared with ParaView's later.
function(_dsm_follow_paraview)
  _dsm_paraview_library(vtkParallelMPI mpiModule)
  _dsm_paraview_library(vtkIOHDF hdfReader)
  if(mpiModule AND NOT MPI_C_COMPILER AND NOT MPI_CXX_COMPILER AND NOT MPI_HOME AND NOT MPI_C_LIBRARIES AND NOT DEFINED ENV{MPI_HOME})
    _dsm_needed_file("${mpiModule}" "libmpi[^.]*\\.so" library)
    if(library)
      _dsm_wrapper_for("${library}" "libmpi[^.]*\\.so" "mpicc;mpicc.mpich;mpicc.openmpi" ""
        "int MPI_Init(int*, char***); int main(void) { return MPI_Init(0, 0); }" wrapper)
      if(wrapper)
        foreach(pair IN ITEMS "mpicc;MPI_C_COMPILER" "mpicxx;MPI_CXX_COMPILER" "mpiexec;MPIEXEC_EXECUTABLE")
          list(GET pair 0 name)
          list(GET pair 1 variable)
          string(REGEX REPLACE "mpicc([^/]*)$" "${name}\\1" file "${wrapper}")
          if(EXISTS "${file}" AND NOT ${variable})
            set(${variable} "${file}" CACHE FILEPATH "Of the MPI that ParaView uses")
          endif()
        endforeach()
        _dsm_taken("${library}" "${wrapper}")
      endif()
    endif()
  endif()
  if(hdfReader AND NOT HDF5_C_COMPILER_EXECUTABLE AND NOT HDF5_ROOT AND NOT HDF5_DIR AND NOT DEFINED ENV{HDF5_ROOT})
    _dsm_needed_file("${hdfReader}" "libhdf5[^.]*\\.so" library)
    _dsm_needed("${library}" "libmpi[^.]*\\.so" parallel)
    if(library AND parallel)
      _dsm_wrapper_for("${library}" "libhdf5[^.]*\\.so" "h5pcc;h5pcc.mpich;h5pcc.openmpi;h5cc" "-shlib"
        "int H5open(void); int main(void) { return H5open(); }" wrapper)
      if(wrapper)
        set(HDF5_C_COMPILER_EXECUTABLE "${wrapper}" CACHE FILEPATH "Of the HDF5 that ParaView uses")
        _dsm_taken("${library}" "${wrapper}")
      endif()
    endif()
  endif()
endfunction()

if(DSM_BUILD_PLUGIN)
  _dsm_find_paraview()
  if(DSM_PARAVIEW_PACKAGE)
    _dsm_follow_paraview()
    get_filename_component(folder "${DSM_PARAVIEW_PACKAGE}" DIRECTORY)
    while(NOT EXISTS "${folder}/bin/pvbatch" AND NOT folder STREQUAL "/")
      get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
    set(DSM_PARAVIEW_PROGRAMS "${folder}/bin")
  endif()
endif()

# SPDX-License-Identifier: BSD-3-Clause
# Finds the MPI library and the parallel HDF5 that the cores are linked with, and checks that they belong together: a
# program must never hold two MPI libraries or two parallel HDF5. Sets DSM_MPI_FLAVOUR and DSM_HDF5_LIBRARY, and makes
# the target dsm_hdf5.
find_package(MPI REQUIRED COMPONENTS C CXX)
set(HDF5_PREFER_PARALLEL ON)
# FindHDF5 makes this target, too, and stops where the library has another name (libhdf5_openmpi.so).
add_library(hdf5::hdf5 UNKNOWN IMPORTED)
find_package(HDF5 1.14 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "The HDF5 found (${HDF5_C_LIBRARIES}) is not parallel. Name a parallel one with "
    "-DHDF5_C_COMPILER_EXECUTABLE=<its h5pcc>, or use a preset: cmake --preset openmpi")
endif()

# "openmpi" or "mpich": names the flavour in tests and in the folders of what we install.
execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version OUTPUT_VARIABLE mpiexecVersion ERROR_VARIABLE mpiexecVersion)
if(mpiexecVersion MATCHES "Open MPI|OpenRTE|PRRTE|prte")
  set(DSM_MPI_FLAVOUR openmpi)
elseif(mpiexecVersion MATCHES "HYDRA|MPICH")
  set(DSM_MPI_FLAVOUR mpich)
else()
  set(DSM_MPI_FLAVOUR mpi)
endif()

foreach(library IN LISTS HDF5_C_LIBRARIES HDF5_LIBRARIES)
  if(library MATCHES "libhdf5[^/]*\\.so" AND NOT DSM_HDF5_LIBRARY)
    get_filename_component(DSM_HDF5_LIBRARY "${library}" REALPATH)
  endif()
endforeach()
if(NOT DSM_HDF5_LIBRARY)
  message(FATAL_ERROR "HDF5 is a static library here (${HDF5_C_LIBRARIES}). The driver can only reach "
    "programs that use the shared one: name it with -DHDF5_USE_STATIC_LIBRARIES=OFF")
endif()
set_target_properties(hdf5::hdf5 PROPERTIES IMPORTED_LOCATION "${DSM_HDF5_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${HDF5_C_INCLUDE_DIRS};${HDF5_INCLUDE_DIRS}")
execute_process(COMMAND "${CMAKE_READELF}" -d "${DSM_HDF5_LIBRARY}" OUTPUT_VARIABLE hdf5Needs)
string(REGEX MATCH "libmpi(ch)?\\.so[.0-9]*" hdf5Mpi "${hdf5Needs}")
string(REGEX MATCH "[^;]*/libmpi(ch)?\\.so" ourMpi "${MPI_C_LIBRARIES}")
get_filename_component(ourMpiFile "${ourMpi}" REALPATH)
get_filename_component(ourMpiName "${ourMpiFile}" NAME)
if(hdf5Mpi AND ourMpiName)
  string(REGEX REPLACE "\\.so.*" "" hdf5Family "${hdf5Mpi}")
  string(REGEX REPLACE "\\.so.*" "" ourFamily "${ourMpiName}")
  if(NOT hdf5Family STREQUAL ourFamily)
    if(DSM_PARAVIEW_TAKEN)
      string(JOIN "; " why ${DSM_PARAVIEW_TAKEN})
      set(why " ${why}; the rest was chosen otherwise.")
    endif()
    message(FATAL_ERROR "MPI and HDF5 do not belong together: ${DSM_HDF5_LIBRARY} uses ${hdf5Mpi}, "
      "but MPI is ${ourMpiFile}.${why} Choose both with a preset (openmpi, mpich), or set MPI_C_COMPILER, "
      "MPI_CXX_COMPILER and HDF5_C_COMPILER_EXECUTABLE to one family, or name ParaView_DIR and neither of them.")
  endif()
endif()
message(STATUS "ParaView DSM: MPI flavour ${DSM_MPI_FLAVOUR}, HDF5 ${HDF5_VERSION} in ${DSM_HDF5_LIBRARY}")

add_library(dsm_hdf5 INTERFACE)
target_include_directories(dsm_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS} ${HDF5_INCLUDE_DIRS})
target_compile_definitions(dsm_hdf5 INTERFACE ${HDF5_C_DEFINITIONS})
target_link_libraries(dsm_hdf5 INTERFACE ${DSM_HDF5_LIBRARY} MPI::MPI_C)

# SPDX-License-Identifier: BSD-3-Clause
# Prepares a build without an MPI library (DSM_MPI is OFF): the tools use a serial HDF5, and the cores for parallel
# programs are compiled with the headers of MPI libraries that are not linked.
if(NOT DSM_SERIAL_HDF5 OR NOT DSM_SERIAL_HDF5_LIBRARY)
  message(FATAL_ERROR "Without MPI (DSM_MPI is OFF) a serial HDF5 1.14 is needed: name its folder of headers with DSM_SERIAL_HDF5 "
    "and its library with DSM_SERIAL_HDF5_LIBRARY.")
endif()
set(DSM_MPI_HEADERS "" CACHE STRING "MPI libraries whose programs are coupled: openmpi=FOLDER;mpich=FOLDER, by the folder of mpi.h")
set(DSM_BUILD_EXAMPLES OFF)
set(BUILD_TESTING OFF)
set(DSM_FORTRAN OFF)
set(DSM_BUILD_PLUGIN OFF)
message(STATUS "ParaView DSM: without MPI there are no Fortran module, compiled plugin, examples and tests")

add_library(dsm_hdf5 INTERFACE)
target_include_directories(dsm_hdf5 SYSTEM INTERFACE "${DSM_SERIAL_HDF5}")
target_link_libraries(dsm_hdf5 INTERFACE "${DSM_SERIAL_HDF5_LIBRARY}" Threads::Threads ${CMAKE_DL_LIBS} m)

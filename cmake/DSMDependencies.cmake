# SPDX-License-Identifier: BSD-3-Clause
# Finds what DSMCore stands on.
option(DSM_MPI "Build for an MPI library and its parallel HDF5. OFF: only hosts, tools, and the cores that are linked with \
neither (DSMCore/AnyHdf5)" ON)
find_package(Threads REQUIRED)
if(DSM_MPI)
  include(DSMMpi)
endif()
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(cppzmq REQUIRED)
set(DSM_ZEROMQ cppzmq)
if(TARGET libzmq-static AND NOT TARGET libzmq)
  set(DSM_ZEROMQ cppzmq-static)
endif()
find_package(CLI11 REQUIRED)
# For descriptions in XDMF.
find_package(LibXml2 REQUIRED)

# For programs with a serial HDF5 (h5py, h5dump, ncdump) its headers are needed, and no library: see DSMCore/Serial.
set(DSM_SERIAL AUTO CACHE STRING "Build for serial HDF5, too: ON, OFF, or AUTO (when there are headers)")
if(DSM_SERIAL)
  find_path(DSM_SERIAL_HDF5 H5pubconf.h PATHS /usr/include/hdf5/serial ${HDF5_C_INCLUDE_DIRS} NO_DEFAULT_PATH
    DOC "Headers of an HDF5 1.14, serial or parallel")
  if(DSM_SERIAL_HDF5)
    include(DSMSerialHeaders)
    dsm_serial_headers("${DSM_SERIAL_HDF5}" headers)
    # Tools that read and write files themselves use it, and need no MPI.
    if(headers STREQUAL DSM_SERIAL_HDF5)
      find_library(DSM_SERIAL_HDF5_LIBRARY hdf5_serial DOC "A serial HDF5 1.14")
    endif()
    set(DSM_SERIAL_HDF5 "${headers}")
    message(STATUS "ParaView DSM: for serial programs, HDF5's headers in ${DSM_SERIAL_HDF5}")
  elseif(NOT DSM_MPI OR NOT DSM_SERIAL STREQUAL "AUTO")
    message(FATAL_ERROR "DSM_SERIAL is ${DSM_SERIAL}, DSM_MPI is ${DSM_MPI}, but there are no headers of an HDF5 1.14: name their folder with "
      "DSM_SERIAL_HDF5.")
  endif()
endif()

if(NOT DSM_MPI)
  include(DSMWithoutMpi)
endif()

# Programs whose MPI library has the ABI of the MPI standard need its header here, and no library (DSMCore/AnyHdf5).
find_file(DSM_MPI_ABI_HEADER mpi_abi.h HINTS ${MPI_C_HEADER_DIR} DOC "Header of the MPI standard's ABI, which MPICH 5 has")
if(DSM_MPI_ABI_HEADER)
  message(STATUS "ParaView DSM: for the MPI standard's ABI, ${DSM_MPI_ABI_HEADER}")
endif()

# The transport between nodes that needs no MPI; without it the others are there.
set(DSM_FABRIC AUTO CACHE STRING "Build the fabric transport (libfabric): ON, OFF, or AUTO (when libfabric is there)")
option(DSM_FABRIC_ON_USE "Load libfabric on use instead of linking with it: for machines that have it or not" OFF)
add_library(dsmLibFabric INTERFACE)
if(DSM_FABRIC AND DSM_FABRIC_ON_USE)
  find_path(DSM_FABRIC_HEADERS rdma/fabric.h REQUIRED DOC "Headers of libfabric 1.15 or newer")
  target_include_directories(dsmLibFabric SYSTEM INTERFACE "${DSM_FABRIC_HEADERS}")
  set(DSM_FABRIC_FOUND TRUE)
elseif(DSM_FABRIC)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(LIBFABRIC QUIET IMPORTED_TARGET libfabric>=1.15)
  endif()
  set(DSM_FABRIC_FOUND ${LIBFABRIC_FOUND})
  if(LIBFABRIC_FOUND)
    target_link_libraries(dsmLibFabric INTERFACE PkgConfig::LIBFABRIC)
    message(STATUS "ParaView DSM: transport fabric with libfabric ${LIBFABRIC_VERSION}")
  elseif(DSM_FABRIC STREQUAL "AUTO")
    message(STATUS "ParaView DSM: the transport fabric is not built: pkg-config finds no libfabric 1.15 or newer (libfabric-dev)")
  else()
    message(FATAL_ERROR "DSM_FABRIC is ${DSM_FABRIC}, but pkg-config finds no libfabric 1.15 or newer: "
      "install its development files (libfabric-dev), name their folder with PKG_CONFIG_PATH, or set DSM_FABRIC to OFF.")
  endif()
endif()

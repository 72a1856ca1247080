# SPDX-License-Identifier: BSD-3-Clause
# Finds what DSMCore stands on, and checks that MPI and HDF5 belong together: a program must never
# hold two MPI libraries or two parallel HDF5.
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS C CXX)
set(HDF5_PREFER_PARALLEL ON)
# FindHDF5 makes this target, too, and stops where the library has another name (libhdf5_openmpi.so).
add_library(hdf5::hdf5 UNKNOWN IMPORTED)
find_package(HDF5 1.14 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "The HDF5 found (${HDF5_C_LIBRARIES}) is not parallel. Name a parallel one with "
    "-DHDF5_C_COMPILER_EXECUTABLE=<its h5pcc>, or use a preset: cmake --preset openmpi")
endif()
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(cppzmq REQUIRED)
find_package(CLI11 REQUIRED)
# For descriptions in XDMF.
find_package(LibXml2 REQUIRED)

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

# For programs with a serial HDF5 (h5py, h5dump, ncdump) its headers are needed, and no library: see DSMCore/Serial.
set(DSM_SERIAL AUTO CACHE STRING "Build for serial HDF5, too: ON, OFF, or AUTO (when there are headers of one)")
if(DSM_SERIAL)
  find_path(DSM_SERIAL_HDF5 H5pubconf.h PATHS /usr/include/hdf5/serial NO_DEFAULT_PATH DOC "Headers of a serial HDF5 1.14")
  if(DSM_SERIAL_HDF5)
    # Tools that read and write files themselves use it, and need no MPI.
    find_library(DSM_SERIAL_HDF5_LIBRARY hdf5_serial DOC "A serial HDF5 1.14")
    message(STATUS "ParaView DSM: for serial programs, HDF5's headers in ${DSM_SERIAL_HDF5}")
  elseif(NOT DSM_SERIAL STREQUAL "AUTO")
    message(FATAL_ERROR "DSM_SERIAL is ${DSM_SERIAL}, but there are no headers of a serial HDF5 1.14: name their folder with "
      "DSM_SERIAL_HDF5.")
  endif()
endif()

# Programs whose MPI library has the ABI of the MPI standard need its header here, and no library (DSMCore/AnyHdf5).
find_file(DSM_MPI_ABI_HEADER mpi_abi.h HINTS ${MPI_C_HEADER_DIR} DOC "Header of the MPI standard's ABI, which MPICH 5 has")
if(DSM_MPI_ABI_HEADER)
  message(STATUS "ParaView DSM: for the MPI standard's ABI, ${DSM_MPI_ABI_HEADER}")
endif()

# The transport between nodes that needs no MPI; without it the others are there.
set(DSM_FABRIC AUTO CACHE STRING "Build the fabric transport (libfabric): ON, OFF, or AUTO (when libfabric is there)")
if(DSM_FABRIC)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(LIBFABRIC QUIET IMPORTED_TARGET libfabric>=1.15)
  endif()
  if(LIBFABRIC_FOUND)
    message(STATUS "ParaView DSM: transport fabric with libfabric ${LIBFABRIC_VERSION}")
  elseif(DSM_FABRIC STREQUAL "AUTO")
    message(STATUS "ParaView DSM: the transport fabric is not built: pkg-config finds no libfabric 1.15 or newer (libfabric-dev)")
  else()
    message(FATAL_ERROR "DSM_FABRIC is ${DSM_FABRIC}, but pkg-config finds no libfabric 1.15 or newer: "
      "install its development files (libfabric-dev), name their folder with PKG_CONFIG_PATH, or set DSM_FABRIC to OFF.")
  endif()
endif()

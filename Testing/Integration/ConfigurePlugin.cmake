# SPDX-License-Identifier: BSD-3-Clause
# CMake itself: what it says when MPI, HDF5 and ParaView do not belong together. Seconds, and once.
if(DSM_MPI_FLAVOUR STREQUAL openmpi AND TARGET ParaViewDSM)
  dsm_add_test(NAME ConfigurePlugin
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/configure_plugin.py"
      --source "${PROJECT_SOURCE_DIR}" --cmake "${CMAKE_COMMAND}" --paraview "${DSM_PARAVIEW_PACKAGE}"
    LABELS integration mpich-paraview TIMEOUT 300)
endif()

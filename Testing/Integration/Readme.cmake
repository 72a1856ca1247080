# SPDX-License-Identifier: BSD-3-Clause
# What the README shows, built against what is installed, and run.
if(TARGET dsm-run)
  set(fortran "")
  if(DSM_FORTRAN_FOUND)
    set(fortran "${MPI_Fortran_COMPILER}")
  endif()
  dsm_add_pytest(NAME Readme FILE test_readme.py PROCESSORS 3 LABELS integration TIMEOUT 300
    ENVIRONMENT "DSM_TEST_CMAKE=${CMAKE_COMMAND}" "DSM_TEST_LIBDIR=${CMAKE_INSTALL_LIBDIR}"
      "DSM_TEST_MPICC=${MPI_C_COMPILER}" "DSM_TEST_MPICXX=${MPI_CXX_COMPILER}" "DSM_TEST_CC=${CMAKE_C_COMPILER}"
      "DSM_TEST_H5CC=${HDF5_C_COMPILER_EXECUTABLE}" "DSM_TEST_MPIFORT=${fortran}")
endif()

# SPDX-License-Identifier: BSD-3-Clause
# What the README shows, built against what is installed, and run.
if(TARGET dsm-run)
  list(JOIN DSM_MPIEXEC " " mpiexecWords)
  set(fortran "")
  if(DSM_FORTRAN_FOUND)
    set(fortran "${MPI_Fortran_COMPILER}")
  endif()
  dsm_add_test(NAME Readme LABELS integration TIMEOUT 180
    COMMAND Python3::Interpreter -m pytest -q -p no:cacheprovider "${CMAKE_CURRENT_SOURCE_DIR}/test_readme.py"
    ENVIRONMENT "DSM_TEST_BUILD=${CMAKE_BINARY_DIR}" "DSM_TEST_FLAVOUR=${DSM_MPI_FLAVOUR}"
      "DSM_TEST_CMAKE=${CMAKE_COMMAND}" "DSM_TEST_LIBDIR=${CMAKE_INSTALL_LIBDIR}"
      "DSM_TEST_MPICC=${MPI_C_COMPILER}" "DSM_TEST_MPICXX=${MPI_CXX_COMPILER}" "DSM_TEST_CC=${CMAKE_C_COMPILER}" "DSM_TEST_H5CC=${HDF5_C_COMPILER_EXECUTABLE}" "DSM_TEST_MPIFORT=${fortran}" "DSM_TEST_MPIEXEC=${mpiexecWords}"
      "PYTHONDONTWRITEBYTECODE=1")
  set_tests_properties(${DSM_MPI_FLAVOUR}.Readme PROPERTIES PROCESSORS 3)
endif()

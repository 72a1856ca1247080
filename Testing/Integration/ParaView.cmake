# SPDX-License-Identifier: BSD-3-Clause
# The plugin inside ParaView: each file of tests is one ctest test, so that a failure names it.
find_program(DSM_PVBATCH pvbatch)
find_program(DSM_PVSERVER pvserver)
find_program(DSM_PVPYTHON pvpython)
string(REPLACE ";" " " mpiexecText "${DSM_MPIEXEC}")
foreach(name IN ITEMS FileReader LiveFields LivePlain ServerApi ClientServer)
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" file "${name}")
  string(TOLOWER "test_${file}.py" file)
  dsm_add_test(NAME ParaView.${name}
    COMMAND "${Python3_EXECUTABLE}" -m pytest -q -p no:cacheprovider "${CMAKE_CURRENT_SOURCE_DIR}/paraview/${file}"
    LABELS integration paraview TIMEOUT 400
    ENVIRONMENT
      "DSM_PLUGIN_FOLDER=${DSM_PLUGIN_FOLDER}" "DSM_TEST_MPIEXEC=${mpiexecText}"
      "DSM_TEST_PVBATCH=${DSM_PVBATCH}" "DSM_TEST_PVSERVER=${DSM_PVSERVER}" "DSM_TEST_PVPYTHON=${DSM_PVPYTHON}"
      "DSM_TEST_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" "PYTHONDONTWRITEBYTECODE=1")
  set_tests_properties(${DSM_MPI_FLAVOUR}.ParaView.${name} PROPERTIES PROCESSORS 3)
endforeach()

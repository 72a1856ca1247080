# SPDX-License-Identifier: BSD-3-Clause
# The plugin inside ParaView: each file of tests is one ctest test, so that a failure names it.
# Debian's ParaView comes with Open MPI; one on MPICH is there when somebody has built it
# (Testing/Environment/paraview-mpich.sh), and its tests carry the label mpich-paraview.
find_program(DSM_PVBATCH pvbatch HINTS "${DSM_PARAVIEW_PROGRAMS}")
find_program(DSM_PVSERVER pvserver HINTS "${DSM_PARAVIEW_PROGRAMS}")
find_program(DSM_PVPYTHON pvpython HINTS "${DSM_PARAVIEW_PROGRAMS}")
find_program(DSM_PARAVIEW_GUI paraview)
string(REPLACE ";" " " mpiexecText "${DSM_MPIEXEC}")
set(tests ArrayMemory MappedArrays KeptMesh RangedArrays Attached PythonPlugin Loading FileReader OddFiles Shown FuzzedFiles Formats Shares LiveFields LivePlain LiveFollow LiveVtkhdf LiveDescribed Xdmf OpenPmd Fenics Generators MoreGenerators LiveCgns Placeholders ServerApi Compare FixedTime ClientServer Viewer Watch OtherLibraries OtherMpi OneJob Parts Transports Bulk Steering ClosedLoop SteeredPicture Separate SeparateSteps SlowViewer Growing AlsoOnDisk Archived SentArray Shells Kinds Suspended Help)
set(labels integration paraview)
if(DSM_MPI_FLAVOUR STREQUAL mpich)
  list(APPEND labels mpich-paraview)
  # Debian's own client, on Open MPI.
  list(APPEND tests OtherClient)
endif()
# Preloaded, pretends to be another HDF5 or MPI.
add_library(dsmOtherLibraries SHARED paraview/other_libraries.c)
target_link_libraries(dsmOtherLibraries PRIVATE ${CMAKE_DL_LIBS})
target_compile_definitions(dsmOtherLibraries PRIVATE "DSM_TEST_HDF5=\"${DSM_HDF5_LIBRARY}\"")
foreach(name IN LISTS tests)
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" file "${name}")
  string(TOLOWER "test_${file}.py" file)
  dsm_add_test(NAME ParaView.${name}
    COMMAND "${Python3_EXECUTABLE}" -m pytest -q -rs -p no:cacheprovider "${CMAKE_CURRENT_SOURCE_DIR}/paraview/${file}"
    LABELS ${labels} TIMEOUT 900
    ENVIRONMENT
      "DSM_PLUGIN_FOLDER=${DSM_PLUGIN_FOLDER}" "DSM_TEST_MPIEXEC=${mpiexecText}" "DSM_TEST_FLAVOUR=${DSM_MPI_FLAVOUR}"
      "DSM_TEST_PVBATCH=${DSM_PVBATCH}" "DSM_TEST_PVSERVER=${DSM_PVSERVER}" "DSM_TEST_PVPYTHON=${DSM_PVPYTHON}"
      "DSM_TEST_GUI=${DSM_PARAVIEW_GUI}" "DSM_TEST_BUILD=${CMAKE_BINARY_DIR}" "DSM_TEST_BUILDS=${DSM_OTHER_BUILDS}"
      "DSM_TEST_OTHER_LIBRARIES=$<TARGET_FILE:dsmOtherLibraries>"
      ${DSM_STEERED_PROGRAMS} "DSM_TEST_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" "PYTHONDONTWRITEBYTECODE=1")
  set_tests_properties(${DSM_MPI_FLAVOUR}.ParaView.${name} PROPERTIES PROCESSORS 2 COST 100
    SKIP_REGULAR_EXPRESSION "\n[0-9]+ skipped in")
endforeach()
# With DSM_TRANSPORT_TABLE it runs all cells of the table; each wait in it has its own limit. So has each of many files.
set_tests_properties(
  ${DSM_MPI_FLAVOUR}.ParaView.Transports ${DSM_MPI_FLAVOUR}.ParaView.FuzzedFiles PROPERTIES TIMEOUT 3600)

# SPDX-License-Identifier: BSD-3-Clause
# Simulations that can be steered by everything there is, one in each language, for the tests of steering from
# wherever. DSM_STEERED_PROGRAMS is what such a test has in its environment: how each is started, and whether
# there is MPI for the one in Python.
set(steeredFolder "${CMAKE_CURRENT_LIST_DIR}/Parallel")
add_executable(dsmSteeredProgram "${steeredFolder}/steered_program.c")
target_link_libraries(dsmSteeredProgram PRIVATE DSM::Client)
set(steeredPrograms "\"C\": [\"$<TARGET_FILE:dsmSteeredProgram>\"]")
if(DSM_FORTRAN_FOUND)
  add_executable(dsmSteeredFortran "${steeredFolder}/steered_program.f90")
  target_link_libraries(dsmSteeredFortran PRIVATE DSM::Fortran)
  set_target_properties(dsmSteeredFortran PROPERTIES Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fortran")
  string(APPEND steeredPrograms ", \"Fortran\": [\"$<TARGET_FILE:dsmSteeredFortran>\"]")
endif()
string(APPEND steeredPrograms ", \"Python\": [\"${Python3_EXECUTABLE}\", \"${steeredFolder}/steered_program.py\"]")
# Debian's mpi4py is for Open MPI: with MPICH a Python program is tested as one process.
set(mpi4py "")
if(DSM_MPI_FLAVOUR STREQUAL openmpi)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c
    "import importlib.util, sys; sys.exit(importlib.util.find_spec('mpi4py') is None)" RESULT_VARIABLE noMpi4py)
  if(NOT noMpi4py)
    set(mpi4py 1)
  endif()
endif()
set(DSM_STEERED_PROGRAMS "DSM_TEST_PROGRAMS={${steeredPrograms}}" "DSM_TEST_MPI4PY=${mpi4py}")

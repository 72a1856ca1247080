# SPDX-License-Identifier: BSD-3-Clause
# How tests are declared. Every test's name begins with the MPI flavour, so that both builds can be
# run as one suite; every test has a time limit.

# What each test needs around it, whichever MPI runs it.
set(DSM_TEST_ENVIRONMENT
  # A crash in UCX's signal handler looks like a hang.
  "UCX_ERROR_SIGNALS="
  # What somebody's benchmark recommended for this machine is not what is tested.
  "DSM_DEFAULTS=off"
  # hwloc's part for graphics cards asks every X server from :0 to :9, whoever's it is, and one that
  # another test ends in that moment ends the MPI process, too ("X connection to :5 broken").
  "HWLOC_COMPONENTS=-gl"
  "OMPI_ALLOW_RUN_AS_ROOT=1" "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
  "PRTE_ALLOW_RUN_AS_ROOT=1" "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1"
  "OMPI_MCA_btl_tcp_if_include=lo"
  # More ranks than cores: a waiting rank must give its core away. In MPICH the default yield leaves
  # a program with 4 ranks on 2 cores ten times slower.
  "OMPI_MCA_mpi_yield_when_idle=1" "MPIR_CVAR_ENABLE_HEAVY_YIELD=1")

include(DSMTestSample)

set(DSM_MPIEXEC "${MPIEXEC_EXECUTABLE}")
if(DSM_MPI_FLAVOUR STREQUAL openmpi)
  list(APPEND DSM_MPIEXEC --oversubscribe)
endif()

# dsm_add_test(NAME <name> COMMAND <command> [ARGS…] [LABELS …] [TIMEOUT s] [ENVIRONMENT VAR=value …])
function(dsm_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
  set(name "${DSM_MPI_FLAVOUR}.${arg_NAME}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  dsm_test_is_rare("${arg_NAME}" rare)
  if(rare)
    list(APPEND arg_LABELS all)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS};${DSM_MPI_FLAVOUR}"
    # Open MPI's launchers trip over each other in a folder that they share (see Testing/processes.py).
    ENVIRONMENT "${DSM_TEST_ENVIRONMENT};PRTE_MCA_prte_tmpdir_base=${CMAKE_BINARY_DIR}/Testing/${name};${arg_ENVIRONMENT}")
endfunction()

# dsm_add_mpi_test(NAME <name> TARGET <executable> RANKS 1 2 3 5 [ARGS …] [LABELS …] [TIMEOUT s])
# registers one test per rank count.
function(dsm_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TARGET;TIMEOUT" "RANKS;ARGS;LABELS;ENVIRONMENT")
  if(arg_TIMEOUT)
    list(PREPEND arg_TIMEOUT TIMEOUT)
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    dsm_add_test(NAME ${arg_NAME}.${ranks}
      COMMAND ${DSM_MPIEXEC} -n ${ranks} $<TARGET_FILE:${arg_TARGET}> ${arg_ARGS}
      LABELS parallel ${arg_LABELS} ${arg_TIMEOUT} ENVIRONMENT ${arg_ENVIRONMENT})
    set_tests_properties(${DSM_MPI_FLAVOUR}.${arg_NAME}.${ranks} PROPERTIES PROCESSORS ${ranks})
  endforeach()
endfunction()

# dsm_add_pytest(NAME <name> FILE <file> PROCESSORS <n> [LABELS …] [TIMEOUT s] [ENVIRONMENT VAR=value …])
# A file of tests in Python, or one of its tests (FILE::TEST). Skipped when all of them are.
function(dsm_add_pytest)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;FILE;PROCESSORS;TIMEOUT" "LABELS;ENVIRONMENT")
  list(JOIN DSM_MPIEXEC " " mpiexec)
  if(arg_TIMEOUT)
    list(PREPEND arg_TIMEOUT TIMEOUT)
  endif()
  dsm_add_test(NAME ${arg_NAME} LABELS ${arg_LABELS} ${arg_TIMEOUT}
    COMMAND Python3::Interpreter -m pytest -q -rs -p no:cacheprovider "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FILE}"
    ENVIRONMENT "DSM_TEST_BUILD=${CMAKE_BINARY_DIR}" "DSM_TEST_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
      "DSM_TEST_MPIEXEC=${mpiexec}" "DSM_TEST_FLAVOUR=${DSM_MPI_FLAVOUR}" "PYTHONDONTWRITEBYTECODE=1" ${arg_ENVIRONMENT})
  set_tests_properties(${DSM_MPI_FLAVOUR}.${arg_NAME} PROPERTIES PROCESSORS ${arg_PROCESSORS}
    SKIP_REGULAR_EXPRESSION "\n[0-9]+ skipped in")
endfunction()

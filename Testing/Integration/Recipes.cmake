# SPDX-License-Identifier: BSD-3-Clause
# Tests the recipes in Packaging: each is built and used as users do it. What takes minutes is left to ./dev test --all,
# and all run with one MPI library.
if(NOT DSM_TEST_ONCE OR NOT TARGET dsm-run OR NOT TARGET dsmCoupledProgram)
  return()
endif()
dsm_add_pytest(NAME Recipes.Versions FILE recipes/test_versions.py PROCESSORS 1 LABELS integration)
dsm_add_pytest(NAME Recipes.EasyBuild FILE recipes/test_easybuild.py PROCESSORS 1 LABELS integration)
dsm_add_pytest(NAME Recipes.Conda FILE recipes/test_conda.py PROCESSORS 1 LABELS integration)
dsm_add_pytest(NAME Recipes.Wheel FILE recipes/test_wheel.py PROCESSORS 2 LABELS integration TIMEOUT 7200)
dsm_add_pytest(NAME Recipes.Debian FILE recipes/test_debian.py PROCESSORS 2 LABELS integration TIMEOUT 1200
  ENVIRONMENT "DSM_TEST_CPACK=${CMAKE_CPACK_COMMAND}")
# These compile the whole library, unless the compiler cache has it.
foreach(recipe IN ITEMS Docker Apptainer Spack)
  string(TOLOWER "${recipe}" file)
  dsm_add_pytest(NAME Recipes.${recipe} FILE recipes/test_${file}.py PROCESSORS 2 LABELS integration TIMEOUT 7200)
endforeach()

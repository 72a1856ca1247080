# SPDX-License-Identifier: BSD-3-Clause
# Tests the recipes in Packaging: each is built and used as users do it. That takes minutes, so only ./dev test --all runs
# them, and with one MPI library.
if(NOT DSM_TEST_ONCE OR NOT TARGET dsm-run OR NOT TARGET dsmCoupledProgram)
  return()
endif()
dsm_add_pytest(NAME Recipes.Wheel FILE recipes/test_wheel.py PROCESSORS 2 LABELS integration TIMEOUT 7200)
dsm_add_pytest(NAME Recipes.Debian FILE recipes/test_debian.py PROCESSORS 2 LABELS integration TIMEOUT 1200
  ENVIRONMENT "DSM_TEST_CPACK=${CMAKE_CPACK_COMMAND}")

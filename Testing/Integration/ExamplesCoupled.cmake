# SPDX-License-Identifier: BSD-3-Clause
# The example simulations, unchanged, coupled by dsm-run.
list(JOIN DSM_MPIEXEC " " mpiexecWords)
dsm_add_test(NAME GrayScott.Coupled
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/examples_coupled.py gray-scott
    --mpiexec "${mpiexecWords}" --bin $<TARGET_FILE_DIR:dsm-run> --program $<TARGET_FILE:gray_scott>
  LABELS integration TIMEOUT 300)
set_tests_properties(${DSM_MPI_FLAVOUR}.GrayScott.Coupled PROPERTIES PROCESSORS 4)

# Steered by a log, to disk: each knob does something.
function(dsm_add_steered_example name example program)
  dsm_add_test(NAME ${name}.Steered
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/steered_on_disk.py ${example}
      --mpiexec "${mpiexecWords}" --run $<TARGET_FILE:dsm-run> --program "${program}"
    LABELS integration TIMEOUT 300 ENVIRONMENT "PYTHONPATH=${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/paraview-dsm")
  set_tests_properties(${DSM_MPI_FLAVOUR}.${name}.Steered PROPERTIES PROCESSORS 2)
endfunction()
dsm_add_steered_example(GrayScott gray-scott $<TARGET_FILE:gray_scott>)

# Those that are steered as well; nobody steers them here.
if(TARGET shallow_water)
  dsm_add_test(NAME ShallowWater.Coupled
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/examples_coupled.py shallow-water
      --mpiexec "${mpiexecWords}" --bin $<TARGET_FILE_DIR:dsm-run> --program $<TARGET_FILE:shallow_water>
    LABELS integration TIMEOUT 120)
  set_tests_properties(${DSM_MPI_FLAVOUR}.ShallowWater.Coupled PROPERTIES PROCESSORS 4)
  dsm_add_steered_example(ShallowWater shallow-water $<TARGET_FILE:shallow_water>)
endif()
# Debian's mpi4py and parallel h5py are for Open MPI.
set(noMpi4py TRUE)
if(DSM_MPI_FLAVOUR STREQUAL openmpi)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c
    "from mpi4py import MPI; import h5py, sys; sys.exit(not h5py.get_config().mpi)" RESULT_VARIABLE noMpi4py
    OUTPUT_QUIET ERROR_QUIET)
  if(NOT noMpi4py)
    dsm_add_test(NAME Particles.Coupled
      COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/examples_coupled.py particles
        --mpiexec "${mpiexecWords}" --bin $<TARGET_FILE_DIR:dsm-run>
        --program ${PROJECT_SOURCE_DIR}/Examples/particles/particles.py
      LABELS integration TIMEOUT 120
      ENVIRONMENT "PYTHONPATH=${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/paraview-dsm")
    set_tests_properties(${DSM_MPI_FLAVOUR}.Particles.Coupled PROPERTIES PROCESSORS 4)
    dsm_add_steered_example(Particles particles "${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/Examples/particles/particles.py")
  endif()
endif()

# Debian's Meep is built with Open MPI.
if(DSM_MPI_FLAVOUR STREQUAL openmpi)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c
    "import importlib.util, sys; sys.exit(importlib.util.find_spec('meep') is None)" RESULT_VARIABLE noMeep)
  if(NOT noMeep)
    dsm_add_test(NAME Meep.Coupled
      COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/examples_coupled.py meep
        --mpiexec "${mpiexecWords}" --bin $<TARGET_FILE_DIR:dsm-run>
        --program ${PROJECT_SOURCE_DIR}/Examples/meep/ring.py
      LABELS integration TIMEOUT 300)
    set_tests_properties(${DSM_MPI_FLAVOUR}.Meep.Coupled PROPERTIES PROCESSORS 4)
  endif()
endif()

# The demo itself, with few pictures: both sides, and the film.
if(TARGET ParaViewDSM)
  find_program(DSM_XVFB Xvfb)
  find_program(DSM_FFMPEG ffmpeg)
  if(DSM_XVFB AND DSM_FFMPEG)
    set(demos gray-scott branch)
    set(labels integration)
    if(DSM_MPI_FLAVOUR STREQUAL mpich)
      list(APPEND labels mpich-paraview)
    elseif(NOT noMeep)
      list(APPEND demos meep)
    endif()
    if(TARGET shallow_water)
      list(APPEND demos shallow-water)
    endif()
    if(NOT noMpi4py)
      list(APPEND demos particles)
    endif()
    foreach(demo IN LISTS demos)
      dsm_add_test(NAME Demo.${demo}
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/Examples/demo.py ${demo} --pictures 3
          --build ${PROJECT_BINARY_DIR} --output ${CMAKE_CURRENT_BINARY_DIR}/demo/${demo}
          --mpiexec "${mpiexecWords}" --paraview ${DSM_PARAVIEW_PROGRAMS}
        LABELS ${labels} TIMEOUT 400)
      set_tests_properties(${DSM_MPI_FLAVOUR}.Demo.${demo} PROPERTIES PROCESSORS 4)
    endforeach()
  endif()
endif()

# SPDX-License-Identifier: BSD-3-Clause
# The example simulations by themselves: what they write to disk is what the coupled runs are
# compared with.
list(JOIN DSM_MPIEXEC " " mpiexecWords)
dsm_add_test(NAME GrayScott.SameOnAnyRanks
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/gray_scott_on_disk.py same
    --mpiexec "${mpiexecWords}" --program $<TARGET_FILE:gray_scott>
  LABELS integration TIMEOUT 120)
dsm_add_test(NAME GrayScott.Mistakes
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/gray_scott_on_disk.py mistakes
    --mpiexec "${mpiexecWords}" --program $<TARGET_FILE:gray_scott>
  LABELS integration TIMEOUT 60)

# VTK's reader, from ParaView's Python modules where they are installed.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import vtkmodules.vtkIOHDF, h5py"
  RESULT_VARIABLE noReader OUTPUT_QUIET ERROR_QUIET)
if(NOT noReader)
  dsm_add_test(NAME GrayScott.ReadByVTK
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/gray_scott_on_disk.py read
      --mpiexec "${mpiexecWords}" --program $<TARGET_FILE:gray_scott>
    LABELS integration TIMEOUT 60)
endif()
set_tests_properties(${DSM_MPI_FLAVOUR}.GrayScott.SameOnAnyRanks PROPERTIES PROCESSORS 3)

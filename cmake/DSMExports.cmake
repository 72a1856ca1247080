# SPDX-License-Identifier: BSD-3-Clause
# Links a library so that its own calls end in itself: other libraries of ours, and ParaView's Xdmf2, export functions of
# the same names.
include(CheckLinkerFlag)
check_linker_flag(CXX -Wl,-Bsymbolic-functions DSM_HAS_SYMBOLIC_FUNCTIONS)
set(DSM_CALLS_ITSELF -Wl,-Bsymbolic)
if(DSM_HAS_SYMBOLIC_FUNCTIONS)
  set(DSM_CALLS_ITSELF -Wl,-Bsymbolic-functions)
endif()

# dsm_export_only(<library> <pattern>…): the library exports the functions of its C interface, and nothing of what is
# linked into it: its process may have other copies of the same objects.
function(dsm_export_only library)
  list(JOIN ARGN "; " patterns)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${library}.exports")
  file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: @patterns@; local: *; };\n" @ONLY)
  target_link_options(${library} PRIVATE "-Wl,--version-script=${script}" -Wl,-Bsymbolic)
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

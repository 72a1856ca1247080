# SPDX-License-Identifier: BSD-3-Clause
# dsm_make_table(<file> HEADER <header> FOLDERS <folders…> RESULT <type> NAME <function> DECLARE <declaration> CALL <call>):
# what a component offers is one folder each. Adds the folders, and writes the source that lists them:
#
#     const RESULT& NAME() { static const RESULT all{ CALL, … }; return all; }
#
# @folder@ in DECLARE and CALL is the folder's name. dsm_write_table, with the same arguments, only writes the source,
# below DSMCore in the build folder.
function(dsm_make_table file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;RESULT;NAME;DECLARE;CALL" "FOLDERS")
  foreach(folder IN LISTS arg_FOLDERS)
    add_subdirectory(${folder})
  endforeach()
  dsm_write_table(${file} ${ARGN})
  target_sources(DSMCore PRIVATE "${PROJECT_BINARY_DIR}/DSMCore/${file}")
endfunction()

function(dsm_write_table file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;RESULT;NAME;DECLARE;CALL" "FOLDERS")
  set(declarations "")
  set(calls "")
  foreach(folder IN LISTS arg_FOLDERS)
    string(REPLACE "@folder@" "${folder}" declaration "${arg_DECLARE}")
    string(REPLACE "@folder@" "${folder}" call "${arg_CALL}")
    string(APPEND declarations "${declaration};\n")
    list(APPEND calls "${call}")
  endforeach()
  list(JOIN calls ", " calls)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/DSMCore/${file}" @ONLY CONTENT
"// SPDX-License-Identifier: BSD-3-Clause
// Made by CMake from the list in this room's CMakeLists.txt.
#include \"@arg_HEADER@\"

namespace dsm
{

@declarations@
const @arg_RESULT@& @arg_NAME@()
{
  static const @arg_RESULT@ all{ @calls@ };
  return all;
}

}
")
endfunction()

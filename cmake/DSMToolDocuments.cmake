# SPDX-License-Identifier: BSD-3-Clause
# Man pages, and completion in bash, of the tools that are installed. The build runs each tool to write its page, so
# that a page says what the tool's --help says.

# dsm_document_tool(NAME [COMMAND_LINE file]): adds a tool. A tool prints its page with --man-page. The page of a tool in
# Python is made of the parser that the function command_line of a file returns.
function(dsm_document_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMMAND_LINE" "")
  set_property(GLOBAL APPEND PROPERTY DSM_TOOLS ${name})
  set_property(GLOBAL PROPERTY DSM_COMMAND_LINE_${name} "${arg_COMMAND_LINE}")
endfunction()

# Installs the completion under the name of each tool, where bash-completion looks for it.
function(_dsm_install_completion)
  set(made "${CMAKE_BINARY_DIR}/completions")
  list(GET ARGN 0 first)
  list(JOIN ARGN " " names)
  configure_file(DSMCore/Tools/completion.sh "${made}/${first}" @ONLY)
  foreach(tool IN LISTS ARGN)
    if(NOT tool STREQUAL first)
      file(CREATE_LINK "${first}" "${made}/${tool}" SYMBOLIC)
    endif()
    install(FILES "${made}/${tool}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  endforeach()
endfunction()

# Installs the pages and the completion of all tools. Call it once, after all tools were added.
function(dsm_install_tool_documents)
  get_property(tools GLOBAL PROPERTY DSM_TOOLS)
  list(SORT tools)
  _dsm_install_completion(${tools})
  if(CMAKE_CROSSCOMPILING)
    message(STATUS "ParaView DSM: the tools get no man pages, because a cross-compiled tool cannot run here to write its page")
    return()
  endif()
  string(TIMESTAMP date "%Y-%m-%d" UTC) # or SOURCE_DATE_EPOCH
  set(pages)
  foreach(tool IN LISTS tools)
    get_property(file GLOBAL PROPERTY DSM_COMMAND_LINE_${tool})
    set(needed)
    if(file)
      find_package(Python3 QUIET COMPONENTS Interpreter)
      if(NOT Python3_EXECUTABLE)
        message(STATUS "ParaView DSM: ${tool} gets no man page, because CMake finds no Python to write it")
        continue()
      endif()
      set(script "${CMAKE_CURRENT_SOURCE_DIR}/DSMCore/Tools/python_page.py")
      set(command "${Python3_EXECUTABLE}" -B "${script}" "${file}" "${PROJECT_VERSION}")
      list(APPEND needed "${script}" "${file}")
    else()
      set(command "$<TARGET_FILE:${tool}>" --man-page)
      list(APPEND needed ${tool})
      if(TARGET ${tool}-module)
        list(APPEND needed ${tool}-module)
      endif()
    endif()
    set(others ${tools})
    list(REMOVE_ITEM others ${tool})
    list(JOIN others "," others)
    set(page "${CMAKE_BINARY_DIR}/man/man1/${tool}.1")
    # Defaults are those of a user who has set nothing.
    add_custom_command(OUTPUT "${page}" DEPENDS ${needed} VERBATIM COMMENT "Writing ${tool}'s man page"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/man/man1"
      COMMAND "${CMAKE_COMMAND}" -E env DSM_DEFAULTS=off --unset=DSM_CONTACT --unset=DSM_MATCH --unset=DSM_PUBLISH
        --unset=DSM_WITHOUT_SERVER -- ${command} "${date},${others}" > "${page}")
    list(APPEND pages "${page}")
  endforeach()
  add_custom_target(dsmManPages ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endfunction()

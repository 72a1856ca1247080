# shellcheck shell=bash
# Completes the command lines of ParaView DSM's tools in bash. The options are those of the tool's --help. CMake enters
# the tools' names in the last line.

# Prints the lines of a help text that describe an option. Lines of descriptions are indented further.
_dsm_option_lines() { grep -E '^ {2,12}-' <<<"$1"; }

# Prints the names of all options in a help text.
_dsm_options() { _dsm_option_lines "$1" | grep -oE '^ +-[^ ,]+(, *-[^ ,]+)*' | grep -oE -e '-[^ ,]+'; }

# Prints the line of an option. Fails if there is no such option.
_dsm_option_line() { _dsm_option_lines "$1" | grep -E -e "^ +(-[^ ,]+, *)*$2([ ,]|\$)" 2>/dev/null; }

# Succeeds if an option takes a value: its name is followed by one blank and what the value is, in capitals.
_dsm_takes_value() { _dsm_option_line "$1" "$2" | grep -qE '^ +-[^ ,]+(, *-[^ ,]+)* [A-Z]+([^a-z]|$)'; }

# Prints what the value of an option may be, if its line says it: {disk,fail,wait}.
_dsm_choices() { _dsm_option_line "$1" "$2" | grep -oE -m 1 '\{[^}]*\}' | tr -d '{}' | tr ' ,' '-\n'; }

# Sets COMPREPLY to those of the words, one a line, that begin with the word being completed.
_dsm_reply() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

# Completes the command that begins with a word of the command line, as if it stood alone.
_dsm_command() {
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif [ "$COMP_CWORD" -eq "$1" ]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$2")
  fi
}

# Sets `at` to where the tool's own words end: at the first word that is neither an option nor the value of one.
_dsm_skip_options() {
  local help=$1
  while [ "$at" -lt "$COMP_CWORD" ] && [[ ${COMP_WORDS[at]} == -* ]]; do
    if [ "${COMP_WORDS[at + 1]}" = = ]; then
      at=$((at + 3)) # bash divides --contact=run.dsm into three words
    elif _dsm_takes_value "$help" "${COMP_WORDS[at]}"; then
      at=$((at + 2))
    else
      at=$((at + 1))
    fi
  done
}

# Completes a tool's command line. Bash calls it, and completes names of files if it finds nothing.
_dsm_tool() {
  local help option='' at=1 i
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  help=$("${1/#\~/$HOME}" --help 2>/dev/null) || return
  case ${1##*/} in
    dsm-run | dsm-paraview)
      _dsm_skip_options "$help"
      if [ "$at" -lt "$COMP_CWORD" ] || { [ "$at" -eq "$COMP_CWORD" ] && [[ $current != -* ]]; }; then
        _dsm_command "$at" "$current"
        return
      fi
      ;;
    dsm-mpmd) # COUNT PROGRAM… :: COUNT PROGRAM…
      for ((i = 1; i < COMP_CWORD; i++)); do
        if [ "${COMP_WORDS[i]}" = :: ]; then at=$((i + 1)); fi
      done
      if [ "$at" -lt "$COMP_CWORD" ]; then
        _dsm_command $((at + 1)) "$current"
        return
      fi
      ;;
  esac
  if [ "$current" = = ]; then
    current='' option=$before
  elif [ "$before" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $before == -* ]] && _dsm_takes_value "$help" "$before"; then
    option=$before
  fi
  if [ -n "$option" ]; then
    _dsm_reply "$(_dsm_choices "$help" "$option")" "$current"
  elif [[ $current == -* ]]; then
    _dsm_reply "$(_dsm_options "$help")" "$current"
  fi
}

complete -o bashdefault -o default -F _dsm_tool @names@

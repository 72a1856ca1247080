#!/usr/bin/env bash
# Formatting and static checks, run by ./dev lint inside the Debian 13 root. The tests labelled "lint" run them, too.
#
#   lint.sh [KIND…]            all kinds, or these: format python shell arrows tidy
#   lint.sh --all              clang-tidy without skipping what it found good before and is as it was: a quarter of an
#                              hour on 4 cores
#   lint.sh --changed [BASE]   only files that differ from BASE (default: main), for a quick look
#   lint.sh --fix              let clang-format and ruff mend what they can, then check
#
# Every kind of check runs, whatever the one before found. The status is 0 when all passed, and 77 when nothing was found
# but a tool is missing: a test is skipped then.
set -uo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
environment=$checkout/Testing/Environment
build=$checkout/build/openmpi
failed=() missing=()

say() { printf 'lint: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

# Files of the checkout, relative to it: all of them, or the changed ones.
base=''
files() {
  if [ -n "$base" ]; then
    { git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard; } | sort -u
  else
    # Not git: inside the root a worktree's repository is out of sight.
    find . \( -name 'build*' -o -name .git -o -name __pycache__ -o -name dsm-demo \) -prune -o -type f -printf '%P\n' | sort
  fi
}

# Those with one of the endings given.
ending() {
  local pattern
  pattern="\\.($(IFS='|'; printf '%s' "$*"))\$"
  files | grep -E "$pattern"
}

# Shell scripts, by their first line or their ending.
scripts() { files | xargs -d '\n' awk 'FNR == 1 && (/^#!.*sh$/ || FILENAME ~ /\.sh$/) { print FILENAME } { nextfile }'; }

# has TOOL HOW: whether there is this tool; how to get it.
has() {
  command -v "$1" >/dev/null && return
  say "${1##*/} is missing: $2"
  missing+=("${1##*/}")
  return 1
}

# check NAME FILES COMMAND…: runs the command with the files as further arguments.
check() {
  local name=$1 list=$2 began=$SECONDS
  shift 2
  [ -n "$list" ] || return 0
  if xargs -d '\n' "$@" <<<"$list"; then
    say "$name: $(wc -l <<<"$list") files, $((SECONDS - began)) s"
  else
    say "$name: FAILED"
    failed+=("$name")
  fi
}

format() {
  local sources
  has clang-format-19 "run this through ./dev lint, or install it" || return
  sources=$(ending h c cxx)
  if [ $fix = 1 ] && [ -n "$sources" ]; then xargs -d '\n' clang-format-19 -i <<<"$sources"; fi
  check format "$sources" clang-format-19 --dry-run -Werror
}

python() {
  local ruff
  ruff=$("$environment/ruff.sh" find)/ruff
  has "$ruff" "Testing/Environment/ruff.sh get takes it from PyPI (in the root: root.sh enter …)" || return
  if [ $fix = 1 ]; then "$ruff" check --no-cache --quiet --fix --exit-zero; fi
  check ruff "$(ending py)" "$ruff" check --no-cache --quiet --force-exclude
}

shell() {
  has shellcheck "run this through ./dev lint, or install it" || return
  check shellcheck "$(scripts)" shellcheck --external-sources --source-path=SCRIPTDIR
}

arrows() { check 'component arrows' "$checkout" python3 Testing/Unit/check_includes.py; }

tidy() {
  local options=("${all[@]}")
  has clang-tidy-19 "run this through ./dev lint, or install it" || return
  # A changed header is checked through the changed sources only; the full run sees the rest.
  if [ -n "$base" ]; then mapfile -t -O 1 options < <(ending c cxx); options[0]=--only; fi
  # A build is needed first: for the compile commands, and for headers that the build writes.
  if { [ -f "$build/build.ninja" ] || cmake --preset openmpi >/dev/null; } && cmake --build "$build" >/dev/null; then
    python3 "$environment/tidy.py" "$build" "${options[@]}" >&2 || failed+=(clang-tidy)
  else
    say "clang-tidy: FAILED, because the build it needs does not succeed (./dev build shows why)"
    failed+=(clang-tidy)
  fi
}

known=(format python shell arrows tidy)
fix=0 all=() kinds=()
while [ $# -gt 0 ]; do
  case $1 in
    --changed)
      base=main
      if [ $# -gt 1 ] && [[ $2 != --* && " ${known[*]} " != *" $2 "* ]]; then base=$2; shift; fi
      ;;
    --fix) fix=1 ;;
    --all) all=(--all) ;;
    *)
      if [[ " ${known[*]} " != *" $1 "* ]]; then
        sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"
        die "there is no option or kind of check \"$1\""
      fi
      kinds+=("$1")
      ;;
  esac
  shift
done
[ ${#kinds[@]} -gt 0 ] || kinds=("${known[@]}")
cd "$checkout" || exit 2
if [ -n "$base" ]; then
  git rev-parse --quiet --verify "$base^{commit}" >/dev/null ||
    die "--changed compares with \"$base\", which git does not know here (a worktree's repository must be visible in the root: DSM_BIND=<its path>)"
fi
for kind in "${kinds[@]}"; do "$kind"; done

if [ ${#failed[@]} -gt 0 ]; then
  (IFS=,; say "failed: ${failed[*]}")
  exit 1
elif [ ${#missing[@]} -gt 0 ]; then
  (IFS=,; say "not checked, for what is missing: ${missing[*]}")
  exit 77
fi
say "all passed"

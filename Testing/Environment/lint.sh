#!/usr/bin/env bash
# Formatting and static checks, run by ./dev lint inside the Debian 13 root.
#
#   lint.sh                    check everything; clang-tidy skips what it found good before and is as it was
#   lint.sh --all              without skipping: a quarter of an hour on 4 cores
#   lint.sh --changed [BASE]   only files that differ from BASE (default: main), for a quick look
#   lint.sh --fix              let clang-format rewrite what it would complain about, then check
#
# Every kind of check runs, whatever the one before found; the status tells whether all passed.
set -uo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$checkout/build/openmpi
failed=()

say() { printf 'lint: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

# Files with one of the endings given, relative to the checkout: all of them, or the changed ones.
base=''
files() {
  local pattern
  pattern="\\.($(IFS='|'; printf '%s' "$*"))\$"
  if [ -n "$base" ]; then
    { git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard; } | sort -u
  else
    # Not git: inside the root a worktree's repository is out of sight.
    find . \( -name 'build*' -o -name .git -o -name __pycache__ -o -name dsm-demo \) -prune -o -type f -printf '%P\n' | sort
  fi | grep -E "$pattern"
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

# One translation unit and the stamp that keeps its verdict; says nothing when there is nothing to say.
tidyOne() {
  local output unit=${2%%$'\t'*} stamp=${2#*$'\t'}
  output=$(timeout 300 clang-tidy-19 --quiet -p "$1" "$unit" 2>&1) ||
    { printf '%s: \n%s\n' "$unit" "$output" | grep -v 'warnings generated'; return 1; }
  touch "$stamp"
}

# A build is needed first: for the compile commands, and for headers that the build writes.
buildForTidy() {
  [ -f "$build/build.ninja" ] || cmake --preset openmpi >/dev/null || return
  cmake --build "$build" >/dev/null
}

fix=0 all=()
while [ $# -gt 0 ]; do
  case $1 in
    --changed)
      base=main
      if [ $# -gt 1 ] && [[ $2 != --* ]]; then base=$2; shift; fi
      ;;
    --fix) fix=1 ;;
    --all) all=(--all) ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0"; die "there is no option \"$1\"" ;;
  esac
  shift
done
cd "$checkout" || exit 2
for tool in clang-format-19 clang-tidy-19; do
  command -v "$tool" >/dev/null || die "$tool is missing: run this through ./dev lint, or install $tool"
done
if [ -n "$base" ]; then
  git rev-parse --quiet --verify "$base^{commit}" >/dev/null ||
    die "--changed compares with \"$base\", which git does not know here (a worktree's repository must be visible in the root: DSM_BIND=<its path>)"
fi

sources=$(files h c cxx)
if [ $fix = 1 ] && [ -n "$sources" ]; then xargs -d '\n' clang-format-19 -i <<<"$sources"; fi
check format "$sources" clang-format-19 --dry-run -Werror

scripts=$(files sh; [ -n "$base" ] || printf 'dev\n.ci/run\n')
check 'shell syntax' "$scripts" -n 1 bash -n
# Compiling in memory leaves no __pycache__ behind.
check 'Python syntax' "$(files py)" -n 1 python3 -c 'import sys; compile(open(sys.argv[1], "rb").read(), sys.argv[1], "exec")'
check 'room arrows' "$checkout" python3 Testing/Unit/check_includes.py

# A changed header is checked through the changed sources only; the full run sees the rest.
if buildForTidy; then
  units=$(python3 Testing/Environment/tidy_units.py "$build" "$checkout" "${all[@]}")
  if [ -n "$base" ]; then units=$(join -t $'\t' <(sort <<<"$units") <(files c cxx | sort)); fi
  export -f tidyOne
  check clang-tidy "$units" -n 1 -P "$(nproc)" bash -c 'tidyOne "$0" "$1"' "$build"
else
  say "clang-tidy: FAILED, because the build it needs does not succeed (./dev build shows why)"
  failed+=(clang-tidy)
fi

if [ ${#failed[@]} -gt 0 ]; then
  (IFS=,; say "failed: ${failed[*]}")
  exit 1
fi
say "all passed"

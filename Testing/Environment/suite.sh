# shellcheck shell=bash
# Takes packages from another suite of Debian, by the mirror that this machine has. Scripts call
#
#   mirror                 print the address of the mirror
#   lists SUITES FOLDER    fetch the suites' lists of packages and sources (20 MB each) into a folder, and set `options`,
#                          with which apt-get and apt-cache use these alone
#
# Nothing of this machine's own lists changes.

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

mirror() {
  local address
  # shellcheck disable=SC2016 # apt expands it
  address=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sed -n 1p)
  [ -n "$address" ] || die "apt knows no mirror of Debian"
  printf '%s\n' "$address"
}

lists() {
  local suites=$1 work=$2 address suite
  address=$(mirror)
  mkdir -p "$work/lists/partial" "$work/archives/partial"
  chmod -R go+rX "$work"
  for suite in $suites; do
    printf 'deb %s %s main\ndeb-src %s %s main\n' "$address" "$suite" "$address" "$suite"
  done >"$work/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=-" -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" -o "Acquire::Languages=none" -o "Acquire::Retries=3"
    -o "APT::Sandbox::User=root" -o "Acquire::Check-Valid-Until=false")
  apt-get "${options[@]}" update || die "Debian's lists of $suites cannot be fetched (see above)"
}

#!/bin/sh
# Couples a program by the dsm-serve and dsm-run that are in PATH: the server saves what the program writes, and that is
# compared with what the program writes to disk. The program is dsmCoupledProgram, which compares the values itself when
# it reads them back from memory.
#
#   couple.sh PROGRAM [LAUNCHER…]
set -eu
program=$1
shift
cd "$(mktemp -d)"
mkdir saved
dsm-serve --contact run.dsm --memory-per-host "16 MiB" --save saved --until-disconnect --limit 60 &
server=$!
dsm-run --contact run.dsm --wait 20 "$@" "$program" parallel sim.h5 8000
wait "$server"
"$@" "$program" parallel disk.h5 8000
cmp saved/sim.h5 disk.h5
echo "coupled: $(stat -c %s disk.h5) bytes are the same"

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Starts hosts and writers as two MPI jobs and prints dsm_bench's table.

    run_benchmark.py --build build/openmpi --hosts 2 --writers 2 [--strategy NAME] -- --size 512 --datasets 10

What follows "--" goes to dsm_bench. Needs no ParaView.
"""
import argparse
import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def wait_for_line(process, beginning, seconds):
    """The first line of a process's output that begins so; raises when it ends or time is up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.2)[0]:
            line = process.stdout.readline()
            if line.startswith(beginning):
                return line
            if not line:
                break
    raise SystemExit(f"run_benchmark: the hosts did not say '{beginning}' within {seconds} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="build folder with bin/dsm-serve and bin/dsm_bench")
    parser.add_argument("--mpiexec", default="mpiexec.openmpi --oversubscribe", type=str.split)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--strategy", default="block cyclic")
    parser.add_argument("--block-size", default="1 MiB")
    parser.add_argument("--memory-per-host", default="2 GiB")
    parser.add_argument("--limit", type=float, default=300, help="seconds for the whole run")
    parser.add_argument("rest", nargs="*", help="options of dsm_bench")
    options = parser.parse_args()

    # No core is taken by a rank that only waits.
    environment = dict(os.environ, UCX_ERROR_SIGNALS="", OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl_tcp_if_include="lo")
    with tempfile.TemporaryDirectory(prefix="dsm-bench-") as folder:
        contact = str(Path(folder) / "bench.dsm")
        hosts = subprocess.Popen(
            [*options.mpiexec, "-n", str(options.hosts), str(options.build / "bin" / "dsm-serve"), "--contact", contact,
             "--strategy", options.strategy, "--block-size", options.block_size,
             "--memory-per-host", options.memory_per_host, "--limit", str(options.limit)],
            stdout=subprocess.PIPE, text=True, env=environment)
        try:
            wait_for_line(hosts, "ready", 30)
            print(f"{options.hosts} hosts, {options.strategy}, blocks of {options.block_size}")
            sys.stdout.flush()
            writers = subprocess.run(
                [*options.mpiexec, "-n", str(options.writers), str(options.build / "bin" / "dsm_bench"),
                 "--contact", contact, *options.rest],
                env=environment, timeout=options.limit)
            return writers.returncode
        finally:
            hosts.terminate()
            try:
                hosts.communicate(timeout=15)
            except subprocess.TimeoutExpired:
                hosts.kill()


if __name__ == "__main__":
    sys.exit(main())

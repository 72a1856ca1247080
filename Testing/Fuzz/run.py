# SPDX-License-Identifier: BSD-3-Clause
"""Fuzzes: each target makes inputs until it has made enough of them, or finds one that shows a fault.

run.py BUILD [TARGET…] [--runs N] [--seconds S]

Inputs of the corpus are what it begins with; what it finds further is kept in BUILD/fuzzing. An input that shows a
fault lies there, too, and is told. Prints a table at the end; status 1 if any target found a fault.
"""
import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGETS = sorted(path.name for path in (HERE / "corpus").iterdir())
# An input that takes as long, or as much memory (MiB), is a fault as well.
LIMITS = ["-timeout=20", "-rss_limit_mb=2048"]
LARGEST_INPUT = 4096
# Without long memories of what was allocated where, twice as many inputs are tried; the input tells it all.
SANITIZERS = {
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "ASAN_OPTIONS": "quarantine_size_mb=1:malloc_context_size=2:detect_stack_use_after_return=0",
}
STATE = re.compile(r"#(\d+)\s+[A-Za-z]+\s+cov: (\d+) ft: (\d+) corp: (\d+)/(\S+)")


def fuzz(build, target, runs, seconds):
    """The row of the table for a target."""
    work = build / "fuzzing" / target
    corpus = work / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    before = {path.name for path in work.iterdir()}
    began = time.monotonic()
    log = work / "log"
    with open(log, "w", encoding="utf-8") as out:
        status = subprocess.run(
            [build / "bin" / f"fuzz-{target}", f"-runs={runs}", f"-max_total_time={seconds}", *LIMITS,
             f"-max_len={LARGEST_INPUT}", f"-artifact_prefix={work}/", "-print_final_stats=1",
             corpus, HERE / "corpus" / target],
            stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **SANITIZERS}, check=False).returncode
    took = time.monotonic() - began
    states = STATE.findall(log.read_text(encoding="utf-8", errors="replace"))
    done, coverage, _, files, _ = states[-1] if states else ("0", "0", "0", "0", "")
    faults = sorted(str(path) for path in work.iterdir() if path.name not in before | {"log"})
    result = "no fault" if status == 0 else f"FAULT ({log}): {' '.join(faults) or f'status {status}'}"
    return [target, f"{int(done):,}", f"{int(done) / took:,.0f}", coverage, files, result]


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz", description="Fuzzes what reads others' bytes.")
    parser.add_argument("build", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--runs", type=int, default=10_000_000, help="inputs for each (10 million)")
    parser.add_argument("--seconds", type=int, default=0, help="longest time for each (0: no limit)")
    options = parser.parse_args()
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}: choose of {', '.join(TARGETS)}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda target: fuzz(options.build, target, options.runs, options.seconds),
                             options.targets or TARGETS))
    print("| target | inputs | inputs/s | coverage | corpus | result |\n| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    return any(row[-1] != "no fault" for row in rows)


if __name__ == "__main__":
    sys.exit(main())

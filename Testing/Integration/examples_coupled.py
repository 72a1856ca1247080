# SPDX-License-Identifier: BSD-3-Clause
"""The example simulations coupled by dsm-run: what the hosts get is what the disk would have got.

Each case runs a simulation twice, to disk and to hosts that save every snapshot byte by byte, and
h5diff compares the files. Those of the second run are on disk as well where the hosts are told so
(--also-on-disk), as in the first; else none of them may be, but for their names.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from processes import on_disk

LIMIT = 100

CASES = {
    # Hosts, strategy, simulation ranks. 36 KiB of data in blocks of 4 KiB reach every host.
    "gray-scott": [
        (1, "contiguous", 2),
        (2, "block cyclic", 3),
        (3, "block cyclic", 5),
        (3, "contiguous", 1),
    ],
    "meep": [(2, "block cyclic", 3)],
    "shallow-water": [(2, "block cyclic", 3)],
    "particles": [(2, "block cyclic", 3)],
}
# To disk with another number of ranks: the result must not depend on it.
RANKS_ON_DISK = {"shallow-water": 2}


def command(arguments):
    if arguments.simulation == "gray-scott":
        return [arguments.program, *"--size 17 13 11 --steps 40 --every 20 --output out".split()]
    if arguments.simulation == "shallow-water":
        return [arguments.program, *"--size 31 23 --steps 80 --every 20 --output out".split()]
    if arguments.simulation == "particles":
        return [sys.executable, arguments.program, *"--count 1001 --steps 20 --every 10 --output out".split()]
    return [sys.executable, arguments.program, *"--resolution 4 --until 4 --after 0.5 --output out".split()]


def run(words, folder):
    folder.mkdir()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")


def files(folder):
    return {path.name: path for path in folder.rglob("*") if path.suffix in (".h5", ".vtkhdf")}


def couple(arguments, folder, hosts, strategy, ranks, also):
    """Runs both sides; returns the snapshots, as files, and what the simulation's own folder has."""
    contact, saved = folder / "run.dsm", folder / "saved"
    saved.mkdir()
    mpiexec = arguments.mpiexec.split()
    serve = [
        *mpiexec, "-n", str(hosts), arguments.bin / "dsm-serve", "--contact", contact, "--save", saved,
        "--strategy", strategy, "--block-size", "4 KiB", "--memory-per-host", "8 MiB",
        "--until-disconnect", "--limit", str(LIMIT), *(["--also-on-disk", "all"] if also else []),
    ]
    log = folder / "hosts.log"
    with open(log, "w", encoding="utf-8") as output:
        server = subprocess.Popen(serve, stdout=output, stderr=subprocess.STDOUT)
        try:
            run(
                [
                    arguments.bin / "dsm-run", "--contact", contact, "--wait", "30",
                    *mpiexec, "-n", str(ranks), *command(arguments),
                ],
                folder / "coupled",
            )
            if server.wait(LIMIT):
                sys.exit(f"the hosts ended with {server.returncode}:\n{log.read_text()}")
        finally:
            if server.poll() is None:
                server.terminate()
                try:
                    server.wait(10)
                except subprocess.TimeoutExpired:
                    server.kill()
    left = files(folder / "coupled")
    there = {name: path for name, path in left.items() if on_disk(path)}
    assert there == (left if also else {}), f"these are on disk: {sorted(there)}"
    return files(saved), there


def opens(path):
    """A snapshot on disk is a file like any other, also for programs that never heard of us."""
    subprocess.run(["h5dump", "-H", path], check=True, stdout=subprocess.DEVNULL, timeout=LIMIT)
    try:
        import h5py
    except ImportError:
        return
    with h5py.File(path) as file:
        assert len(file) > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("simulation", choices=CASES)
    parser.add_argument("--mpiexec", required=True, help="with its options, in one word")
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="where dsm-run and dsm-serve are")
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    for hosts, strategy, ranks in CASES[arguments.simulation]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            on_disk = RANKS_ON_DISK.get(arguments.simulation, ranks)
            run([*arguments.mpiexec.split(), "-n", str(on_disk), *command(arguments)], folder / "disk")
            expected = files(folder / "disk")
            also = arguments.simulation != "gray-scott" or hosts > 1
            got, there = couple(arguments, folder, hosts, strategy, ranks, also)
            assert len(expected) > 2 and sorted(got) == sorted(expected), (sorted(got), sorted(expected))
            assert not also or sorted(there) == sorted(expected), (sorted(there), sorted(expected))
            for file, path in expected.items():
                for copy in (got[file], there.get(file)):
                    if copy:
                        subprocess.run(["h5diff", "--verbose", path, copy], check=True, timeout=LIMIT)
                        opens(copy)
            print(f"{ranks} ranks, {hosts} hosts, {strategy}: {len(got)} files equal", flush=True)


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Files that nobody would write: mutations of those that other tests read, of their bytes, of what they mean, and of
the descriptions beside them. None ends ParaView, takes long or much memory: it shows them, or says what is wrong.

DSM_FUZZ_FILES says how many of one endless row (without it few), DSM_FUZZ_BEGIN with which to begin, and DSM_FUZZ_KEEP
in which folder those are kept that show a fault."""

import collections
import os
import pathlib
import shutil
import subprocess
import sys

from conftest import HERE

sys.path.insert(0, str(HERE / "scripts"))

from fuzz_mutations import Mutation

FILES = int(os.environ.get("DSM_FUZZ_FILES", "300"))
BEGIN = int(os.environ.get("DSM_FUZZ_BEGIN", "0"))
KEEP = os.environ.get("DSM_FUZZ_KEEP")
AT_ONCE = 1000  # on disk


def seeds(folder):
    """Good files of every kind."""
    folder.mkdir()
    subprocess.run([sys.executable, HERE / "scripts" / "fuzz_seeds.py", folder], check=True, timeout=120)
    return sorted(file for file in folder.iterdir() if file.suffix in (".h5", ".vtkhdf", ".athdf"))


def read(bench, files):
    """What became of each: state, file, what it was taken for, message."""
    (bench.folder / "list").write_text("\n".join(files))
    script = [HERE / "scripts" / "fuzz_read.py", bench.folder / "list", bench.folder / "results",
              bench.folder / "good" / "image.vtkhdf"]
    bench.start([os.environ["DSM_TEST_PVPYTHON"], *script], "pvpython").wait(limit=60 + 2 * len(files))
    results = [line.split("\t") for line in (bench.folder / "results").read_text().splitlines()]
    assert [file for _, file, *_ in results] == files
    return results


def test_fuzzed_files(bench):
    good = seeds(bench.folder / "good")
    assert len(good) > 40
    table, wrong = collections.Counter(), []
    for begin in range(BEGIN, BEGIN + FILES, AT_ONCE):
        made = {}
        for number in range(begin, min(begin + AT_ONCE, BEGIN + FILES)):
            mutation = Mutation(number, good)
            made[str(mutation.make(bench.folder / "made" / str(number)))] = mutation
        for state, file, _, message in read(bench, list(made)):
            table[made[file].kind, state] += 1
            folder = pathlib.Path(file).parent
            if state not in ("shown", "refused"):
                name = pathlib.Path(file).name
                wrong.append(f"{state}: number {folder.name}, {made[file].kind} of {name}: {message}")
                if KEEP:
                    shutil.copytree(folder, pathlib.Path(KEEP) / folder.name, dirs_exist_ok=True)
            shutil.rmtree(folder)
    for (kind, state), count in sorted(table.items()):
        print(f"{kind}: {state}: {count}")
    # Each kind was made, and some of each were good enough to be shown.
    assert FILES < 300 or {kind for kind, state in table if state == "shown"} == {"meaning", "bytes", "text"}
    assert not wrong, "\n".join(wrong)

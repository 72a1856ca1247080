# SPDX-License-Identifier: BSD-3-Clause
"""The examples steered by a log that is written here, without a server: each knob and command they declare
changes what they write, and a run with all of them is the same on any number of ranks."""

import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

# By example: its options, what is set or commanded in all runs, and in one run each. The last file is looked at.
BURST = [("command", "burst", "1")]
KNOBS = {
    "gray-scott": {
        "options": ["--size", 16, "--steps", 40, "--every", 40],
        "before": [("set", "drop position", "[3,12,5]")],
        "runs": {
            "feed": [("set", "feed", "0.09")],
            "kill": [("set", "kill", "0.01")],
            "boundary mirror": [("set", "boundary", '"mirror"')],
            "boundary fixed": [("set", "boundary", '"fixed"')],
            "drop reagent": [("command", "drop reagent", "1")],
            "drop radius": [("set", "drop radius", "6"), ("command", "drop reagent", "1")],
            "drop position": [("set", "drop position", "[12,2,5]"), ("command", "drop reagent", "1")],
            "seed again": [("command", "seed again", "1")],
            "left out": [("set", "/VTKHDF/PointData/u", "false")],
        },
    },
    "shallow-water": {
        "options": ["--size", 24, 18, "--steps", 70, "--every", 70],
        "before": [("command", "drop", "1")],
        "runs": {
            "gravity": [("set", "gravity", "3")],
            "friction": [("set", "friction", "0.3")],
            "boundary ring": [("set", "boundary", '"ring"')],
            "boundary open sea": [("set", "boundary", '"open sea"')],
            "rain": [("set", "rain", "false")],
            "drop": [("command", "drop", "1")],
            "drop position": [("set", "drop position", "[3,4,0]"), ("command", "drop", "1")],
            "drop height": [("set", "drop height", "0.7"), ("command", "drop", "1")],
            "left out": [("set", "/VTKHDF/PointData/u", "false")],
        },
    },
    "particles": {
        "options": ["--count", 500, "--steps", 60, "--every", 60],
        "before": [],
        "runs": {
            "body": [("set", "body", "[0.4,0,0.1]")],
            "mass": [("set", "mass", "3")],
            "drag": [("set", "drag", "0.5")],
            "wind": [("set", "drag", "0.5"), ("set", "wind", "[0,0,1]")],
            "walls none": 6 * BURST,
            "walls bounce": [*(6 * BURST), ("set", "walls", '"bounce"')],
            "walls wrap": [*(6 * BURST), ("set", "walls", '"wrap"')],
            "burst": BURST,
            "left out": [("set", "/velocity", "false")],
        },
    },
}


def simulate(arguments, folder, ranks, changes):
    """The file of the last step, of a run that was told these changes at step 5."""
    folder.mkdir()
    log = folder / "log"
    log.write_text("".join(f"{number}\t-\ttest\texample\t5\t0\t{what}\t\"{name}\"\t-\t{value}\n"
                           for number, (what, name, value) in enumerate(changes, 1)))
    command = [arguments.run, "--replay", log, *arguments.mpiexec.split(), "-n", ranks, *arguments.program.split(),
               *KNOBS[arguments.example]["options"], "--output", folder / "out"]
    environment = {name: value for name, value in os.environ.items() if name != "DSM_CONTACT"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, cwd=folder,
                          env=environment, check=False)
    if done.returncode:
        sys.exit(f"{command}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return max((folder / "out").iterdir())


def differ(first, second):
    done = subprocess.run(["h5diff", "-q", first, second], timeout=60, check=False)
    assert done.returncode in (0, 1), f"h5diff failed on {first} {second}"
    return done.returncode == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("example", choices=KNOBS)
    parser.add_argument("--run", required=True, help="dsm-run")
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    knobs = KNOBS[arguments.example]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        files = {"": simulate(arguments, scratch / "plain", 1, knobs["before"])}
        for name, changes in knobs["runs"].items():
            files[name] = simulate(arguments, scratch / name, 2, knobs["before"] + changes)
        names = list(files)
        same = [(one, other) for one, other in itertools.combinations(names, 2) if not differ(files[one], files[other])]
        assert not same, f"these runs do not differ: {same}"
        every = knobs["before"] + [change for changes in knobs["runs"].values() for change in changes]
        several = [simulate(arguments, scratch / f"all {ranks}", ranks, every) for ranks in (1, 3)]
        assert not differ(*several), "all of it together depends on the number of ranks"
    print(f"{len(names) - 1} ways to steer differ; together they give the same on 1 and 3 ranks")


if __name__ == "__main__":
    main()

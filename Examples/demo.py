# SPDX-License-Identifier: BSD-3-Clause
"""./dev demo: a simulation and ParaView, each under its own mpiexec, and a film of what came across.

pvbatch lends the memory and renders; the simulation, unchanged, is started by dsm-run. Neither knows
how the other was started: the contact file is all they share.
"""

import argparse
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from demo_processes import (
    Failure,
    Process,
    end_all,
    environment_of,
    prepare_to_end,
    start_screen,
)

HERE = pathlib.Path(__file__).resolve().parent
HOSTS = 2
RANKS = 3
FRAMES_PER_SECOND = 6


def holds_data(path):
    """False for a placeholder, which has the name of a file in memory."""
    with open(path, "rb") as file:
        return b"paraview-dsm-placeholder " not in file.read(16 << 10)


class Example:
    """What there is to show: the pipeline, the simulation's command, and the pictures that come of it. `branch` is the
    command of a second simulation, which waits for the file of the first that it begins with."""

    def __init__(self, pipeline, command, pattern, count, branch=None):
        self.Pipeline = HERE / "pipelines" / pipeline
        self.Command = command
        self.Pattern = pattern
        self.Count = count
        self.Branch = branch


def gray_scott(build, count):
    count = count or 31
    steps = str(50 * (count - 1))
    command = [build / "bin/gray_scott", "--size", "72", "--steps", steps, "--every", "50", "--output", "output"]
    return Example("gray_scott.py", command, "gray_scott.*.png", count)


def branch(build, count):
    count = count or 24
    begin, every = 300, 50
    steps = begin + every * count
    command = [build / "bin/gray_scott", "--size", "72", "--every", every]
    # It is still there when the other begins.
    first = [*command, "--steps", steps + 10 * every, "--output", "output"]
    second = [*command, "--steps", steps, "--output", "branch", "--restart", f"output/gray_scott.{begin:05}.vtkhdf",
              "--feed", "0.045"]
    return Example("branch.py", first, "branch.*.png", count, second)


def meep(_, count):
    count = count or 29
    # The wave needs its time to get going; then three pictures show one period.
    until = str(13 + count)
    command = ["/usr/bin/python3", HERE / "meep/ring.py", "--after", "14", "--every", "1", "--until", until]
    return Example("meep.py", command, "ring-ez-*.png", count)


def shallow_water(build, count):
    count = count or 31
    command = [build / "bin/shallow_water", "--steps", str(20 * (count - 1)), "--every", "20", "--output", "output"]
    return Example("shallow_water.py", command, "shallow_water.*.png", count)


def particles(_, count):
    count = count or 31
    command = ["/usr/bin/python3", HERE / "particles/particles.py", "--steps", str(10 * (count - 1)), "--every", "10"]
    return Example("particles.py", command, "particles.*.png", count)


EXAMPLES = {
    "gray-scott": gray_scott, "branch": branch, "meep": meep, "shallow-water": shallow_water, "particles": particles,
}


class Demo:
    def __init__(self, arguments, example, scratch):
        self.Arguments = arguments
        self.Example = example
        self.Scratch = scratch
        self.Deadline = time.monotonic() + arguments.timeout
        self.Output = arguments.output.resolve()
        self.PictureFolder = self.Output / "pictures"
        self.LogFolder = self.Output / "logs"
        self.Contact = scratch / "run.dsm"
        self.Lines = queue.Queue()
        self.Children = []

    def run(self):
        self.PictureFolder.mkdir(parents=True, exist_ok=True)
        self.LogFolder.mkdir(exist_ok=True)
        for old in self.PictureFolder.glob(self.Example.Pattern):
            old.unlink()
        environment = self.environment()
        environment["DISPLAY"] = start_screen(self.LogFolder / f"{self.Arguments.example}.screen.log", environment)
        host = self.start_host(environment)
        branch = self.Example.Branch and self.start_simulation(
            environment, "branch", self.Example.Branch, "--read", "next")
        simulation = self.start_simulation(environment, "simulation", self.Example.Command)
        self.follow(host, simulation, branch)
        self.check_pictures()
        self.check_disk()

    def environment(self):
        return environment_of(self.Arguments.build)

    def start(self, name, command, environment, folder, lines=None):
        process = Process(
            name, command, self.LogFolder / f"{self.Arguments.example}.{name}.log", environment, folder, lines
        )
        self.Children.append(process)
        return process

    def start_host(self, environment):
        host = self.start(
            "host",
            [
                *self.Arguments.mpiexec, "-n", HOSTS, self.Arguments.pvbatch, self.Example.Pipeline,
                "--contact", self.Contact, "--pictures", self.PictureFolder,
            ],
            environment, self.Scratch, self.Lines,
        )
        limit = time.monotonic() + self.Arguments.startup
        while not self.Contact.exists():
            if host.wait(0.1) is not None:
                raise Failure(
                    f"ParaView ended with status {host.status()} before it shared memory:\n{host.last_words()}")
            if time.monotonic() > limit:
                raise Failure(
                    f"ParaView did not write its contact file within {self.Arguments.startup:g} s:\n{host.last_words()}"
                )
        return host

    def start_simulation(self, environment, name, command, *options):
        return self.start(
            name,
            [
                self.Arguments.build / "bin/dsm-run", "--contact", self.Contact, *options,
                *self.Arguments.mpiexec, "-n", RANKS, *command,
            ],
            environment, self.Scratch,
        )

    def follow(self, host, simulation, branch):
        """Shows what the host reports until all have ended."""
        ended = None
        while host.status() is None or host.Reader.is_alive():
            try:
                line = self.Lines.get(timeout=0.2)
                if line.startswith("snapshot "):
                    print(line, flush=True)
                continue
            except queue.Empty:
                pass
            if time.monotonic() > self.Deadline:
                raise Failure(
                    f"the demo took longer than {self.Arguments.timeout:g} s and was ended. "
                    f"The simulation's last words:\n{simulation.last_words(5)}\nParaView's:\n{host.last_words(5)}"
                )
            # A simulation that failed: ParaView may finish what it has, but not for ever.
            if ended is None and simulation.status() is not None:
                ended = time.monotonic()
                if simulation.status() != 0:
                    self.Deadline = min(self.Deadline, ended + 30)
                    print(f"the simulation ended with status {simulation.status()}", file=sys.stderr)
        while not self.Lines.empty():
            line = self.Lines.get()
            if line.startswith("snapshot "):
                print(line, flush=True)
        for one in filter(None, (simulation, branch)):
            if one.wait(20) != 0:
                status = one.status()
                raise Failure(
                    f"the {one.Name} {'did not end' if status is None else f'ended with status {status}'}:\n"
                    f"{one.last_words()}" + (f"\nand ParaView:\n{host.last_words()}" if host.status() else "")
                )
        if host.status() != 0:
            raise Failure(f"ParaView ended with status {host.status()}:\n{host.last_words()}")

    def check_pictures(self):
        pictures = sorted(self.PictureFolder.glob(self.Example.Pattern))
        if len(pictures) != self.Example.Count or not all(picture.stat().st_size for picture in pictures):
            raise Failure(
                f"there are {len(pictures)} pictures in {self.PictureFolder} and should be {self.Example.Count}"
            )

    def check_disk(self):
        stray = [path for path in self.Scratch.rglob("*") if path.suffix in (".h5", ".vtkhdf") and holds_data(path)]
        if stray:
            raise Failure(
                f"the simulation wrote {len(stray)} files to disk, as {stray[0]}, and none should have got there"
            )

    def make_film(self):
        film = self.Output / f"{self.Arguments.example}.mp4"
        made = subprocess.run(
            [
                "ffmpeg", "-y", "-loglevel", "warning", "-framerate", str(FRAMES_PER_SECOND), "-pattern_type", "glob",
                "-i", str(self.PictureFolder / self.Example.Pattern), "-c:v", "libx264", "-preset", "veryfast",
                "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(film),
            ],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        )
        if made.returncode:
            raise Failure(f"ffmpeg could not make the film from the pictures in {self.PictureFolder}:\n{made.stderr}")
        return film

    def end(self):
        end_all(self.Children)


def require_tools(build, example, pvbatch, mpiexec):
    missing = [tool for tool in ("Xvfb", str(pvbatch), mpiexec, "ffmpeg") if not shutil.which(tool)]
    missing += [
        str(path) for path in (build / "bin/dsm-run", build / "lib/paraview-dsm", example.Pipeline) if not path.exists()
    ]
    program = example.Command[0]
    if not shutil.which(str(program)):
        missing.append(str(program))
    if missing:
        raise Failure(f"missing: {', '.join(missing)}. Start the demo with ./dev demo, which provides all of them")


def at_least_two(text):
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError("a film needs two pictures")
    return number


def main():
    parser = argparse.ArgumentParser(prog="./dev demo", description="A running simulation, rendered live.")
    parser.add_argument("example", nargs="?", default="gray-scott", choices=EXAMPLES)
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("dsm-demo"), help="folder for pictures, film and logs"
    )
    parser.add_argument("--pictures", type=at_least_two, help="how many pictures, for a quick look")
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument(
        "--mpiexec", type=str.split, default="mpiexec.openmpi --oversubscribe",
        help="of the MPI that the build and ParaView use, with its options in one word",
    )
    parser.add_argument("--paraview", type=pathlib.Path, help="folder of ParaView's programs, if not in PATH")
    parser.add_argument("--timeout", type=float, default=600, help="seconds that the whole may take")
    parser.add_argument("--startup", type=float, default=90, help="seconds that ParaView may take to start")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.pvbatch = arguments.paraview / "pvbatch" if arguments.paraview else "pvbatch"
    example = EXAMPLES[arguments.example](arguments.build, arguments.pictures)

    prepare_to_end()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dsm-demo-", ignore_cleanup_errors=True) as scratch:
        demo = Demo(arguments, example, pathlib.Path(scratch))
        try:
            require_tools(arguments.build, example, arguments.pvbatch, arguments.mpiexec[0])
            print(f"{arguments.example}: ParaView on {HOSTS} ranks, the simulation on {RANKS}", file=sys.stderr)
            demo.run()
            film = demo.make_film()
        except Failure as failure:
            print(f"demo: {failure}\ndemo: whole logs in {demo.LogFolder}", file=sys.stderr)
            return 1
        except OSError as error:
            print(f"demo: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("\ndemo: interrupted; both sides are being ended", file=sys.stderr)
            return 130
        finally:
            # A second Ctrl+C must not leave half of it behind.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            demo.end()
    print(
        f"{example.Count} pictures in {demo.PictureFolder} and a film, {film}, in {time.monotonic() - began:.0f} s; "
        "no data file touched the disk"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
